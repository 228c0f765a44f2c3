"""Turns: registered at once, one at a time, cancelled in time whatever they do."""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_server.rpc.errors import INVALID_REQUEST, RpcError
from acp_server.session import GRACE, AcpSession
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

    def end(self) -> None:
        if self.calls[-1:] != ["end"]:
            self.calls.append("end")


@pytest.fixture
def session() -> AcpSession:
    return AcpSession("s1", Path("/w"), Screen())


def finish(_: Interrupt) -> Mapping[str, Any]:
    return DONE


async def test_a_turn_runs_on_its_own_thread_and_returns_its_result(session: AcpSession) -> None:
    names = []

    def work(_: Interrupt) -> Mapping[str, Any]:
        names.append(threading.current_thread().name)
        return DONE

    turn = session.start_turn(work)
    assert session.busy
    outcome = await turn.answered
    assert (outcome.result, outcome.error, outcome.cancelled) == (DONE, None, False)
    assert names == ["turn-s1"]
    assert not session.busy
    assert session.screen.calls == ["begin", "end"]


async def test_a_second_turn_is_refused_until_the_first_is_answered(session: AcpSession) -> None:
    go = threading.Event()
    turn = session.start_turn(lambda _: (go.wait(60), DONE)[1])
    with pytest.raises(RpcError) as refused:
        session.start_turn(finish)
    assert refused.value.code == INVALID_REQUEST
    go.set()
    await turn.answered
    assert (await session.start_turn(finish).answered).result == DONE


async def test_an_error_is_the_outcome(session: AcpSession) -> None:
    def work(_: Interrupt) -> Mapping[str, Any]:
        raise ValueError("broken")

    outcome = await session.start_turn(work).answered
    assert isinstance(outcome.error, ValueError)
    assert not session.busy


async def test_a_cancel_right_after_the_prompt_is_not_lost(session: AcpSession) -> None:
    turn = session.start_turn(lambda interrupt: (interrupt.wait(60), DONE)[1])
    session.cancel()
    assert (await turn.answered).cancelled


async def test_cancelling_is_idempotent_and_harmless_when_idle(session: AcpSession) -> None:
    def work(interrupt: Interrupt) -> Mapping[str, Any]:
        interrupt.wait(60)
        raise Interrupted

    session.cancel()
    turn = session.start_turn(work)
    session.cancel()
    session.cancel()
    assert (await turn.answered).cancelled
    session.cancel()
    assert (await session.start_turn(finish).answered).result == DONE


async def test_a_cancelled_turn_is_answered_cancelled_even_if_it_ended_well(
    session: AcpSession,
) -> None:
    go = threading.Event()
    turn = session.start_turn(lambda _: (go.wait(60), DONE)[1])
    session.cancel()
    go.set()
    assert (await turn.answered).cancelled


async def test_a_turn_that_cannot_be_interrupted_is_answered_over_its_head(
    session: AcpSession,
) -> None:
    go = threading.Event()
    stuck = session.start_turn(lambda _: (go.wait(60), DONE)[1])
    session.cancel()
    assert (await asyncio.wait_for(stuck.answered, 30)).cancelled
    assert not stuck.finished.done()
    assert not session.busy
    following = session.start_turn(finish)
    assert session.screen.calls == ["begin", "end"]
    go.set()
    assert (await following.answered).result == DONE
    assert session.screen.calls == ["begin", "end", "begin", "end"]


def test_the_grace_fits_into_the_tenth_of_a_second_that_a_cancel_may_take() -> None:
    assert GRACE <= 0.09


async def test_a_turn_that_waits_for_a_stuck_one_can_be_cancelled(session: AcpSession) -> None:
    go = threading.Event()
    stuck = session.start_turn(lambda _: (go.wait(60), DONE)[1])
    session.cancel()
    await stuck.answered
    following = session.start_turn(finish)
    session.cancel()
    assert (await following.answered).cancelled
    assert not session.wait_for_thread(0)
    go.set()
    assert session.wait_for_thread(30)


async def test_the_latch_is_that_of_the_running_turn(session: AcpSession) -> None:
    idle = session.interrupt
    turn = session.start_turn(finish)
    assert session.interrupt is turn.interrupt
    assert session.interrupt is not idle
    await turn.answered
