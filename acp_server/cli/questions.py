"""Permission questions: the choices with their keys, and the three who may answer."""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from rich.text import Text

from acp_server.cli.forms import Filler, filled, question_of
from acp_server.cli.keyboard import END, ENTER, Keyboard
from acp_server.cli.printable import visible_line
from acp_server.cli.transcript import Transcript

KEYS = {"allow_once": "y", "allow_always": "a", "reject_once": "n", "reject_always": "d"}
SAID = {
    "allow_once": "allowed once",
    "allow_always": "always allowed",
    "reject_once": "rejected",
    "reject_always": "always rejected",
}
_USUAL = {
    "allow_once": "Allow once",
    "allow_always": "Always allow",
    "reject_once": "Reject",
    "reject_always": "Always reject",
}
"""How the names of answers begin that mean no more than their kind."""

STOP = "Ctrl-C stops the turn"
WORDS = "\x00"
"""Stands for an answer that is to be typed; no choice can be that."""

UNKNOWN_KEY = f"Press one of the keys above. {STOP}"

Params = dict[str, Any]


class Choice(NamedTuple):
    """One option of a question and the key that takes it."""

    key: str
    option_id: str
    name: str
    kind: str

    @property
    def allows(self) -> bool:
        """Whether this answer lets the tool run."""
        return self.kind.startswith("allow")

    @property
    def said(self) -> str:
        """What is told of this answer: what it did, or its own words where they say more."""
        usual = _USUAL.get(self.kind)
        return SAID[self.kind] if usual and self.name.startswith(usual) else f"“{self.name}”"


class Asker(Protocol):
    """Finds the answer to a question that has been shown; None withdraws it."""

    async def choose(self, choices: list[Choice]) -> tuple[Choice | None, str]:
        """Return the choice, and a word on who made it."""
        ...


def choices_of(params: Params) -> list[Choice]:
    """Return the options of a ``session/request_permission``, each with a key of its own."""
    found: list[Choice] = []
    used: set[str] = set()
    spare = iter("123456789")
    for option in params.get("options") or []:
        kind = str(option.get("kind"))
        key = KEYS.get(kind, "")
        if not key or key in used:
            key = next(spare, "")
        used.add(key)
        name = visible_line(str(option.get("name", kind)))
        found.append(Choice(key, str(option.get("optionId")), name, kind))
    return found


def rejection(choices: list[Choice]) -> Choice | None:
    """Return the choice that rejects just this once, or any that rejects."""
    rejecting = [choice for choice in choices if not choice.allows]
    return next((c for c in rejecting if c.kind == "reject_once"), next(iter(rejecting), None))


class TerminalFace:
    """Shows what a client receives and has its questions answered, one at a time.

    ``rejections`` is how many were answered with no.
    """

    def __init__(self, transcript: Transcript, asker: Asker) -> None:
        self.rejections = 0
        self._transcript = transcript
        self._asker = asker
        self._turn = asyncio.Lock()

    def update(self, update: Params) -> None:
        """Show one ``session/update``."""
        self._transcript.update(update)

    async def ask(self, params: Params) -> str | None:
        """Show the question and return the id of the chosen option."""
        async with self._turn:
            self._transcript.question(params)
            choice, by = await self._asker.choose(choices_of(params))
            if choice is None:
                self._transcript.answered(params, f"withdrawn{by}", allowed=False)
                return None
            self.rejections += not choice.allows
            words = f"{choice.said}{by}"
            self._transcript.answered(params, words, allowed=choice.allows)
            return choice.option_id

    async def fill(self, params: Params) -> Params:
        """Show a question, or a page to be opened, and return the result of its form."""
        async with self._turn:
            self._transcript.remark(f"? {question_of(params)}", "bold yellow", "form")
            if not isinstance(self._asker, KeyAsker):
                return {"action": "decline"}
            result = await filled(params, _Keys(self._asker, self._transcript))
            self._transcript.remark(f"  {_said(result)}", "dim", "form")
            return result


class _Keys(Filler):
    """Fills a form at the keyboard: a key for a choice, or own words after ``w``."""

    def __init__(self, asker: "KeyAsker", transcript: Transcript) -> None:
        self._asker = asker
        self._transcript = transcript

    def say(self, text: str) -> None:
        """Show a line of the form."""
        self._transcript.remark(text, "yellow", "form")

    async def fill(self, choices: list[str], words: bool) -> str | None:
        """Return what the person chose or typed."""
        if not choices:
            return await self._asker.read_line()
        offered = [
            Choice(str(number), text, visible_line(text), "allow_once")
            for number, text in enumerate(choices, start=1)
        ]
        if words:
            offered.append(Choice("w", WORDS, "Answer in your own words", "allow_once"))
        offered.append(Choice("n", "", "No answer", "reject_once"))
        chosen, _ = await self._asker.choose(offered)
        if chosen is not None and chosen.option_id == WORDS:
            return await self._asker.read_line()
        return chosen.option_id if chosen is not None and chosen.allows else None


class KeyAsker:
    """Asks the person at the terminal: one key; Enter and the end of input reject.

    ``show`` shows the keys, and takes them away when it is given None.
    """

    def __init__(self, show: Callable[[Text | None], None], keyboard: Keyboard) -> None:
        self._show = show
        self._keyboard = keyboard

    async def choose(self, choices: list[Choice]) -> tuple[Choice | None, str]:
        """Show the choices until one of their keys is pressed."""
        default = rejection(choices)
        try:
            with self._keyboard.answering():
                self._show(_menu(choices, default, STOP))
                while True:
                    key = (await self._keyboard.read_key()).lower()
                    if key in (ENTER, END):
                        return default, ""
                    chosen = next((c for c in choices if c.key and c.key == key), None)
                    if chosen is not None:
                        return chosen, ""
                    self._show(_menu(choices, default, UNKNOWN_KEY))
        finally:
            self._show(None)

    async def read_line(self) -> str | None:
        """Return a line that the person types; None for none."""
        try:
            with self._keyboard.answering():
                self._show(_line(""))
                return await self._keyboard.read_line(lambda typed: self._show(_line(typed)))
        finally:
            self._show(None)


class NobodyAsker:
    """Rejects: there is no terminal to ask on."""

    async def choose(self, choices: list[Choice]) -> tuple[Choice | None, str]:
        """Return the rejection."""
        return rejection(choices), ": there is no terminal to ask on"


class DemoAsker:
    """Allows once, and says that nobody was asked."""

    async def choose(self, choices: list[Choice]) -> tuple[Choice | None, str]:
        """Return the choice that allows once."""
        allowed = next((c for c in choices if c.kind == "allow_once"), None)
        return allowed, " by the demo: there is no terminal to ask on"


def _said(result: Params) -> str:
    """Return what a result comes to, in a line."""
    if result.get("action") != "accept":
        return "no answer"
    values = [visible_line(str(value)) for value in result.get("content", {}).values()]
    return ", ".join(values) or "yes"


def _line(typed: str) -> Text:
    return Text(f"  > {visible_line(typed)}", "yellow")


def _menu(choices: list[Choice], default: Choice | None, hint: str) -> Text:
    menu = Text()
    for choice in choices:
        menu.append(f"  {choice.key}", "bold yellow")
        menu.append(f"  {choice.name}")
        if choice is default:
            menu.append("  (Enter)", "dim")
        menu.append("\n")
    menu.append(f"  {hint}", "dim")
    return menu
