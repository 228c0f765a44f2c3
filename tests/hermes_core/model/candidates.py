"""Candidates to build chains of, and the functions that the tests of chains share."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from hermes_core.ground.errors import ConfigError, NoCredentials, ProviderError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, user_message
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.model.chain import Access
from hermes_core.model.respond import Model
from hermes_core.providers.credentials import Credential
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider
from tests.hermes_core.model.conftest import Shown

HI = user_message("hi")
NOW = {"retry_after": "0"}

Providers = list[FakeProvider]
Make = Callable[..., Model]


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Broken:
    """A candidate that cannot be used."""

    error: ConfigError
    name: str = "some-model through broken"

    def access(self, spent: Collection[str] = ()) -> Access:
        raise self.error


class Pool:
    """A candidate with stored credentials, and what is done about them."""

    def __init__(self, runtime: Runtime, *tokens: str, kind: Any = "api_key") -> None:
        self.name = "pool"
        self.renewed: str | None = None
        self.refreshes: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self._runtime = runtime
        self._kind = kind
        self.tokens = list(tokens)
        self.expires: float | None = None
        self.troubles: list[ProviderError] = []

    def access(self, spent: Collection[str] = ()) -> Access:
        left = [(f"pool#{i}", token) for i, token in enumerate(self.tokens)]
        left = [pair for pair in left if pair[0] not in spent]
        if not left:
            raise NoCredentials("No key is left. Add one.")
        name, token = left[0]
        credential = Credential("pool", self._kind, Secret(token), "here", name, self.expires)
        runtime = replace(self._runtime, api_key=Secret(token), credential=name)
        return Access(runtime, credential, another=len(left) > 1)

    def refresh(self, credential: Credential, interrupt: Interrupt) -> bool:
        self.refreshes.append(credential.id)
        if self.troubles:
            raise self.troubles.pop(0)
        if self.renewed is None:
            return False
        self.tokens[int(credential.id.partition("#")[2])] = self.renewed
        self.expires = None
        return True

    def failed(self, credential: Credential, error: ProviderError) -> None:
        self.refused.append((credential.id, type(error).__name__))


def at(provider: FakeProvider, number: int = 0, **more: Any) -> Runtime:
    base_url = provider.base_url
    return Runtime(
        provider=f"p{number}",
        model=f"m{number}",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(canary(f"p{number}")),
        hosts=frozenset({base_url.split("/")[2]}),
        **more,
    )


def ask(model: Model, shown: Shown, *messages: Message) -> Message:
    model.begin_turn(shown)
    return model.respond(messages or (HI,), [], shown, Interrupt())
