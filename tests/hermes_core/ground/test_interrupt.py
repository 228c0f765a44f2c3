import threading

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt


def test_it_starts_unset_and_stays_set() -> None:
    interrupt = Interrupt()
    assert not interrupt.is_set()
    assert not interrupt.wait(0)
    interrupt.raise_if_set()
    interrupt.set()
    interrupt.set()
    assert interrupt.is_set()
    assert interrupt.wait(0)
    with pytest.raises(Interrupted):
        interrupt.raise_if_set()


def test_listeners_run_once_even_if_one_fails() -> None:
    interrupt = Interrupt()
    heard: list[str] = []

    def fail() -> None:
        raise RuntimeError("broken listener")

    interrupt.listen(fail)
    interrupt.listen(lambda: heard.append("x"))
    interrupt.set()
    interrupt.set()
    assert heard == ["x"]


def test_a_late_listener_runs_at_once() -> None:
    interrupt = Interrupt()
    interrupt.set()
    heard: list[str] = []
    interrupt.listen(lambda: heard.append("x"))()
    assert heard == ["x"]


def test_a_listener_that_was_taken_back_is_not_called() -> None:
    interrupt = Interrupt()
    heard: list[str] = []
    forget = interrupt.listen(lambda: heard.append("x"))
    forget()
    forget()
    interrupt.set()
    assert heard == []


def test_a_listener_may_use_the_interrupt() -> None:
    interrupt = Interrupt()
    heard: list[bool] = []
    interrupt.listen(lambda: heard.append(interrupt.is_set()))
    interrupt.listen(interrupt.set)
    interrupt.set()
    assert heard == [True]


def test_it_wakes_a_waiting_thread() -> None:
    interrupt = Interrupt()
    woken: list[bool] = []
    thread = threading.Thread(target=lambda: woken.append(interrupt.wait(60)))
    thread.start()
    interrupt.set()
    thread.join(30)
    assert woken == [True]


def test_a_child_is_set_with_its_parent_but_not_the_other_way() -> None:
    parent = Interrupt()
    alone, together = parent.child(), parent.child()
    alone.set()
    assert alone.is_set()
    assert not parent.is_set()
    assert not together.is_set()
    parent.set()
    assert together.is_set()


def test_a_child_of_a_set_parent_is_set() -> None:
    parent = Interrupt()
    parent.set()
    assert parent.child().is_set()
