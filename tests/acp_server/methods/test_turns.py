"""What a turn's end is answered with."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_server.capabilities import ClientCapabilities
from acp_server.methods import turns
from acp_server.methods.connection import Connection, Options
from acp_server.rpc.errors import AUTH_REQUIRED, INTERNAL_ERROR, INVALID_PARAMS, RpcError
from acp_server.rpc.server import AcpServer
from acp_server.session import AcpSession
from acp_server.slash import Commands
from hermes_core.agent.steering import Steering
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import NoCredentials, RateLimited, StoreError
from hermes_core.ground.events import Event, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.sessions.queue import Queue
from hermes_core.sessions.store import SessionRow, Store

PROMPT = [{"type": "text", "text": "hi"}]


class Screen:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def begin(self, interrupt: Interrupt) -> None: ...

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def send(self, update: dict[str, Any]) -> None: ...

    def tell(self, update: dict[str, Any]) -> None: ...

    def announce(self, event: Event) -> None: ...

    @contextmanager
    def aside(self, interrupt: Interrupt) -> Iterator[None]:
        yield

    def end(self) -> None: ...


class Agent:
    mode: Mode = "default"
    tool_names = ("read_file",)
    questions = None

    def __init__(
        self, store: Store, screen: Screen, answer: Callable[[Interrupt], Mapping[str, Any]]
    ) -> None:
        store.create_session(SessionRow("s1", "/w"))
        self.queue = Queue(store, "s1")
        self.steering = Steering(lambda: self.queue, screen)
        self._answer = answer
        self.prompts: list[str] = []
        self.configured = 0
        self.told: list[tuple[str, str]] = []
        self.full = False

    def run_conversation(
        self, user_message: str, *, interrupt: Interrupt, queued: int | None = None
    ) -> Mapping[str, Any]:
        self.prompts.append(user_message)
        if queued is not None:
            assert self.queue.drop([queued]) == 1
        return self._answer(interrupt)

    def configure(self, config: Config) -> None:
        self.configured += 1

    @property
    def runtime(self) -> Runtime:
        raise NoCredentials("no key")

    def choose_model(self, provider: str | None = None, model: str | None = None) -> Runtime:
        raise NoCredentials("no key")

    def resume_cost(self, amount: float | None) -> None: ...

    def tell(self, prompt: str, answer: str) -> None:
        if self.full:
            raise StoreError("disk full")
        self.told.append((prompt, answer))


class Settings:
    """Options that nobody changes."""

    def listed(self) -> list[dict[str, Any]]:
        return []

    def choose(self, option: str, value: object) -> None: ...

    def changes(self) -> list[dict[str, Any]]:
        return []

    def tell_changes(self) -> None: ...


def ends(stop_reason: str, exception: Exception | None = None) -> Mapping[str, Any]:
    return {"stop_reason": stop_reason, "exception": exception}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    environ = {"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)}
    connection = Connection(AcpServer(), Options(environ=environ))
    yield connection
    connection.store().close()


@pytest.fixture
def screen() -> Screen:
    return Screen()


def having(
    connection: Connection, screen: Screen, answer: Callable[[Interrupt], Mapping[str, Any]]
) -> Agent:
    """Open a session whose agent answers so."""
    session = AcpSession("s1", Path("/w"), screen)
    session.agent = agent = Agent(connection.store(), screen, answer)
    session.options = Settings()
    session.commands = Commands(lambda: Path("/nowhere"), lambda _: None)
    connection.sessions["s1"] = session
    return agent


async def prompt(connection: Connection, blocks: Any = PROMPT) -> dict[str, Any]:
    """Prompt as a client does: nothing more is asked before the answer is out."""
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    try:
        return await turns.prompt(connection, {"sessionId": "s1", "prompt": blocks})
    finally:
        await asyncio.sleep(0)


async def test_the_reason_is_the_agents(connection: Connection, screen: Screen) -> None:
    agent = having(connection, screen, lambda _: ends("max_tokens"))
    assert await prompt(connection) == {"stopReason": "max_tokens"}
    assert agent.prompts == ["hi"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RateLimited("wait"), INTERNAL_ERROR),
        (NoCredentials("no key"), AUTH_REQUIRED),
        (StoreError("disk full"), INTERNAL_ERROR),
    ],
)
async def test_a_failure_that_the_agent_told_is_an_error(
    connection: Connection, screen: Screen, error: Exception, code: int
) -> None:
    having(connection, screen, lambda _: ends("error", error))
    with pytest.raises(RpcError) as failed:
        await prompt(connection)
    assert failed.value.code == code
    assert failed.value.data["kind"] == type(error).__name__
    assert screen.events == []


async def test_an_unforeseen_failure_is_told_here(connection: Connection, screen: Screen) -> None:
    def crash(_: Interrupt) -> Mapping[str, Any]:
        raise ValueError("secret internals")

    having(connection, screen, crash)
    with pytest.raises(RpcError) as failed:
        await prompt(connection)
    assert failed.value.code == INTERNAL_ERROR
    (event,) = screen.events
    assert isinstance(event, StatusChanged)
    assert event.level == "error"
    assert "secret internals" not in event.text


@pytest.mark.parametrize("name", ["toad", "Toad"])
async def test_some_clients_get_an_end_in_the_place_of_an_error(
    connection: Connection, screen: Screen, name: str
) -> None:
    connection.capabilities = ClientCapabilities(client_name=name)
    having(connection, screen, lambda _: ends("error", RateLimited("wait")))
    assert await prompt(connection) == {"stopReason": "end_turn"}


async def test_new_settings_are_read_after_a_failure_of_the_settings(
    connection: Connection, screen: Screen
) -> None:
    outcomes = [ends("error", NoCredentials("no key")), ends("end_turn"), ends("end_turn")]
    agent = having(connection, screen, lambda _: outcomes.pop(0))
    with pytest.raises(RpcError):
        await prompt(connection)
    assert agent.configured == 0
    await prompt(connection)
    assert agent.configured == 1
    await prompt(connection)
    assert agent.configured == 1


async def test_an_empty_prompt_begins_no_turn(connection: Connection, screen: Screen) -> None:
    having(connection, screen, lambda _: ends("end_turn"))
    with pytest.raises(RpcError) as refused:
        await prompt(connection, [])
    assert refused.value.code == INVALID_PARAMS
    assert not connection.sessions["s1"].busy


async def test_a_cancel_of_the_session_ends_the_turn(
    connection: Connection, screen: Screen
) -> None:
    having(connection, screen, lambda interrupt: (interrupt.wait(60), ends("end_turn"))[1])
    running = asyncio.ensure_future(prompt(connection))
    await asyncio.sleep(0)
    await turns.cancel(connection, {"sessionId": "s1"})
    await turns.cancel(connection, {"sessionId": "nobody"})
    assert await running == {"stopReason": "cancelled"}


async def test_a_cancel_of_the_request_ends_the_turn(
    connection: Connection, screen: Screen
) -> None:
    having(connection, screen, lambda interrupt: (interrupt.wait(60), ends("end_turn"))[1])
    running = asyncio.ensure_future(prompt(connection))
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    assert await running == {"stopReason": "cancelled"}


async def test_what_is_odd_about_the_settings_is_told_once(
    connection: Connection, screen: Screen, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text("modle: {}\n", encoding="utf-8")
    connection.config()
    connection.config()
    having(connection, screen, lambda _: ends("end_turn"))
    await prompt(connection)
    await prompt(connection)
    (event,) = screen.events
    assert isinstance(event, StatusChanged)
    assert event.level == "warning"
    assert "modle" in event.text


async def test_a_command_whose_answer_cannot_be_kept_is_an_error(
    connection: Connection, screen: Screen
) -> None:
    agent = having(connection, screen, lambda _: ends("end_turn"))
    await prompt(connection, [{"type": "text", "text": " /mode "}])
    assert [typed for typed, _ in agent.told] == ["/mode"]
    agent.full = True
    with pytest.raises(RpcError):
        await prompt(connection, [{"type": "text", "text": "/mode"}])
    assert screen.events == [StatusChanged("error", "disk full")]
