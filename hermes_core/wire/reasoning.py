"""Reasoning as servers send it, made into one string, apart from the answer."""

from typing import Any, Final

from hermes_core.wire.pieces import Piece, ReasoningPiece, TextPiece

_TEXT_KEYS: Final = ("text", "thinking", "reasoning", "reasoning_content", "content", "summary")
_TAGS: Final = ("think", "thinking", "thought", "reasoning")
_OPENINGS: Final = tuple(f"<{tag}>" for tag in _TAGS)
_LONGEST: Final = max(map(len, _OPENINGS))


def flatten(value: Any) -> str:
    """Return the text of a string, a text part, or a list of both.

    Fragments are joined without a separator and keep their own white space. What holds no text
    (numbers, encrypted parts) counts as empty.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(flatten, value))
    if isinstance(value, dict):
        for key in _TEXT_KEYS:
            if value.get(key):
                return flatten(value[key])
    return ""


class Voice:
    """Tells text from reasoning within one answer; ``pieces`` take what is certain."""

    def __init__(self) -> None:
        self._tags = ThinkTags()
        self._paragraphs = Paragraphs()

    def say(self, content: Any, pieces: list[Piece]) -> None:
        """Take the answer's next text, or content parts, of which some may be reasoning."""
        if type(content) is str:
            if self._tags.plain:
                pieces.append(TextPiece(content))
                return
            for piece in self._tags.split(content):
                if isinstance(piece, ReasoningPiece):
                    self.think(piece.text, pieces)
                else:
                    pieces.append(piece)
            return
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
                self.think(part, pieces)
            elif text := flatten(part):
                self.say(text, pieces)

    def think(self, value: Any, pieces: list[Piece]) -> None:
        """Take the next reasoning, whatever its shape."""
        text = flatten(value)
        if text:
            pieces.append(ReasoningPiece(self._paragraphs.follow(text)))

    def begin_part(self) -> None:
        """Note that another part of the reasoning begins."""
        self._paragraphs.begin_part()

    def flush(self) -> list[Piece]:
        """Return what was held back, at the end of the answer."""
        return self._tags.flush()


class Paragraphs:
    """Keeps the paragraph breaks at bold headings when fragments are put together.

    Relays send the parts of a reasoning summary one after the other, each opening with a bold
    heading on its own line, with nothing between the end of one and the heading of the next.
    """

    def __init__(self) -> None:
        self._last = "\n"
        self._begun = False

    def begin_part(self) -> None:
        """Note that a part begins: bold text at its start is a heading, even if it goes on."""
        self._begun = True

    def follow(self, text: str) -> str:
        """Return ``text`` as it must follow what came before."""
        if text[:2] == "**" and not self._last.isspace() and (self._begun or _is_heading(text)):
            text = "\n\n" + text
        self._begun = False
        self._last = text[-1]
        return text


def _is_heading(text: str) -> bool:
    line = text.partition("\n")[0].rstrip()
    return len(line) > 4 and line.endswith("**") and "**" not in line[2:-2]


class ThinkTags:
    """Splits an answer that opens with ``<think>...</think>`` into reasoning and text.

    Only the very beginning of an answer is looked at: a tag that appears later is text. ``plain``
    is true once nothing more can change, so that the caller need not ask again.
    """

    def __init__(self) -> None:
        self.plain = False
        self._held = ""
        self._closing = ""
        self._after = False

    def split(self, text: str) -> list[Piece]:
        """Return the pieces that are certain once ``text`` has arrived."""
        if self._after:
            return self._open_answer(text)
        held = self._held + text
        if self._closing:
            return self._think(held)
        start = held.lstrip()
        for opening in _OPENINGS:
            if start.startswith(opening):
                self._closing = f"</{opening[1:]}"
                return self._think(start[len(opening) :])
        if len(start) < _LONGEST and any(opening.startswith(start) for opening in _OPENINGS):
            self._held = held
            return []
        self._held = ""
        self.plain = True
        return [TextPiece(held)]

    def flush(self) -> list[Piece]:
        """Return what was held back when the answer ends."""
        held, self._held = self._held, ""
        if not held:
            return []
        return [ReasoningPiece(held) if self._closing else TextPiece(held)]

    def _think(self, held: str) -> list[Piece]:
        thought, closing, answer = held.partition(self._closing)
        if closing:
            self._held = ""
            self._after = True
            pieces: list[Piece] = [ReasoningPiece(thought)] if thought else []
            return pieces + self._open_answer(answer)
        keep = _overlap(held, self._closing)
        self._held = held[len(held) - keep :]
        thought = held[: len(held) - keep]
        return [ReasoningPiece(thought)] if thought else []

    def _open_answer(self, text: str) -> list[Piece]:
        text = text.lstrip()
        if not text:
            return []
        self.plain = True
        return [TextPiece(text)]


def _overlap(text: str, closing: str) -> int:
    """Return the length of the longest end of ``text`` that begins ``closing``."""
    for length in range(min(len(text), len(closing) - 1), 0, -1):
        if closing.startswith(text[-length:]):
            return length
    return 0
