"""A conversation of 300 steps through all that can befall one; nothing of it is lost.

What the provider counted is what the store says was used; each request was in order, and so is
the history at the end, in each of the three formats.
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.steering import BEGINNING
from hermes_core.ground.messages import text_of
from hermes_core.sessions.lineage import generations, messages_of
from hermes_core.sessions.store import FILE_NAME, Store
from hermes_core.sessions.usage import usage_of
from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, Session
from tests.e2e.marathon import Marathon
from tests.e2e.stage import KEY, Stage
from tests.e2e.waiting import thoughts, waiting
from tests.fakes.canaries import canary
from tests.fakes.provider import Call, FakeProvider, Reply, Text, Wait, calls, fail, say
from tests.hermes_core.agent.compression.test_wires import (
    body,
    chat_is_in_order,
    items_are_in_order,
    turns_are_in_order,
)

WINDOW = 32_000
READ_PRICE, WRITTEN_PRICE = 2.0, 8.0
FILES = 8


class Walk:
    """The person's side: what was typed, what is to be found again at the end."""

    def __init__(self, stage: Stage, marathon: Marathon, cwd: Path) -> None:
        self.stage = stage
        self.marathon = marathon
        self.cwd = cwd
        self.typed: list[str] = []
        self.answers: list[str] = []
        self.calls: list[str] = []
        self._number = 0

    def part(self, *replies: Reply, answer: bool = True) -> str:
        """Write the part of a new prompt; return the prompt."""
        number = f"p{self._number:03}"
        self._number += 1
        last = [say(f"This answers {number}.")] if answer else []
        self.answers += [f"This answers {number}."] if answer else []
        self.marathon.parts[number] = [*replies, *last]
        self.calls += [
            step.id for one in replies for step in one.steps if isinstance(step, Call) and step.id
        ]
        self.typed.append(f"Now {number}. " + "Look at it well. " * 20)
        return self.typed[-1]

    def reads(self, steps: int) -> list[Reply]:
        """Return answers that each read two files, under ids that no other has."""
        return [
            calls(*(self.call("read_file", path=f"f{(n + k) % FILES}.txt") for k in range(2)))
            for n in range(steps)
        ]

    def call(self, name: str, **arguments: Any) -> Call:
        """Return a call with an id of its own."""
        self._number += 1
        return Call(name, arguments, id=f"id-{self._number}")


class Life:
    """One run of the program with the session open in it."""

    def __init__(self, client: AcpClient, session: Session, walk: Walk) -> None:
        self.client = client
        self.session = session
        self.walk = walk
        client.editor.decide = lambda _: ALLOW

    async def prompt(self, *replies: Reply) -> None:
        assert await self.session.prompt(self.walk.part(*replies)) == "end_turn"

    async def hold(self, *more: Reply, answer: bool = True) -> "tuple[threading.Event, Any]":
        """Begin a turn whose first answer stops in its middle."""
        gate = threading.Event()
        mark = f"mark {len(self.walk.typed)}."
        first = Reply([Text(mark), Wait(gate), self.walk.call("read_file", path="f0.txt")])
        answered = self.session.begin(self.walk.part(first, *more, answer=answer))
        await self.session.wait_for_text(mark)
        return gate, answered

    async def falls_back(self) -> None:
        await self.prompt(fail(500, "oops"), *self.walk.reads(4))
        assert "Going on with spare-model" in thoughts(self.session)

    async def overflows(self) -> None:
        await self.prompt(
            *self.walk.reads(3), fail(400, f"maximum context length is {WINDOW} tokens")
        )

    async def delegates(self) -> None:
        number = f"c{len(self.walk.typed):03}"
        tasks = [{"task": f"Do {number}{word}."} for word in "ab"]
        for word in "ab":
            self.walk.marathon.parts[number + word] = [
                calls(Call("read_file", {"path": "f1.txt"}, id="r")),
                say(f"{number}{word} is done."),
            ]
        await self.prompt(calls(self.walk.call("delegate_task", tasks=tasks)))

    async def steers(self) -> None:
        gate, answered = await self.hold(*self.walk.reads(2))
        self.walk.typed.append(f"turn left at {len(self.walk.typed)}")
        assert await self.session.prompt(f"/steer {self.walk.typed[-1]}") == "end_turn"
        gate.set()
        assert (await answered)["stopReason"] == "end_turn"

    async def queues(self) -> None:
        gate, answered = await self.hold()
        behind = [self.session.begin(self.walk.part(*self.walk.reads(2))) for _ in range(2)]
        await self.client.wait_for(lambda: "Queued as number 2:" in thoughts(self.session))
        gate.set()
        ends = await asyncio.gather(answered, *behind)
        assert [end["stopReason"] for end in ends] == ["end_turn"] * 3

    async def cancels(self) -> None:
        _, answered = await self.hold(answer=False)
        self.walk.calls.pop()
        self.session.cancel()
        assert (await answered)["stopReason"] == "cancelled"

    async def goes_back(self) -> None:
        path = self.walk.cwd / f"made-{len(self.walk.typed)}.txt"
        await self.prompt(calls(self.walk.call("write_file", path=path.name, content="made\n")))
        for command, stands in (("/undo", False), ("/redo", True), ("/undo", False)):
            assert path.exists() is not stands
            assert await self.session.prompt(command) == "end_turn"
        assert not path.exists()

    async def lives(self) -> None:
        """Go through everything once."""
        await self.prompt(*self.walk.reads(12))
        await self.prompt()
        await self.falls_back()
        await self.steers()
        await self.goes_back()
        await self.delegates()
        await self.prompt(*self.walk.reads(11))
        await self.cancels()
        await self.queues()
        await self.overflows()
        await self.prompt(*self.walk.reads(11))

    # How it ends

    async def is_stopped(self) -> None:
        """Let the program end as it does when an editor closes it."""

    async def is_killed_while_answering(self) -> None:
        _, answered = await self.hold(answer=False)
        self.walk.calls.pop()
        await self._kill(answered)

    async def is_killed_with_a_queue(self) -> None:
        _, answered = await self.hold(answer=False)
        self.walk.calls.pop()
        behind = self.session.begin(self.walk.part(*self.walk.reads(1)))
        while not waiting(self.walk.stage, self.session.id):
            await asyncio.sleep(0.01)
        await self._kill(answered, behind)

    async def is_killed_while_summarising(self) -> None:
        never = Reply([Text("## Goal"), Wait(threading.Event())])
        self.walk.marathon.summarises.insert(0, never)
        before = len(self.walk.marathon.given)
        answered = self.session.begin("/compress")

        def asked() -> bool:
            return any(one.task == "compression" for one in self.walk.marathon.given[before:])

        while not asked():
            await asyncio.sleep(0.01)
        await self._kill(answered)

    async def _kill(self, *answers: Any) -> None:
        for answer in answers:
            answer.add_done_callback(lambda one: one.exception())
        await self.client.kill()


ENDS = (
    Life.is_killed_while_answering,
    Life.is_stopped,
    Life.is_killed_with_a_queue,
    Life.is_killed_while_summarising,
    Life.is_stopped,
)


@pytest.fixture
def walk(stage: Stage) -> Iterator[Walk]:
    marathon = Marathon(chat_is_in_order)
    files = {f"f{n}__txt": f"file {n} {'word ' * 900}\n" for n in range(FILES)}
    with FakeProvider(marathon, owners=["spare"]) as spare:
        stage.provider.handler = marathon
        walk = Walk(stage, marathon, stage.workspace(**files))
        configure(stage, spare)
        yield walk


def configure(stage: Stage, spare: FakeProvider | None = None, **model: Any) -> None:
    chosen = {
        "provider": "custom",
        "default": "test-model",
        "base_url": stage.provider.base_url,
        "api_key": KEY,
        "context_length": WINDOW,
        "input_price": READ_PRICE,
        "output_price": WRITTEN_PRICE,
        **model,
    }
    more: dict[str, Any] = {}
    if spare is not None:
        entry = {"base_url": spare.base_url, "api_key": canary("spare")}
        more["providers"] = {"spare": entry}
        more["fallback_providers"] = [{"provider": "custom:spare", "model": "spare-model"}]
    stage.configure(model=chosen, agent={"api_max_retries": 0}, **more)


async def test_nothing_is_lost_in_three_hundred_steps(
    stage: Stage, walk: Walk, running: Callable[..., Any]
) -> None:
    session_id = ""
    for end in ENDS:
        async with running(stage) as client:
            if session_id:
                session = await client.load_session(session_id, walk.cwd)
            else:
                session = await client.new_session(walk.cwd)
                session_id = session.id
            mode = {"sessionId": session_id, "modeId": "accept_edits"}
            await client.request("session/set_mode", mode)
            life = Life(client, session, walk)
            if waiting(stage, session_id):
                await client.wait_for(lambda shown=session: "/queue run" in thoughts(shown))
                assert await session.prompt("/queue run") == "end_turn"
            await life.lives()
            await end(life)
    store = Store(stage.home / FILE_NAME)
    try:
        chats = [one for one in walk.marathon.delivered if not one.task]
        assert len(chats) >= 300
        assert walk.marathon.wrong == []
        assert waiting(stage, session_id) == []
        everything_is_there(store, session_id, walk)
        what_was_used_adds_up(store, session_id, walk.marathon)
        history = store.messages(session_id)
    finally:
        store.close()
    asked = [*history, {"role": "user", "content": "And now?"}]
    chat_is_in_order(body("chat_completions", asked))
    for mode, holds in (
        ("anthropic_messages", turns_are_in_order),
        ("codex_responses", items_are_in_order),
    ):
        configure(stage, api_mode=mode)
        async with running(stage) as client:
            session = await client.load_session(session_id, walk.cwd)
            assert await session.prompt("Does it still hold?") == "end_turn"
            assert session.text.endswith("Well received.")
        holds(walk.marathon.others[mode])


def everything_is_there(store: Store, session_id: str, walk: Walk) -> None:
    """Hold what was said against all generations of the history, and against the display log."""
    line = generations(store, session_id)
    relations = Counter(one.relation for one in line)
    assert relations["compressed"] >= 10, relations
    assert relations["rewound"] == 2 * len(ENDS)
    messages = [message for one in line for message in messages_of(store, one.id)]
    by_role = {
        role: "\n".join(text_of(m) for m in messages if m["role"] == role)
        for role in ("user", "assistant", "tool")
    }
    by_role["steered"] = "\n".join(
        text_of(m) for m in messages if m["role"] == "tool" and BEGINNING in text_of(m)
    )
    shown = list(store.shown(session_id))
    seen = json.dumps([e for e in shown if e["event"] in ("UserPrompted", "UserSteered")])
    told = "".join(e["text"] for e in shown if e["event"] == "TextDelta")
    for text in walk.typed:
        steered = text.startswith("turn left")
        assert text in by_role["steered" if steered else "user"], text
        assert text in seen, text
    for text in walk.answers:
        assert text in by_role["assistant"], text
        assert text in told, text
    answered = {m["tool_call_id"] for m in messages if m["role"] == "tool"}
    assert set(walk.calls) <= answered


def what_was_used_adds_up(store: Store, session_id: str, marathon: Marathon) -> None:
    """Hold the store's sums against what the provider told, tokens and money."""
    used = usage_of(store, session_id)
    sums: Counter[tuple[str, str, str]] = Counter()
    for one in used:
        sums[one.task, one.model, "input"] += one.usage.input
        sums[one.task, one.model, "output"] += one.usage.output
    counted = marathon.counted()
    assert sums == counted
    assert {"", "compression", "memory", "sub-agents"} <= {task for task, _, _ in counted}
    prices = {"input": READ_PRICE / 1e6, "output": WRITTEN_PRICE / 1e6}
    priced = sum(
        tokens * prices[kind]
        for (_, model, kind), tokens in counted.items()
        if model == "test-model"
    )
    assert sum(one.cost for one in used) == pytest.approx(priced)
    assert all((one.amount is None) is (one.model == "spare-model") for one in used)
