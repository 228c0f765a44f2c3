"""Turns: registered at once, one at a time, cancelled in time whatever they do."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_server.rpc.errors import INVALID_REQUEST, RpcError
from acp_server.session import GRACE, MOST_WAITING, AcpSession, Outcome, Turn, Work
from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import Event
from hermes_core.ground.interrupt import Interrupt

DONE = {"stop_reason": "end_turn"}


class Screen:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def begin(self, interrupt: Interrupt) -> None:
        self.calls.append("begin")

    def __call__(self, event: Event) -> None: ...

    def send(self, update: dict[str, Any]) -> None: ...

    def tell(self, update: dict[str, Any]) -> None: ...

    def announce(self, event: Event) -> None: ...

    @contextmanager
    def aside(self, interrupt: Interrupt) -> Iterator[None]:
        yield

    def end(self) -> None:
        if self.calls[-1:] != ["end"]:
            self.calls.append("end")


@pytest.fixture
def session() -> AcpSession:
    return AcpSession("s1", Path("/w"), Screen())


def finish(_: Turn) -> Mapping[str, Any]:
    return DONE


def endless(turn: Turn) -> Mapping[str, Any]:
    turn.interrupt.wait(60)
    raise Interrupted


async def ended(session: AcpSession, turn: Turn) -> Outcome:
    """Wait for the answer of a turn, and let the next one begin."""
    outcome = await asyncio.wait_for(turn.answered, 30)
    session.leave(turn)
    return outcome


class Gate:
    """A work that ends when it is let."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()

    def __call__(self, _: Turn) -> Mapping[str, Any]:
        self.begun.set()
        self.go.wait(60)
        return DONE


async def test_a_turn_runs_on_its_own_thread_and_returns_its_result(session: AcpSession) -> None:
    names = []

    def work(_: Turn) -> Mapping[str, Any]:
        names.append(threading.current_thread().name)
        return DONE

    turn = session.enter(work)
    assert session.busy
    outcome = await ended(session, turn)
    assert (outcome.result, outcome.error, outcome.cancelled) == (DONE, None, False)
    assert names == ["turn-s1"]
    assert not session.busy
    assert session.screen.calls == ["begin", "end"]


async def test_an_error_is_the_outcome(session: AcpSession) -> None:
    def work(_: Turn) -> Mapping[str, Any]:
        raise ValueError("broken")

    outcome = await ended(session, session.enter(work))
    assert isinstance(outcome.error, ValueError)
    assert not session.busy


async def test_a_cancel_right_after_the_prompt_is_not_lost(session: AcpSession) -> None:
    turn = session.enter(lambda turn: (turn.interrupt.wait(60), DONE)[1])
    session.cancel()
    assert (await ended(session, turn)).cancelled


async def test_cancelling_is_idempotent_and_harmless_when_idle(session: AcpSession) -> None:
    session.cancel()
    turn = session.enter(endless)
    session.cancel()
    session.cancel()
    assert (await ended(session, turn)).cancelled
    session.cancel()
    assert not session.stop()
    assert (await ended(session, session.enter(finish))).result == DONE


async def test_a_cancelled_turn_is_answered_cancelled_even_if_it_ended_well(
    session: AcpSession,
) -> None:
    gate = Gate()
    turn = session.enter(gate)
    session.cancel()
    gate.go.set()
    assert (await ended(session, turn)).cancelled


async def test_a_turn_that_cannot_be_interrupted_is_answered_over_its_head(
    session: AcpSession,
) -> None:
    gate = Gate()
    stuck = session.enter(gate)
    session.cancel()
    assert (await ended(session, stuck)).cancelled
    assert not stuck.finished.done()
    assert not session.busy
    following = session.enter(finish)
    assert session.screen.calls == ["begin", "end"]
    gate.go.set()
    assert (await ended(session, following)).result == DONE
    assert session.screen.calls == ["begin", "end", "begin", "end"]


def test_the_grace_fits_into_the_tenth_of_a_second_that_a_cancel_may_take() -> None:
    assert GRACE <= 0.09


async def test_a_turn_that_waits_for_a_stuck_one_can_be_cancelled(session: AcpSession) -> None:
    gate = Gate()
    await_stuck = session.enter(gate)
    session.cancel()
    await ended(session, await_stuck)
    following = session.enter(finish)
    session.cancel()
    assert (await ended(session, following)).cancelled
    assert not session.wait_for_thread(0)
    gate.go.set()
    assert session.wait_for_thread(30)


async def test_the_latch_is_that_of_the_running_turn(session: AcpSession) -> None:
    idle = session.interrupt
    turn = session.enter(finish)
    assert session.interrupt is turn.interrupt
    assert session.interrupt is not idle
    await ended(session, turn)
    assert session.interrupt is idle


class TestWaiting:
    async def test_turns_run_one_after_the_other_in_their_order(self, session: AcpSession) -> None:
        order: list[str] = []
        gate = Gate()

        def named(name: str) -> Work:
            return lambda _: (order.append(name), DONE)[1]

        first = session.enter(gate)
        others = [session.enter(named(name)) for name in "abc"]
        assert [session.place(turn) for turn in (first, *others)] == [0, 1, 2, 3]
        for turn in reversed(others):
            session.admit(turn)
        gate.go.set()
        for turn in (first, *others):
            assert (await ended(session, turn)).result == DONE
        assert order == ["a", "b", "c"]

    async def test_none_begins_before_the_answer_of_the_one_before_is_out(
        self, session: AcpSession
    ) -> None:
        first, gate = session.enter(finish), Gate()
        second = session.enter(gate)
        session.admit(second)
        await first.answered
        await asyncio.sleep(0)
        assert session.place(second) == 1
        assert not gate.begun.is_set()
        session.leave(first)
        assert session.place(second) == 0
        gate.go.set()
        await ended(session, second)

    async def test_one_that_is_held_keeps_its_place(self, session: AcpSession) -> None:
        first = session.enter(finish)
        held, behind = session.enter(finish), session.enter(finish)
        session.admit(behind)
        await ended(session, first)
        assert [session.place(held), session.place(behind)] == [1, 2]
        session.admit(held, 7)
        assert session.numbers == {7}
        await ended(session, held)
        await ended(session, behind)
        assert session.numbers == set()

    async def test_a_cancel_ends_all(self, session: AcpSession) -> None:
        turns = [session.enter(endless) for _ in range(3)]
        session.admit(turns[1])
        session.cancel()
        for turn in turns:
            assert (await ended(session, turn)).cancelled
            assert turn.dropped
        assert not session.busy

    async def test_a_stop_lets_go_on_what_waits(self, session: AcpSession) -> None:
        running, waiting = session.enter(endless), session.enter(finish)
        session.admit(waiting)
        assert session.stop()
        assert (await ended(session, running)).cancelled
        assert not running.dropped
        assert (await ended(session, waiting)).result == DONE

    async def test_one_can_be_dropped(self, session: AcpSession) -> None:
        gate = Gate()
        first = session.enter(gate)
        second, third = session.enter(endless), session.enter(finish)
        session.admit(second, 2)
        session.admit(third, 3)
        session.drop_numbers([2, 99])
        assert (await ended(session, second)).cancelled
        assert session.place(third) == 1
        gate.go.set()
        assert (await ended(session, first)).result == DONE
        assert (await ended(session, third)).result == DONE

    async def test_dropping_the_running_one_lets_go_on_what_waits(
        self, session: AcpSession
    ) -> None:
        running, waiting = session.enter(endless), session.enter(finish)
        session.admit(waiting)
        session.drop(running)
        assert (await ended(session, running)).cancelled
        assert (await ended(session, waiting)).result == DONE

    async def test_one_that_cannot_wait_is_answered_with_the_error(
        self, session: AcpSession
    ) -> None:
        gate, error = Gate(), ValueError("full")
        first, second = session.enter(gate), session.enter(finish)
        session.fail(second, error)
        assert (await ended(session, second)).error is error
        session.fail(first, error)
        gate.go.set()
        assert (await ended(session, first)).result == DONE

    async def test_closing_answers_all_and_gives_nothing_up(self, session: AcpSession) -> None:
        turns = [session.enter(endless) for _ in range(3)]
        session.close()
        for turn in turns:
            assert (await ended(session, turn)).cancelled
            assert not turn.dropped
        assert session.wait_for_thread(30)

    async def test_the_queue_has_an_end(self, session: AcpSession) -> None:
        running = session.enter(endless)
        turns = [session.enter(finish) for _ in range(MOST_WAITING)]
        with pytest.raises(RpcError) as refused:
            session.enter(finish)
        assert refused.value.code == INVALID_REQUEST
        session.cancel()
        for turn in (running, *turns):
            await ended(session, turn)


async def test_it_is_idle_once_every_prompt_has_its_answer(session: AcpSession) -> None:
    await asyncio.wait_for(session.wait_until_idle(), 30)
    first, second = session.enter(endless), session.enter(endless)
    idle = asyncio.ensure_future(session.wait_until_idle())
    session.cancel()
    await ended(session, second)
    assert not idle.done()
    await ended(session, first)
    await asyncio.wait_for(idle, 30)
