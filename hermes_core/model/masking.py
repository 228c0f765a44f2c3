"""Keys in what a provider says: some repeat what they were sent, and it is shown and stored."""

from collections.abc import Iterable, Iterator
from typing import Any

from hermes_core.ground.secrets import REDACTOR
from hermes_core.wire.pieces import CallPiece, Piece, ReasoningPiece, ReasoningRecord, TextPiece


def masked(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield ``pieces`` with every known secret in text, reasoning and its records masked.

    A secret may be cut anywhere between pieces of the same kind: what may be the beginning of one
    is held back until what follows tells. A signed record that is changed is refused when it is
    sent back, and left out then. Arguments of calls stay as they are, since a masked file or
    command would be another one than was meant.
    """
    held = ""
    kind: type[TextPiece] | type[ReasoningPiece] = TextPiece
    for piece in pieces:
        if isinstance(piece, TextPiece | ReasoningPiece):
            if held and type(piece) is not kind:
                yield kind(held)
                held = ""
            kind = type(piece)
            text = REDACTOR.redact_known(held + piece.text)
            ready = len(text) - REDACTOR.part_of_secret(text)
            held = text[ready:]
            if ready:
                yield kind(text[:ready])
            continue
        if held and isinstance(piece, CallPiece):
            yield kind(held)
            held = ""
        if isinstance(piece, ReasoningRecord):
            yield piece._replace(record=masked_data(piece.record))
        else:
            yield piece
    if held:
        yield kind(held)


def masked_data(data: Any) -> Any:
    """Return JSON-ready ``data`` with every known secret in its texts masked."""
    if isinstance(data, str):
        return REDACTOR.redact_known(data)
    if isinstance(data, dict):
        return {name: masked_data(value) for name, value in data.items()}
    return [masked_data(value) for value in data] if isinstance(data, list) else data
