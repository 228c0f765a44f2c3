"""Talking to a program line by line."""

import os
import sys
import threading
from pathlib import Path

import pytest

from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.pipes import Pipe, talking
from hermes_core.local.processes import wait_for_stragglers

ENV = {"PATH": os.defpath}
ECHO = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"


def lines_of(
    program: str, *sent: bytes, count: int, interrupt: Interrupt | None = None
) -> list[bytes]:
    argv = [sys.executable, "-c", program]
    with talking(argv, Path("/"), ENV, interrupt or Interrupt()) as pipe:
        for line in sent:
            pipe.write(line)
        return [pipe.read_line(30) for _ in range(count)]


def test_lines_go_in_and_come_out() -> None:
    assert lines_of(ECHO, b"one", b"", b"\xff", count=3) == [b"one", b"", b"\xff"]


def test_what_does_not_fit_into_the_pipe_follows() -> None:
    long = b"x" * 3_000_000
    assert lines_of(ECHO, long, b"end", count=2) == [long, b"end"]


def test_a_last_line_without_an_end_is_left_out() -> None:
    with talking(
        [sys.executable, "-c", "print('a\\nb', end='')"], Path("/"), ENV, Interrupt()
    ) as pipe:
        assert pipe.read_line(30) == b"a"
        with pytest.raises(EOFError):
            pipe.read_line(30)


def test_the_end_is_told_though_a_descendant_holds_the_pipe() -> None:
    program = "import os, time\nif os.fork() == 0: time.sleep(60)"
    with (
        talking([sys.executable, "-c", program], Path("/"), ENV, Interrupt()) as pipe,
        pytest.raises(EOFError),
    ):
        pipe.read_line(30)
    wait_for_stragglers()


def test_its_last_words_are_kept() -> None:
    program = "import sys\nsys.stderr.write('x' * 100_000 + 'the end')"
    with talking([sys.executable, "-c", program], Path("/"), ENV, Interrupt()) as pipe:
        with pytest.raises(EOFError):
            pipe.read_line(30)
        assert pipe.last_words.endswith("the end")
        assert len(pipe.last_words) <= 4096


def test_writing_to_a_program_that_is_gone_is_no_error() -> None:
    with talking([sys.executable, "-c", ""], Path("/"), ENV, Interrupt()) as pipe:
        with pytest.raises(EOFError):
            pipe.read_line(30)
        pipe.write(b"hello")


def test_silence_has_a_limit() -> None:
    with (
        talking([sys.executable, "-c", ECHO], Path("/"), ENV, Interrupt()) as pipe,
        pytest.raises(TimeoutError),
    ):
        pipe.read_line(0.1)


def test_an_interrupt_wakes_it_and_nothing_stays() -> None:
    interrupt = Interrupt()
    pids: list[int] = []

    def wait(pipe: Pipe) -> None:
        pids.append(int(pipe.read_line(30)))
        threading.Thread(target=interrupt.set).start()
        pipe.read_line(30)

    program = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)"
    with (
        pytest.raises(Interrupted),
        talking([sys.executable, "-c", program], Path("/"), ENV, interrupt) as pipe,
    ):
        wait(pipe)
    wait_for_stragglers()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_program_that_is_not_there_is_told() -> None:
    with (
        pytest.raises(ToolError, match="could not be started"),
        talking(["/nonexistent/program"], Path("/"), ENV, Interrupt()),
    ):
        pass
