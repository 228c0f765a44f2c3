"""Commands in terminals of the client's, as cards show them. Pure.

A command that runs in a terminal of the client's own (``client_terminals``) has that on its card,
from when it is there. It stays there when the terminal was given back: the end of the card does not
name it again, since some clients do not know it any more by then.

Other commands run in this agent. A client that announced ``_meta.terminal_output`` has the terminal
of such a card told by ``_meta.terminal_info``, fed by ``_meta.terminal_output`` and ended by
``_meta.terminal_exit``. It is no part of the protocol, but Zed reads it and several agents send it.
Other clients get content that grows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_core.ground.content import CardContent, Console
from hermes_core.ground.events import ToolCallFinished, ToolCallProgress, ToolCallStarted

Json = dict[str, Any]
CardEvent = ToolCallStarted | ToolCallProgress | ToolCallFinished

ENDED = ("completed", "failed")

_LINE_ANEW = "\r\x1b[K"
_SCREEN_ANEW = "\x1b[2J\x1b[3J\x1b[H"


def console_of(content: Sequence[CardContent]) -> Console | None:
    """Return the console that a card has, if it has one."""
    return next((part for part in content if isinstance(part, Console)), None)


def with_console(
    update: Json,
    event: CardEvent,
    console: Console,
    others: list[Json],
    *,
    announced: bool,
    replaying: bool,
) -> Json:
    """Return the update of a card that has a console; ``others``: the card's rest.

    announced: whether the client takes output of commands by ``_meta``. replaying: whether what is
    shown is over.
    """
    if console.terminal and not replaying:
        return _in_own_terminal(update, event, console, others)
    return in_terminal(update, event, console, others) if announced else update


def _in_own_terminal(update: Json, event: CardEvent, console: Console, others: list[Json]) -> Json:
    if isinstance(event, ToolCallFinished):
        return {key: value for key, value in update.items() if key != "content"}
    shown = [{"type": "content", "content": {"type": "text", "text": console.text}}]
    terminal = {"type": "terminal", "terminalId": console.terminal}
    return {**update, "content": [*others, *(shown if console.text else []), terminal]}


def in_terminal(update: Json, event: CardEvent, console: Console, others: list[Json]) -> Json:
    """Return the update of a card with its console in a terminal; ``others``: the card's rest.

    The content is told each time: a question shows the command in the place of the terminal.
    ``terminal_output`` holds all of the output so far, see ``Screens``.
    """
    name = event.call_id
    meta: Json = {}
    update = {**update, "content": [*others, {"type": "terminal", "terminalId": name}]}
    if isinstance(event, ToolCallStarted):
        meta["terminal_info"] = {"terminal_id": name, "cwd": console.cwd}
    if console.output:
        meta["terminal_output"] = {"terminal_id": name, "data": console.output}
    if isinstance(event, ToolCallFinished):
        meta["terminal_exit"] = {"terminal_id": name, **_ending(console)}
    return {**update, "_meta": meta} if meta else update


def _ending(console: Console) -> Json:
    if console.signal:
        return {"signal": console.signal}
    return {} if console.exit_code is None else {"exit_code": console.exit_code}


class Screens:
    """What the client's terminals show, so that each is sent what is new alone.

    A terminal ends with its card, however that ends: without a start, too, or unfinished.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, str], str] = {}
        self._open: set[tuple[str, str]] = set()

    def anew(self, session_id: str, update: Mapping[str, Any]) -> Json:
        """Return the update with the output that is new instead of all of it."""
        return self._new_alone(session_id, self._ended(session_id, update))

    def _ended(self, session_id: str, update: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the update with the end of a terminal, if it ends a card that has one."""
        name, meta = update.get("toolCallId", ""), update.get("_meta", {})
        if "terminal_info" in meta:
            self._open.add((session_id, name))
        if update.get("status") not in ENDED or (session_id, name) not in self._open:
            return update
        self._open.remove((session_id, name))
        return {**update, "_meta": {"terminal_exit": {"terminal_id": name}, **meta}}

    def _new_alone(self, session_id: str, update: Mapping[str, Any]) -> Json:
        meta = dict(update.get("_meta", {}))
        output, over = meta.get("terminal_output"), "terminal_exit" in meta
        if output is None:
            return dict(update)
        key = (session_id, output["terminal_id"])
        shown, text = self._shown.get(key, ""), output["data"]
        data = _new(shown, text, over=over)
        if data is None:
            del meta["terminal_output"]
        else:
            meta["terminal_output"] = {**output, "data": data}
            self._shown[key] = text
        if over:
            self._shown.pop(key, None)
        return {**update, "_meta": meta}

    def clear(self) -> None:
        """Forget all terminals: nothing more is sent to them."""
        self._shown.clear()
        self._open.clear()


def _new(shown: str, text: str, *, over: bool) -> str | None:
    """Return what leads a terminal from ``shown`` to ``text``; None for nothing.

    Where the middle of a long output goes on changing, nothing is sent before its end.
    """
    if text == shown:
        return None
    if text.startswith(shown):
        return text[len(shown) :]
    pairs = enumerate(zip(shown, text, strict=False))
    same = next((place for place, (old, new) in pairs if old != new), len(text))
    if "\n" not in shown[same:]:
        line = shown.rfind("\n", 0, same) + 1
        return _LINE_ANEW + text[line:]
    return _SCREEN_ANEW + text if over else None
