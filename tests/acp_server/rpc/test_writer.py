import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from acp_server.rpc.outgoing import Line, TextChunk, TextFrames
from acp_server.rpc.writer import Writer
from hermes_core.ground.interrupt import Interrupt
from tests.acp_server.rpc.harness import WATCHDOG

BIG = 1 << 20
LONG = 60.0


class Pipe:
    """A writer and the end of its pipe that the client reads."""

    def __init__(self, fds: tuple[int, int] | None = None, **options: Any) -> None:
        read_fd, self._write_fd = fds or os.pipe()
        self._reader = os.fdopen(read_fd, "rb")
        self._frames = TextFrames()
        self.broken: list[str] = []
        self.broke = threading.Event()
        self.writer = Writer(self._write_fd, self._break, **options)

    def _break(self) -> None:
        self.broken.append(threading.current_thread().name)
        self.broke.set()

    def chunk(self, text: str, key: str = "k") -> TextChunk:
        params = {"key": key, "update": {"content": {"type": "text", "text": text}}}
        made = self._frames.chunk(key, "u", params)
        assert made is not None
        return made

    def line(self, name: str, size: int = 0) -> Line:
        return Line(json.dumps({"name": name, "pad": "x" * size}).encode() + b"\n")

    def read(self) -> str:
        """Return the next message: a line's name, or a chunk's text in brackets."""
        message = json.loads(self._reader.readline())
        if "name" in message:
            return str(message["name"])
        return f"[{message['params']['update']['content']['text']}]"

    def rest(self) -> list[str]:
        """Close the writer and return all that it still writes."""
        messages: list[str] = []
        reading = threading.Thread(target=self._read_rest, args=(messages,))
        reading.start()
        assert self.writer.drain(WATCHDOG)
        os.close(self._write_fd)
        self._write_fd = -1
        reading.join(WATCHDOG)
        return messages

    def _read_rest(self, messages: list[str]) -> None:
        while True:
            try:
                messages.append(self.read())
            except ValueError:
                return

    def stop_reading(self) -> None:
        self._reader.close()

    def close(self) -> None:
        self._reader.close()
        if self._write_fd >= 0:
            if self.writer._thread.ident is not None:
                assert self.writer.drain(WATCHDOG)
            os.close(self._write_fd)


Make = Callable[..., Pipe]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Pipe] = []

    def start(**options: Any) -> Pipe:
        pipe = Pipe(**options)
        made.append(pipe)
        return pipe

    yield start
    for pipe in made:
        pipe.close()


def occupy(pipe: Pipe) -> None:
    """Have the writer's thread stuck in a write that the client does not read."""
    pipe.writer.put(pipe.line("big", BIG))
    while pipe.writer._queue:  # until the thread took it
        pass


def test_messages_come_in_order(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    expected = []
    for number in range(200):
        expected.append(str(number))
        pipe.writer.put(pipe.line(str(number), number * 100))
        if number % 3 == 0:
            expected.append(f"[{number}]")
            pipe.writer.put(pipe.chunk(str(number)))
        if number == 100:
            assert pipe.read() == "0"
    assert pipe.rest() == expected[1:]


def test_text_that_waits_merges_with_text(make: Make) -> None:
    pipe = make()
    for text in ("a", "b", "c"):
        pipe.writer.put(pipe.chunk(text))
    pipe.writer.put(pipe.line("card"))
    pipe.writer.put(pipe.chunk("d"))
    pipe.writer.put(pipe.chunk("e", key="other"))
    pipe.writer.put(pipe.chunk("f"))
    pipe.writer.start()
    assert pipe.rest() == ["[abc]", "card", "[d]", "[e]", "[f]"]


def test_the_first_text_does_not_wait_for_more(make: Make) -> None:
    pipe = make(gather=LONG)
    pipe.writer.start()
    pipe.writer.put(pipe.chunk("first"))
    assert pipe.read() == "[first]"
    pipe.writer.put(pipe.chunk("thought", key="other"))
    assert pipe.read() == "[thought]"


def gathering(make: Make) -> Pipe:
    """Return a pipe whose writer has written text and gathers more for a long time."""
    pipe = make(gather=LONG)
    pipe.writer._written["k"] = time.monotonic() + 3600  # as if it were being written just now
    pipe.writer.start()
    return pipe


def test_text_in_quick_succession_is_gathered(make: Make) -> None:
    pipe = gathering(make)
    for text in ("a", "b", "c"):
        pipe.writer.put(pipe.chunk(text))
    assert pipe.rest() == ["[abc]"]


def test_any_other_message_ends_the_gathering_and_keeps_the_order(make: Make) -> None:
    pipe = gathering(make)
    pipe.writer.put(pipe.chunk("a"))
    pipe.writer.put(pipe.chunk("b"))
    pipe.writer.put(pipe.line("card"))
    assert [pipe.read(), pipe.read()] == ["[ab]", "card"]


def test_the_first_text_of_another_message_ends_the_gathering(make: Make) -> None:
    pipe = gathering(make)
    pipe.writer.put(pipe.chunk("a"))
    pipe.writer.put(pipe.chunk("b", key="other"))
    assert [pipe.read(), pipe.read()] == ["[a]", "[b]"]


def test_gathered_text_goes_out_by_itself(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    sent = [str(number) for number in range(100)]
    for text in sent:
        pipe.writer.put(pipe.chunk(text))
    came = ""
    while came != "".join(sent):
        came += pipe.read().strip("[]")


def test_a_message_that_does_not_fit_is_left_to_the_thread(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    occupy(pipe)
    for number in range(50):
        pipe.writer.put(pipe.line(str(number)))
    assert pipe.rest() == ["big", *map(str, range(50))]


def test_a_socket_is_written_as_well(make: Make) -> None:
    ours, theirs = socket.socketpair()
    pipe = make(fds=(theirs.detach(), ours.detach()))
    pipe.writer.start()
    pipe.writer.put(pipe.line("one"))
    assert pipe.read() == "one"
    pipe.writer.put(pipe.line("two", BIG))
    assert pipe.rest() == ["two"]


def test_a_pipe_that_does_not_block_is_waited_for(make: Make) -> None:
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    pipe = make(fds=(read_fd, write_fd))
    pipe.writer.start()
    pipe.writer.put(pipe.line("big", BIG))
    pipe.writer.put(pipe.line("next"))
    assert pipe.rest() == ["big", "next"]


def test_a_thread_waits_while_the_queue_is_full(make: Make) -> None:
    pipe = make(bound=1000)
    pipe.writer.start()
    occupy(pipe)
    queued: list[bool] = []
    thread = threading.Thread(
        target=lambda: queued.append(pipe.writer.put_or_wait(pipe.line("late")))
    )
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    assert pipe.read() == "big"
    thread.join(WATCHDOG)
    assert queued == [True]
    assert pipe.read() == "late"


def test_the_loop_never_waits(make: Make) -> None:
    pipe = make(bound=100_000)
    pipe.writer.start()
    occupy(pipe)
    for _ in range(40):
        assert pipe.writer.put(pipe.line("more", 10_000))


def test_a_client_that_reads_no_answers_is_given_up(make: Make) -> None:
    pipe = make(bound=100_000)
    pipe.writer.start()
    occupy(pipe)
    taken = [pipe.writer.put(pipe.line("answer", 10_000)) for _ in range(200)]
    assert taken.index(False) < 100
    assert not any(taken[taken.index(False) :])
    assert len(pipe.broken) == 1


def waiting_thread(
    pipe: Pipe, message: Line | TextChunk, interrupt: Interrupt
) -> Callable[[], bool]:
    """Send on a thread that has to wait; return a function that gives the outcome."""
    queued: list[bool] = []
    thread = threading.Thread(
        target=lambda: queued.append(pipe.writer.put_or_wait(message, interrupt))
    )
    thread.start()
    while not interrupt._listeners:
        pass

    def outcome() -> bool:
        thread.join(WATCHDOG)
        return queued[0]

    return outcome


def test_an_interrupt_drops_text_that_waits_for_room(make: Make) -> None:
    pipe = make(bound=1000)
    pipe.writer.start()
    occupy(pipe)
    interrupt = Interrupt()
    outcome = waiting_thread(pipe, pipe.chunk("lost"), interrupt)
    interrupt.set()
    assert outcome() is False
    assert pipe.rest() == ["big"]


def test_an_interrupt_lets_the_end_of_a_card_through(make: Make) -> None:
    pipe = make(bound=BIG)
    pipe.writer.start()
    occupy(pipe)
    interrupt = Interrupt()
    outcome = waiting_thread(pipe, pipe.line("end"), interrupt)
    interrupt.set()
    assert outcome() is True
    assert pipe.rest() == ["big", "end"]


def test_beyond_the_hard_bound_an_interrupt_drops_all(make: Make) -> None:
    pipe = make(bound=1000)
    pipe.writer.start()
    occupy(pipe)
    interrupt = Interrupt()
    interrupt.set()
    assert pipe.writer.put_or_wait(pipe.line("end"), interrupt) is False


def test_what_waits_is_bounded_while_the_client_does_not_read(make: Make) -> None:
    pipe = make(bound=100_000)
    pipe.writer.start()
    interrupt = Interrupt()

    def stream() -> None:
        while pipe.writer.put_or_wait(pipe.chunk("word " * 20), interrupt):
            pass

    thread = threading.Thread(target=stream)
    thread.start()
    while not interrupt._listeners:  # until it waits
        pass
    assert pipe.writer._size < 200_000
    interrupt.set()
    thread.join(WATCHDOG)
    assert not thread.is_alive()
    pipe.rest()


def test_a_client_that_is_gone_is_told_once(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    pipe.stop_reading()
    while pipe.writer.put(pipe.line("x", 10_000)):
        pass
    assert pipe.broke.wait(WATCHDOG)
    assert len(pipe.broken) == 1
    assert pipe.writer.put(pipe.line("y")) is False
    assert pipe.writer.put_or_wait(pipe.line("y")) is False


def test_a_small_message_finds_out_as_well(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    pipe.stop_reading()
    pipe.writer.put(pipe.line("x"))
    assert pipe.broke.wait(WATCHDOG)
    assert len(pipe.broken) == 1


def test_a_client_that_closes_its_end_is_noticed_without_a_message(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    pipe.stop_reading()
    assert pipe.broke.wait(WATCHDOG)
    assert pipe.writer.put(pipe.line("y")) is False


def test_threads_that_wait_for_room_learn_that_the_client_is_gone(make: Make) -> None:
    pipe = make(bound=1000)
    pipe.writer.start()
    occupy(pipe)
    interrupt = Interrupt()
    outcome = waiting_thread(pipe, pipe.line("late"), interrupt)
    pipe.stop_reading()
    assert outcome() is False


def test_a_stuck_client_does_not_hold_up_the_end(make: Make) -> None:
    pipe = make()
    pipe.writer.start()
    occupy(pipe)
    assert pipe.writer.drain(0.05) is False
    assert pipe.writer.put(pipe.line("late")) is False
