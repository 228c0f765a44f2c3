"""The wire formats by their names: what the rooms above use of a wire."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

from hermes_core.ground.messages import Message
from hermes_core.ground.reasoning import Reasoning
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
    """One wire format. reasoning: how it tells a model to think, where no endpoint differs."""

    to_request: ToRequest
    parse: Parse
    reasoning: Reasoning


_FORMATS: Final[dict[ApiMode, Format]] = {
    "chat_completions": Format(
        chat_completions.to_request, chat_completions.parse, chat_completions.REASONING
    ),
    "codex_responses": Format(
        codex_responses.to_request, codex_responses.parse, codex_responses.REASONING
    ),
    "anthropic_messages": Format(
        anthropic_messages.to_request, anthropic_messages.parse, anthropic_messages.REASONING
    ),
}


def format_for(api_mode: ApiMode) -> Format:
    """Return the format of that name."""
    return _FORMATS[api_mode]


def efforts_of(runtime: Runtime) -> tuple[str, ...]:
    """Return how much the model can be told to think, least first; ``none`` where it can stop.

    Empty where nothing is known to be taken; what the user set counts as known.
    """
    told = runtime.compat.reasoning
    if told is None and runtime.reasoning_effort is not None:
        told = format_for(runtime.api_mode).reasoning
    if told is None or not told.on:
        return ()
    return (*(("none",) if told.off else ()), *(word for word, _ in told.efforts))
