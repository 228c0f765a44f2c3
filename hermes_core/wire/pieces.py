"""What a model's streamed answer is made of, whatever the wire format.

Tuples, because one is made for every chunk of every answer.
"""

from typing import Any, NamedTuple

from hermes_core.ground.usage import Usage


class TextPiece(NamedTuple):
    """A piece of the answer."""

    text: str


class ReasoningPiece(NamedTuple):
    """A piece of the visible reasoning."""

    text: str


class ReasoningRecord(NamedTuple):
    """One opaque record of a provider's reasoning, as it arrived.

    placed: whether its place among text and calls matters.
    """

    record: Any
    placed: bool = False


class CallPiece(NamedTuple):
    """A fragment of a tool call; empty strings where this fragment says nothing.

    slot: the provider's number of the call. Providers repeat it for different calls; ``Fold``
        tells them apart.
    arguments: text to append to the call's JSON.
    extra: what the provider wants back with the call, opaque.
    """

    slot: int
    call_id: str
    name: str
    arguments: str
    extra: Any = None


class FinishPiece(NamedTuple):
    """Why the answer ended, in the provider's word."""

    reason: str


class UsagePiece(NamedTuple):
    """Tokens of this call so far; a later piece replaces an earlier one."""

    usage: Usage


Piece = TextPiece | ReasoningPiece | ReasoningRecord | CallPiece | FinishPiece | UsagePiece
