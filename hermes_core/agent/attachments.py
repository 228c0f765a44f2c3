"""What the user's message points at, read and put beside it before the model is asked.

Files are read as the tool ``read_file`` reads them: through the editor where it has them, with the
same leave to be had for what lies elsewhere or is secret, and known to the session from then on. A
card is shown only where a person is asked. What cannot be read is said in its place.
"""

import json
import os
import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hermes_core.agent.calls import CallRequest
from hermes_core.agent.cards import Card
from hermes_core.agent.segments import Reach
from hermes_core.agent.toolbox import Toolbox
from hermes_core.ground.content import Attached, Link
from hermes_core.ground.errors import HermesError, Interrupted
from hermes_core.ground.events import Emit, Event, ToolCallRunning
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import FunctionCall, ToolCall
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext
from hermes_core.tools.targets import read_action, shown
from hermes_core.tools.visible import one_line

LONGEST = 50_000
"""Characters of one file that are put before the model; the rest can be read with a tool."""

ALL_TOGETHER = 200_000
"""Characters of all that one message points at."""

MOST_NAMES = 200
"""Names of a folder that are told."""

_AROUND_SYMBOL = 120
_DEFINES = (
    r"^\s*(?:[\w@<>\[\],.*&]+\s+)*"
    r"(?:def|class|func|function|fn|interface|struct|enum|trait|type|const|let|var|module|namespace)"
    r"\s+(?:\([^)]*\)\s*)?{name}\b"
)


def read_links(
    links: Sequence[Link], tools: Toolbox, show: Emit, interrupt: Interrupt
) -> list[Attached]:
    """Read what ``links`` point at, within bounds; return it in their order.

    show: takes questions to a person, and the cards they stand by; nothing of it is kept. Raises
    ``Interrupted`` if the turn ends first.
    """
    found: dict[int, Attached] = {}
    room = ALL_TOGETHER
    for place in sorted(range(len(links)), key=lambda place: -links[place].priority):
        interrupt.raise_if_set()
        found[place] = _cut(_read(links[place], tools, show, interrupt), min(room, LONGEST))
        room -= len(found[place].text)
    return [found[place] for place in range(len(links))]


def _read(link: Link, tools: Toolbox, show: Emit, interrupt: Interrupt) -> Attached:
    try:
        path = tools.context.workspace.resolve(link.path)
        if path.is_dir():
            name, sent, prepared = (
                "search_files",
                {"path": link.path},
                _listing(tools.context, path),
            )
        else:
            name, sent = "read_file", _arguments(link)
            prepared = tools.specs["read_file"].prepare(tools.context, sent)
        refusal = _refusal(_request(name, sent, tools), prepared, tools, show, interrupt)
        if refusal:
            return Attached(link, "not read, since it may not be", failed=True)
        text = prepared.run(lambda _: None).text
    except Interrupted:
        raise
    except (HermesError, OSError, ValueError) as error:
        return Attached(link, f"not read: {error}", failed=True)
    return Attached(link, _about(link.symbol, text) if link.symbol else text)


def _arguments(link: Link) -> dict[str, Any]:
    sent: dict[str, Any] = {"path": link.path}
    if link.first > 1 or link.last is not None:
        sent["offset"] = link.first
    if link.last is not None:
        sent["limit"] = max(link.last - link.first + 1, 1)
    return sent


def _request(name: str, sent: dict[str, Any], tools: Toolbox) -> CallRequest:
    function: FunctionCall = {"name": name, "arguments": json.dumps(sent)}
    call_id = f"attached_{uuid.uuid4().hex[:12]}"
    call: ToolCall = {"id": call_id, "type": "function", "function": function}
    return CallRequest(call, tools.specs.get(name), sent, sent, "", Reach("always"))


def _refusal(
    request: CallRequest, prepared: Prepared, tools: Toolbox, show: Emit, interrupt: Interrupt
) -> str:
    """Return why it may not be read, ``""`` if it may; a question gets a card to stand by."""
    held: list[Event] = []
    card = Card(request, held.append)
    card.start(prepared)

    def ask(event: Event) -> None:
        while held:
            show(held.pop(0))
        show(event)

    refusal = tools.consent.refusal(card, prepared, ask, interrupt)
    if not held:  # the card is shown
        if not refusal:
            show(ToolCallRunning(card.call_id))
        said = Output(refusal or "Put before the model with your message.", failed=bool(refusal))
        show(card.end(said, 0.0))
    return refusal


def _listing(context: ToolContext, path: Path) -> Prepared:
    """Return the reading of a folder's names."""

    def run(_: Progress) -> Output:
        return Output("\n".join(_names(path)) or "[empty]")

    return Prepared(f"List {shown(context, path)}", read_action(context, path), run)


def _names(path: Path) -> Iterator[str]:
    with os.scandir(path) as entries:
        names = sorted(
            one_line(entry.name) + ("/" if entry.is_dir(follow_symlinks=False) else "")
            for entry in entries
        )
    yield from names[:MOST_NAMES]
    if len(names) > MOST_NAMES:
        yield f"[and {len(names) - MOST_NAMES} more]"


def _about(symbol: str, text: str) -> str:
    """Return the lines around where ``symbol`` is defined, or else first named; else all."""
    lines = text.split("\n")
    name = re.escape(symbol.rpartition(".")[2].rpartition("::")[2] or symbol)
    for pattern in (_DEFINES.replace("{name}", name), rf"\b{name}\b"):
        place = next((n for n, line in enumerate(lines) if re.search(pattern, line)), None)
        if place is not None:
            first = max(place - 2, 0)
            last = min(place + _AROUND_SYMBOL, len(lines))
            return "\n".join([*lines[first:last], f"[lines {first + 1}-{last}, about {symbol}]"])
    return text


def _cut(attached: Attached, room: int) -> Attached:
    if len(attached.text) <= room:
        return attached
    kept = attached.text[: max(room, 0)].rpartition("\n")[0]
    lines = kept.count("\n") + 1 if kept else 0
    more = "the rest can be read with read_file" if kept else "read it with read_file"
    note = f"[the first {lines} lines of what was meant; {more}]"
    return Attached(attached.link, f"{kept}\n{note}".lstrip("\n"), attached.failed)
