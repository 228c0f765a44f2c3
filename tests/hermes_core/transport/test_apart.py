"""Small requests on a thread of their own."""

import threading

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.transport.apart import OutOfTime, run_apart
from hermes_core.transport.sockets import Tap

WATCHDOG = 20.0


def test_what_the_work_returns_or_raises_is_the_callers() -> None:
    names: list[str] = []

    def work(tap: Tap) -> int:
        names.append(threading.current_thread().name)
        assert not tap.is_cut
        return 7

    assert run_apart(work, Interrupt(), WATCHDOG, "some-name") == 7
    assert names == ["some-name"]

    def fail(_tap: Tap) -> int:
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        run_apart(fail, Interrupt(), WATCHDOG, "x")


@pytest.mark.parametrize("interrupted", [False, True])
def test_who_waits_too_long_is_let_go_and_its_sockets_are_cut(interrupted: bool) -> None:
    interrupt, go = Interrupt(), threading.Event()
    taps: list[Tap] = []

    def work(tap: Tap) -> None:
        taps.append(tap)
        if interrupted:
            interrupt.set()
        go.wait(WATCHDOG)

    with pytest.raises(Interrupted if interrupted else OutOfTime):
        run_apart(work, interrupt, WATCHDOG if interrupted else 0.05, "x")
    go.set()
    assert all(tap.is_cut for tap in taps)


def test_nothing_begins_after_an_interrupt() -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        run_apart(lambda _: pytest.fail("it began"), interrupt, WATCHDOG, "x")
