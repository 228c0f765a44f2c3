"""What ``/queue``, ``/steer``, ``/stop`` and ``/retry`` come to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_core.commands.queue import first_line, left_text, queue_text
from hermes_core.commands.seat import Prompt, Prompts, Remark, Reply, Seat, answer
from hermes_core.commands.table import COMMANDS
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Content
from hermes_core.sessions.queue import Queue, Waiting
from hermes_core.sessions.store import FILE_NAME, SessionRow, Store


@dataclass
class Agent:
    """As much of an agent as the commands look at."""

    queue: Queue
    last_prompt: Content | None = None
    steered: list[str] = field(default_factory=list)
    running: bool = False

    def steer(self, text: str) -> bool:
        if self.running:
            self.steered.append(text)
        return self.running


class Room:
    """A session in which the commands are typed."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder / FILE_NAME)
        self.store.create_session(SessionRow("s", "/w"))
        self.agent = Agent(Queue(self.store, "s"))
        self.open: frozenset[int] = frozenset()
        self.stops: list[bool] = []

    def type(self, text: str) -> Reply:
        name, _, argument = text.partition(" ")
        unused: Any = None
        seat = Seat(
            agent=cast(Any, self.agent),
            cwd="/w",
            mode="default",
            set_mode=unused,
            model=unused,
            tools=unused,
            runtime=unused,
            choose=unused,
            config=unused,
            configure=unused,
            interrupt=Interrupt(),
            stop=lambda: self.stops.pop() if self.stops else False,
            drop=self.drop,
            open_numbers=lambda: self.open,
        )
        return answer(COMMANDS[name.removeprefix("/")], seat, argument)

    def drop(self, numbers: Sequence[int]) -> None:
        self.agent.queue.drop(numbers)

    @property
    def waiting(self) -> list[Any]:
        return [message.content for message in self.agent.queue.all()]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    yield room
    room.store.close()


def test_an_empty_queue_says_so(room: Room) -> None:
    assert room.type("/queue") == "Nothing waits."
    assert room.type("/queue clear") == "Nothing waits."


def test_the_list_numbers_what_waits(room: Room) -> None:
    numbers = [room.agent.queue.add(text).number for text in ("one\nline", "x" * 200)]
    room.agent.queue.add("left", steer=True)
    text = room.type("/queue")
    assert isinstance(text, str)
    assert text.splitlines()[:2] == ["1. left (steers the turn)", "2. one line"]
    assert text.splitlines()[2].endswith("…")
    assert "/queue run" in text
    room.open = frozenset({*numbers, numbers[-1] + 1})
    assert "/queue run" not in str(room.type("/queue"))


def test_messages_are_dropped_by_their_places(room: Room) -> None:
    for text in "abcd":
        room.agent.queue.add(text)
    assert room.type("/queue drop 3 1 3") == "Forgotten: “c”, “a”."
    assert room.waiting == ["b", "d"]
    assert room.type("/queue clear") == "Forgotten: “b”, “d”."
    assert room.waiting == []


@pytest.mark.parametrize("typed", ["drop 0", "drop 3", "drop x", "drop -1", "drop ²", "run 1", "x"])
def test_what_is_typed_wrong_changes_nothing(room: Room, typed: str) -> None:
    room.agent.queue.add("a")
    assert "/queue drop N" in str(room.type(f"/queue {typed}"))
    assert room.waiting == ["a"]


def test_what_was_left_is_sent_and_what_begins_by_itself_is_not(room: Room) -> None:
    left = room.agent.queue.add("left").number
    waits = room.agent.queue.add("waits").number
    room.open = frozenset({waits})
    assert room.type("/queue run") == Prompts((Prompt("left", left),))
    room.open = frozenset({left, waits})
    assert "begins by itself" in str(room.type("/queue run"))


def test_a_running_turn_is_steered_and_without_one_it_is_a_prompt(room: Room) -> None:
    assert room.type("/steer go left") == Prompts((Prompt("go left"),))
    room.agent.running = True
    assert isinstance(room.type("/steer go left"), Remark)
    assert room.agent.steered == ["go left"]
    assert "nothing to tell" in str(room.type("/steer"))


def test_a_stop_says_whether_something_ran(room: Room) -> None:
    said = room.type("/stop")
    assert isinstance(said, Remark)
    assert said.text == "Nothing runs."
    room.stops.append(True)
    said = room.type("/stop")
    assert isinstance(said, Remark)
    assert said.text.startswith("Stopped.")


def test_the_last_message_is_sent_again(room: Room) -> None:
    assert "nothing to send again" in str(room.type("/retry"))
    room.agent.last_prompt = [{"type": "text", "text": "x"}]
    assert room.type("/retry") == Prompts((Prompt([{"type": "text", "text": "x"}]),))


def test_what_an_earlier_run_left_is_told_in_one_line() -> None:
    assert left_text([]) == ""
    one = left_text([Waiting(1, "fix it")])
    assert one.startswith("1 message was waiting: “fix it”. `/queue run` sends it")
    many = left_text([Waiting(n, f"m{n}") for n in range(8)])
    assert many.startswith("8 messages were waiting: “m0”, ")
    assert "and 3 more" in many
    assert "\n" not in many


def test_a_message_of_parts_is_shown_by_its_text() -> None:
    assert first_line([{"type": "text", "text": "a\nb"}]) == "a b"
    assert queue_text([]) == "Nothing waits."


def test_these_are_answered_while_a_turn_runs() -> None:
    at_once = {name for name, command in COMMANDS.items() if command.at_once}
    assert {"help", "steer", "stop", "queue", "mode", "providers"} <= at_once
    assert at_once.isdisjoint({"retry", "model", "provider", "fallback"})
