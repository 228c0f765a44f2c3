"""Stand-ins for the rooms around the loop, with what a test wants to know of them."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hermes_core import AIAgent
from hermes_core.agent.consent import Consent
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.toolbox import Toolbox
from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import Emit, Event
from hermes_core.ground.events_json import from_json
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, ToolCall
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.local.files import LocalFiles
from hermes_core.local.workspace import Workspace
from hermes_core.sessions.store import Store
from hermes_core.tools.registry import ToolContext, ToolSpec
from hermes_core.tools.seen import Seen
from tests.fakes.provider import FakeProvider

MakeAgent = Callable[..., AIAgent]
"""Takes the keyword arguments of ``AIAgent``."""

HOME = Path("/nonexistent/hermes-home")

WATCHDOG = 30.0
"""Seconds after which a test that hangs is given up."""


def tool_call(call_id: str, name: str, arguments: Any = None) -> ToolCall:
    """Return a call; ``arguments`` is a raw text, or what its JSON text says."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def says(text: str, finish_reason: str = "stop") -> Message:
    return {"role": "assistant", "content": text, "finish_reason": finish_reason}


def calls(*wanted: ToolCall, text: str = "", finish_reason: str = "tool_calls") -> Message:
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": list(wanted),
        "finish_reason": finish_reason,
    }


class MemoryStore:
    """Keeps one session's rows in memory; each entry of ``commits`` is one transaction."""

    def __init__(self) -> None:
        self.rows: list[Message] = []
        self.log: list[dict[str, Any]] = []
        self.commits: list[tuple[list[Message], list[dict[str, Any]]]] = []
        self.broken = False

    def append(
        self, _session_id: str, messages: Sequence[Message], shown: Sequence[dict[str, Any]]
    ) -> None:
        if self.broken:
            raise StoreError("The disk is full. Make room and try again.")
        self.rows.extend(messages)
        self.log.extend(shown)
        self.commits.append((list(messages), list(shown)))


class Screen:
    """An ``Emit`` that keeps what it gets; ``answer`` resolves questions."""

    def __init__(self, answer: Callable[[Any], None] | None = None) -> None:
        self.events: list[Event] = []
        self.arrived = threading.Condition()
        self._answer = answer

    def __call__(self, event: Event) -> None:
        with self.arrived:
            self.events.append(event)
            self.arrived.notify_all()
        if type(event).__name__ == "ApprovalRequested" and self._answer:
            self._answer(event)

    def answers(self, answer: Callable[[Any], None]) -> None:
        """Have questions resolved by ``answer`` from now on."""
        self._answer = answer

    def of(self, *kinds: type) -> list[Any]:
        """Return the events of these classes, in order."""
        with self.arrived:
            return [event for event in self.events if isinstance(event, kinds)]

    def wait_for(self, kind: type, count: int = 1) -> Any:
        """Wait until ``count`` events of a class have come; return the last of them."""
        with self.arrived:
            assert self.arrived.wait_for(
                lambda: sum(isinstance(e, kind) for e in self.events) >= count, WATCHDOG
            )
        return self.of(kind)[count - 1]


Turnout = Message | Exception | Callable[..., Message]


class ScriptedModel:
    """Answers with ``script``, one entry a call; keeps the requests that it got."""

    def __init__(self, *script: Turnout) -> None:
        self.script = list(script)
        self.requests: list[list[Message]] = []
        self.schemas: list[list[dict[str, Any]]] = []
        self.longer: list[int] = []
        self.usage = Usage()
        self.calls = 0

    def respond(
        self,
        messages: Sequence[Message],
        schemas: Sequence[dict[str, Any]],
        emit: Emit,
        interrupt: Interrupt,
        *,
        longer: int = 1,
    ) -> Message:
        interrupt.raise_if_set()
        self.longer.append(longer)
        assert_alternating(messages)
        self.requests.append(list(messages))
        self.schemas.append(list(schemas))
        self.calls += 1
        self.usage = self.usage + Usage(10, 5)
        entry = self.script.pop(0)
        if isinstance(entry, Exception):
            raise entry
        return entry(emit, interrupt) if callable(entry) else entry


def assert_alternating(messages: Sequence[Message]) -> None:
    """Hold a request against the providers' rule, told apart from the code under test."""
    roles = [message["role"] for message in messages]
    assert roles[0] == "system"
    assert "system" not in roles[1:]
    assert roles[1] == "user"
    assert roles[-1] in ("user", "tool")
    index = 1
    while index < len(messages):
        assert roles[index] == "user"
        index += 1
        while index < len(messages):
            assert roles[index] == "assistant", roles
            wanted = [call["id"] for call in messages[index].get("tool_calls", [])]
            index += 1
            got = [m["tool_call_id"] for m in messages[index : index + len(wanted)]]
            assert sorted(got) == sorted(wanted)
            index += len(wanted)
            if not wanted:
                break


class Stage:
    """A conversation with a memory store and a screen, and a toolbox of the given tools."""

    def __init__(
        self,
        cwd: Path,
        *specs: ToolSpec,
        answer: Callable[[Any], None] | None = None,
        mode: Mode = "default",
        can_ask: bool = True,
        timeout: float | None = None,
        history: Sequence[Message] = (),
    ) -> None:
        self.store = MemoryStore()
        self.store.rows.extend(history)
        self.screen = Screen(answer)
        self.interrupt = Interrupt()
        self.rules = Rules()
        self.mode: Mode = mode
        self.conversation = self.load()
        workspace = Workspace(cwd)
        judge = Judge(workspace, self.rules, HOME)
        consent = Consent(lambda: self.mode, judge, can_ask=can_ask, timeout=lambda: timeout)
        context = ToolContext(
            workspace=workspace,
            files=LocalFiles(),
            config=Config(home=HOME),
            interrupt=self.interrupt,
            seen=Seen(),
            task_id="task",
            home=HOME,
            is_secret=judge.is_secret,
        )
        self.tools = Toolbox({spec.name: spec for spec in specs}, context, consent)

    def load(self) -> Conversation:
        """Return the conversation as the store has it now."""
        store: Any = self.store
        return Conversation(
            store,
            "session",
            self.screen,
            self.store.rows,
        )


def assert_requests_alternate(provider: FakeProvider) -> None:
    """Hold every request that the provider got against its rule."""
    assert provider.requests
    for request in provider.requests:
        messages: list[Any] = request.messages
        assert_alternating(messages)


def events_of(store: Store, agent: AIAgent) -> list[Any]:
    """Return what the display log of the agent's session holds."""
    return [from_json(row) for row in store.shown(agent.session_id)]
