"""Shared parts of the transport's tests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.network import Network
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider

KEY = canary("custom")


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(owners=["custom"]) as provider:
        yield provider


@pytest.fixture
def runtime(provider: FakeProvider) -> Runtime:
    return runtime_at(provider.base_url)


def runtime_at(base_url: str, *hosts: str, **more: Any) -> Runtime:
    REDACTOR.register(Secret(KEY))  # as whoever reads a key does
    return Runtime(
        provider="custom",
        model="some/model",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(KEY),
        hosts=frozenset(hosts or {base_url.split("/")[2]}),
        **more,
    )


CARRIERS = ("chat", "responses", "messages", "bedrock")

_MODES: dict[str, ApiMode] = {
    "chat": "chat_completions",
    "responses": "codex_responses",
    "messages": "anthropic_messages",
    "bedrock": "anthropic_messages",
}

LAST_EVENTS: dict[ApiMode, bytes] = {
    "chat_completions": b"data: [DONE]\n\n",
    "codex_responses": b'data: {"type": "response.completed", "response": {}}\n\n',
    "anthropic_messages": b'data: {"type": "message_stop"}\n\n',
}


def carried_at(base_url: str, carrier: str, *hosts: str, **more: Any) -> Runtime:
    """Return a runtime whose calls go over the carrier of that name."""
    if carrier == "bedrock":
        more.setdefault("options", (("region", "eu-west-1"),))
    return replace(runtime_at(base_url, *hosts, **more), api_mode=_MODES[carrier])


def texts_of(chunk: dict[str, Any]) -> list[str]:
    """Return the pieces of the answer's text in a chunk of any format."""
    if chunk.get("type") == "response.output_text.delta":
        return [chunk["delta"]]
    if chunk.get("type") == "content_block_delta":
        return [chunk["delta"]["text"]] if "text" in chunk["delta"] else []
    return [c["delta"]["content"] for c in chunk.get("choices", []) if c["delta"].get("content")]


Ask = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def ask(runtime: Runtime) -> Ask:
    """Return a function that sends a request and returns all chunks of its answer."""

    def send(
        interrupt: Interrupt | None = None, network: Network | None = None, **request: Any
    ) -> list[dict[str, Any]]:
        body = {"model": "m", "messages": [], **request}
        with open_stream(
            runtime, body, interrupt=interrupt or Interrupt(), network=network
        ) as stream:
            return list(stream)

    return send
