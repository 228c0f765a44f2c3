"""The line that is typed while a turn runs: keys become text, text becomes rows of a screen."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from acp_server.cli.printable import visible_line

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer

LIMIT = 200_000
"""Characters that a line holds; what is typed beyond is not taken."""

MARK = "› "

PASTE, PASTED = "\x1b[200~", "\x1b[201~"
"""What stands around a paste, where the terminal was asked for it (DEC mode 2004)."""

_TOKEN = re.compile(
    f"{re.escape(PASTE)}(?P<paste>.*?){re.escape(PASTED)}"
    r"|(?P<keys>\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O]|)|[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)",
    re.DOTALL,
)
_PIECE = 1 << 15
"""Characters of a paste that are gathered before they are taken."""

_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_LINES = re.compile(r"[\r\n](?=[^\r\n])")

Enter = Callable[[str], bool]
"""Takes a line that was ended with Enter; False leaves it where it was typed."""


class Line:
    """Text that is being typed, with a cursor in it.

    The keys are those of the prompt, as far as they edit. What is pasted, and what comes with line
    breaks inside all at once, is text.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._buffer: Buffer | None = None

    @property
    def text(self) -> str:
        """What stands in the line."""
        return "" if self._buffer is None else self._buffer.text

    @property
    def cursor(self) -> int:
        """Where the cursor stands, in characters."""
        return 0 if self._buffer is None else self._buffer.cursor_position

    def take(self) -> str:
        """Return the text, and empty the line."""
        text = self.text
        if self._buffer is not None:
            self._buffer.reset()
        self._rest = ""
        return text

    def insert(self, text: str) -> None:
        """Put ``text`` where the cursor stands, without what cannot be seen."""
        buffer = self._edited()
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        seen = "".join(char for char in text if char.isprintable() or char in "\n\t")
        buffer.insert_text(seen[: max(LIMIT - len(buffer.text), 0)])

    def feed(self, data: str, enter: Enter | None = None) -> None:
        """Take what a keyboard sent; ``enter`` gets ended lines, without it they are kept."""
        if self._rest == "\x1b" and data[:1] not in ("[", "O"):
            self._rest = ""  # it was the key Escape by itself
        data, self._rest = self._rest + data, ""
        if "\x1b" not in data and _LINES.search(data):
            self.insert(data.rstrip("\r\n") if enter else data)
            return
        for token in _TOKEN.finditer(self._whole(data)):
            if (pasted := token["paste"]) is not None:
                self.insert(pasted)
            elif token["text"]:
                self.insert(token["text"])
            else:
                self._press(token["keys"], enter)

    def _whole(self, data: str) -> str:
        """Return what is complete of ``data``, and keep the rest until more comes."""
        begun = data.rfind(PASTE)
        if begun >= 0 and PASTED not in data[begun:]:
            if len(data) - begun < _PIECE:
                return self._keep(data, begun)
            ending = len(data) - len(PASTED)  # its end may have come in part
            data, self._rest = data[:ending] + PASTED, PASTE + data[ending:]
        elif cut := _UNFINISHED.search(data):
            return self._keep(data, cut.start())
        return data

    def _keep(self, data: str, place: int) -> str:
        self._rest = data[place:]
        return data[:place]

    def _press(self, keys: str, enter: Enter | None) -> None:
        if keys in ("\r", "\n"):
            self._end(enter)
        elif keys in ("\x1b\r", "\x1b\n"):
            self.insert("\n")
        elif edit := _edits().get(keys):
            edit(self._edited())

    def _end(self, enter: Enter | None) -> None:
        if enter is None:
            self.insert("\n")
        elif self.text.strip() and enter(self.text):
            self.take()

    def _edited(self) -> "Buffer":
        if self._buffer is None:
            from prompt_toolkit.buffer import Buffer

            self._buffer = Buffer(multiline=True)
        return self._buffer


def drawn(text: str, cursor: int, width: int, rows: int) -> Text:
    """Return ``text`` as at most ``rows`` rows of ``width`` cells, those around the cursor.

    The cursor is shown reversed. A mark stands before the first row, nothing before the others.
    """
    inner = max(width - len(MARK), 2)
    start = max(cursor - rows * inner, 0)
    cells = list(_cells(text[start : cursor + rows * inner], cursor - start))
    laid: list[Text] = [Text()]
    place = 0
    for shown, breaks, here in cells:
        if laid[-1].cell_len + cell_len(shown) > inner:
            laid.append(Text())
        if here:
            place = len(laid) - 1
        laid[-1].append(shown, "reverse" if here else "")
        if breaks:
            laid.append(Text())
    first = max(place - rows + 1, 0)
    marks = [MARK if number == 0 and start == 0 else "  " for number in range(len(laid))]
    return Text("\n").join(
        Text.assemble((mark, "bold"), row)
        for mark, row in list(zip(marks, laid, strict=True))[first : first + rows]
    )


def _cells(text: str, cursor: int) -> Iterator[tuple[str, bool, bool]]:
    """Yield for every character how it is shown, whether its row ends, whether the cursor is on it.

    The end of the text counts as one.
    """
    for number, char in enumerate(text):
        here = number == cursor
        if char == "\n":
            yield (" " if here else ""), True, here
        else:
            yield visible_line(char), False, here
    if cursor >= len(text):
        yield " ", False, True


@lru_cache(maxsize=1)
def _edits() -> dict[str, Callable[["Buffer"], object]]:
    """Return what the keys do that are no text."""
    from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
    from prompt_toolkit.keys import Keys

    by_key: dict[object, Callable[[Buffer], object]] = {
        Keys.ControlH: lambda b: b.delete_before_cursor(),
        Keys.Delete: lambda b: b.delete(),
        Keys.ControlD: lambda b: b.delete(),
        Keys.Left: lambda b: b.cursor_left(),
        Keys.ControlB: lambda b: b.cursor_left(),
        Keys.Right: lambda b: b.cursor_right(),
        Keys.ControlF: lambda b: b.cursor_right(),
        Keys.Up: lambda b: b.cursor_up(),
        Keys.Down: lambda b: b.cursor_down(),
        Keys.Home: _to_start,
        Keys.ControlA: _to_start,
        Keys.End: _to_end,
        Keys.ControlE: _to_end,
        Keys.ControlLeft: _word_left,
        Keys.ControlRight: _word_right,
        Keys.ControlU: lambda b: b.delete_before_cursor(-_start(b)),
        Keys.ControlK: lambda b: b.delete(b.document.get_end_of_line_position()),
        Keys.ControlW: _delete_word,
    }
    found = {keys: by_key[name] for keys, name in ANSI_SEQUENCES.items() if name in by_key}
    return {**found, "\x1bb": _word_left, "\x1bf": _word_right, "\x1b\x7f": _delete_word}


def _start(buffer: "Buffer") -> int:
    return buffer.document.get_start_of_line_position()


def _to_start(buffer: "Buffer") -> None:
    buffer.cursor_position += _start(buffer)


def _to_end(buffer: "Buffer") -> None:
    buffer.cursor_position += buffer.document.get_end_of_line_position()


def _word_left(buffer: "Buffer") -> None:
    buffer.cursor_position += buffer.document.find_previous_word_beginning() or 0


def _word_right(buffer: "Buffer") -> None:
    buffer.cursor_position += buffer.document.find_next_word_ending() or 0


def _delete_word(buffer: "Buffer") -> None:
    back = buffer.document.find_previous_word_beginning(WORD=True)
    buffer.delete_before_cursor(buffer.cursor_position if back is None else -back)
