"""Where a transcript is written: a port, and its plain form for pipes and files."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from rich.text import Text

Voice = Literal["answer", "thought", "user"]

VOICES = {"thought": "┊ ", "user": "› "}


def group_of(voice: Voice) -> str:
    """Return the group of blocks that running text belongs to: thoughts keep together."""
    return voice if voice == "thought" else ""


class Paper(Protocol):
    """Takes finished blocks and streams, one after the other.

    ``keeps_status``: whether ``status`` is shown, as the part at the bottom that goes on changing.
    """

    keeps_status: bool

    def stream(self, voice: Voice, text: str) -> None:
        """Take a piece of running text; pieces of one voice belong together."""
        ...

    def close(self) -> None:
        """End the running text, if there is any."""
        ...

    def block(self, text: Text, group: str = "") -> None:
        """Write a finished block; an empty line parts it from one that is not of its group."""
        ...

    def status(self, blocks: Sequence[Text]) -> None:
        """Replace what is shown as going on now."""
        ...


class PlainPaper:
    """Writes plain text as it comes, without any escape; thoughts and the user's words are marked.

    ``write`` takes text that may hold newlines, and adds none.
    """

    keeps_status = False

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._voice: Voice | None = None
        self._at_line_start = True
        self._group: str | None = None

    def stream(self, voice: Voice, text: str) -> None:
        """Write a piece of running text."""
        if voice != self._voice:
            self.close()
            text = text.lstrip("\n")
            if not text:
                return
            self._gap(group_of(voice))
            self._voice = voice
        mark = VOICES.get(voice, "")
        if mark:
            text = self._marked(text, mark)
        self._write(text)
        self._at_line_start = text.endswith("\n")

    def close(self) -> None:
        """End the running text with a newline."""
        if self._voice is not None and not self._at_line_start:
            self._write("\n")
        self._voice = None
        self._at_line_start = True

    def block(self, text: Text, group: str = "") -> None:
        """Write a finished block."""
        self.close()
        self._gap(group)
        self._write(f"{text.plain}\n")

    def status(self, blocks: Sequence[Text]) -> None:
        """Show nothing: what is going on shows when it has ended."""

    def _gap(self, group: str) -> None:
        if self._group is not None and (not group or group != self._group):
            self._write("\n")
        self._group = group

    def _marked(self, text: str, mark: str) -> str:
        ended = text.endswith("\n")
        marked = text.removesuffix("\n").replace("\n", f"\n{mark}")
        return (mark if self._at_line_start else "") + marked + ("\n" if ended else "")
