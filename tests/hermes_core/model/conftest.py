"""Shared parts of the model's tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.events import Event, ReasoningDelta, StatusChanged, TextDelta
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, user_message
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.model.chain import Candidate, Resolved
from hermes_core.model.respond import Model
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider


class Shown:
    """An ``Emit`` that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def text(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, ReasoningDelta))

    @property
    def statuses(self) -> list[str]:
        return [e.text for e in self.events if isinstance(e, StatusChanged)]


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(owners=["custom"]) as provider:
        yield provider


@pytest.fixture
def shown() -> Shown:
    return Shown()


def runtime_at(base_url: str, **more: Any) -> Runtime:
    return Runtime(
        provider="custom",
        model="some/model",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(canary("custom")),
        hosts=frozenset({base_url.split("/")[2]}),
        **more,
    )


MakeModel = Callable[..., Model]


@pytest.fixture
def make_model(provider: FakeProvider) -> MakeModel:
    """Return a function that makes a model of the fake provider; settings go to the config."""

    def make(runtime: Runtime | None = None, **settings: Any) -> Model:
        config = Config(home=Path("/nonexistent"), **settings)
        return Model(runtime or runtime_at(provider.base_url), config, chance=lambda: 0.0)

    return make


Respond = Callable[..., Message]


@pytest.fixture
def respond(make_model: MakeModel, shown: Shown) -> Respond:
    """Return a function that asks a model one question."""
    model = make_model()

    def ask(*messages: Message, interrupt: Interrupt | None = None, **more: Any) -> Message:
        asked = messages or (user_message("hi"),)
        return more.get("model", model).respond(asked, [], shown, interrupt or Interrupt())

    return ask


@pytest.fixture
def providers() -> Iterator[list[FakeProvider]]:
    with ExitStack() as stack:
        yield [stack.enter_context(FakeProvider(owners=[f"p{i}"])) for i in range(3)]


@pytest.fixture
def clock() -> Any:
    from tests.hermes_core.model.candidates import Clock

    return Clock()


@pytest.fixture
def make(providers: list[FakeProvider], clock: Any) -> Callable[..., Model]:
    """Return a function that makes a model of these candidates, or of all three providers."""
    from tests.hermes_core.model.candidates import at

    def model(*candidates: Candidate, logins: Any = None, retries: int = 0) -> Model:
        chain = candidates or [Resolved(at(one, i)) for i, one in enumerate(providers)]
        config = Config(home=Path("/nonexistent"), api_max_retries=retries)
        return Model(list(chain), config, logins=logins, chance=lambda: 0.0, clock=clock)

    return model
