from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.capture import Captured, capture
from hermes_core.local.children import end_all_children
from hermes_core.local.processes import wait_for_stragglers
from tests.hermes_core.local.processes_seen import alive, long_sleep


@pytest.fixture(autouse=True)
def _nothing_stays() -> Any:
    yield
    end_all_children()


def run(*argv: str, **options: Any) -> Captured:
    settings: dict[str, Any] = {
        "env": {"PATH": "/usr/bin:/bin"},
        "timeout": 60,
        "max_bytes": 1_000,
        "interrupt": Interrupt(),
    }
    return capture(argv, Path("/"), **{**settings, **options})


def test_both_streams_come_apart_as_bytes() -> None:
    done = run("sh", "-c", r"printf 'a\377\r'; printf err >&2; exit 2")
    assert done == Captured(2, b"a\xff\r", b"err", truncated=False)


def test_arguments_are_not_read_by_a_shell() -> None:
    assert run("printf", "%s|", "$HOME", "a b", "*").stdout == b"$HOME|a b|*|"


def test_stdin_is_at_its_end() -> None:
    assert run("cat").stdout == b""


def test_too_much_output_stops_the_program() -> None:
    done = run("yes")
    assert done.truncated
    assert done.exit_code is None
    assert done.stdout == b"y\n" * 500


def test_exactly_the_limit_is_not_too_much() -> None:
    done = run("sh", "-c", "printf %01000d 0")
    assert not done.truncated
    assert len(done.stdout) == 1_000


def test_many_errors_are_bounded_and_do_not_block() -> None:
    done = run("sh", "-c", "yes | head -c 1000000 >&2; echo done")
    assert done.stdout == b"done\n"
    assert len(done.stderr) == 65_536


def test_a_program_over_its_time_is_stopped() -> None:
    sleep = long_sleep()
    done = run(*sleep.split(), timeout=0.1)
    assert done.timed_out
    assert done.exit_code is None
    wait_for_stragglers()
    assert not alive(sleep)


def test_an_interrupt_is_raised_and_stops_the_program() -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        run("true", interrupt=interrupt)


def test_a_missing_program_is_told() -> None:
    with pytest.raises(ToolError, match=r"could not be started: no such file .*no-such-program"):
        run("no-such-program")


def test_a_finished_program_leaves_no_listener() -> None:
    interrupt = Interrupt()
    run("true", interrupt=interrupt)
    assert interrupt._listeners == {}
