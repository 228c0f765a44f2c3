"""An assistant message in the order in which it was told."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hermes_core.ground.messages import Message, ToolCall, text_of


class Span(NamedTuple):
    """What stood between two records: text, then calls; ``record`` follows them, if any does."""

    text: str
    calls: list[ToolCall]
    record: Any


def spans_of(message: Message, *, records: bool) -> Iterator[Span]:
    """Yield the parts of an assistant message; the last has no record.

    records: whether the provider's own records of its reasoning are wanted among them.
    """
    text = text_of(message)
    calls = message.get("tool_calls", [])
    details = message.get("reasoning_details", []) if records else []
    places = message.get("reasoning_places", [])
    if len(places) != len(details):
        places = [[0, 0]] * len(details)
    said = called = 0
    for record, place in zip(details, places, strict=True):
        characters, count = place
        yield Span(text[said:characters], calls[called:count], record)
        said, called = max(said, characters), max(called, count)
    yield Span(text[said:], calls[called:], None)
