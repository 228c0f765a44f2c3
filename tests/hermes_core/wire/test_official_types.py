"""Requests and recorded answers against the types that the official SDKs publish."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest
from anthropic.types import RawMessageStreamEvent
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from hermes_core.wire.sse import END, decode
from tests.golden.cases import CONVERSATIONS, Case

REQUESTS: Final[dict[str, TypeAdapter[Any]]] = {
    "chat_completions": TypeAdapter(CompletionCreateParamsStreaming),
    "codex_responses": TypeAdapter(ResponseCreateParamsStreaming),
    "anthropic_messages": TypeAdapter(MessageCreateParamsStreaming),
}
EVENTS: Final[dict[str, TypeAdapter[Any]]] = {
    "chat_completions": TypeAdapter(ChatCompletionChunk),
    "anthropic_messages": TypeAdapter(RawMessageStreamEvent),
}
OURS: Final = {
    "chat_completions": {"cache_control", "reasoning_content", "reasoning_details"},
    "codex_responses": set[str](),
    "anthropic_messages": set[str](),
}
"""Keys that compatible servers add to the format."""

AS_IT_STANDS: Final = [
    name
    for name in CONVERSATIONS
    if not {"reasoning", "extra_body", "temperature"}
    & set(Case("chat_completions", name).settings.get("compat", {}))
]


@pytest.mark.parametrize("mode", REQUESTS)
@pytest.mark.parametrize("name", AS_IT_STANDS)
def test_a_request_is_of_the_official_type(mode: Any, name: str) -> None:
    request = Case(mode, name).load("request.json")
    for item in request.get("input", []):
        if item.get("type") == "reasoning":
            # the type has an id, for items that the server keeps: with ``store`` off it has none
            item["id"] = "rs_1"
    read = REQUESTS[mode].validate_python(request)
    assert set(_unknown(request, json.loads(json.dumps(read, default=list)))) <= OURS[mode]


@pytest.mark.parametrize("mode", EVENTS)
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_recorded_event_is_of_the_official_type(mode: Any, name: str) -> None:
    for event in decode([Case(mode, name).stream]):
        if event is not END and event.get("type") != "ping":
            EVENTS[mode].validate_python(event)


def _unknown(sent: Any, read: Any) -> Iterator[str]:
    """Yield the keys in ``sent`` that the type does not know."""
    if isinstance(sent, dict):
        for key in sent:
            if isinstance(read, dict) and key in read:
                yield from _unknown(sent[key], read[key])
            else:
                yield key
    elif isinstance(sent, list) and isinstance(read, Iterable):
        for item, known in zip(sent, read, strict=True):
            yield from _unknown(item, known)
