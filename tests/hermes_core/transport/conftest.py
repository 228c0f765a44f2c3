"""Shared parts of the transport's tests."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.network import Network
from tests.fakes.provider import FakeProvider

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        yield provider


@pytest.fixture
def runtime(provider: FakeProvider) -> Runtime:
    return runtime_at(provider.base_url)


def runtime_at(base_url: str, *hosts: str, **more: Any) -> Runtime:
    return Runtime(
        provider="custom",
        model="some/model",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(KEY),
        hosts=frozenset(hosts or {base_url.split("/")[2]}),
        **more,
    )


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
