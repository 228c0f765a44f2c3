"""The wire formats by their names: what the rooms above use of a wire."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.wire import anthropic_messages, chat_completions, codex_responses
from hermes_core.wire.pieces import Piece


class ToRequest(Protocol):
    """Makes the body of a streaming request. ``stale``: messages whose reasoning is left out."""

    def __call__(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        runtime: Runtime,
        *,
        stale: int = 0,
    ) -> dict[str, Any]: ...


class Parse(Protocol):
    """Yields the pieces of an answer as its chunks arrive."""

    def __call__(self, chunks: Iterable[dict[str, Any]]) -> Iterator[Piece]: ...


class Format(NamedTuple):
    """One wire format."""

    to_request: ToRequest
    parse: Parse


_FORMATS: Final[dict[ApiMode, Format]] = {
    "chat_completions": Format(chat_completions.to_request, chat_completions.parse),
    "codex_responses": Format(codex_responses.to_request, codex_responses.parse),
    "anthropic_messages": Format(anthropic_messages.to_request, anthropic_messages.parse),
}


def format_for(api_mode: ApiMode) -> Format:
    """Return the format of that name."""
    return _FORMATS[api_mode]
