"""A call ends at once, wherever it waits, and its server sees the connection go."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.transport.carrier import Stream, open_stream
from tests.fakes.messages import frame_of
from tests.fakes.provider import FakeProvider, Raw, Recorded, Reply, Text, Wait, say
from tests.hermes_core.transport.conftest import CARRIERS, LAST_EVENTS, carried_at, texts_of

NEVER = threading.Event()
WATCHDOG = 20.0


@pytest.fixture(params=CARRIERS)
def runtime(request: pytest.FixtureRequest, provider: FakeProvider) -> Runtime:
    return carried_at(provider.base_url, request.param)


def begin(work: Callable[[], Any]) -> tuple[threading.Thread, list[BaseException]]:
    """Run ``work`` on a thread; what it raises is in the list."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, raised


def opened(runtime: Runtime, interrupt: Interrupt) -> AbstractContextManager[Stream]:
    return open_stream(runtime, {"model": "m", "messages": []}, interrupt=interrupt)


def ended(thread: threading.Thread, raised: list[BaseException], request: Recorded) -> None:
    thread.join(WATCHDOG)
    assert not thread.is_alive()
    assert [type(error) for error in raised] == [Interrupted]
    assert request.gone.wait(WATCHDOG)


def test_while_the_head_of_the_answer_is_awaited(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(Reply(before=NEVER))
    interrupt = Interrupt()

    def work() -> None:
        with opened(runtime, interrupt):
            pass

    thread, raised = begin(work)
    request = provider.wait_for_request(1)
    interrupt.set()
    ended(thread, raised, request)


@pytest.mark.parametrize("how", ["interrupt", "abort"])
def test_in_the_middle_of_the_answer(provider: FakeProvider, runtime: Runtime, how: str) -> None:
    provider.script(Reply([Text("a"), Wait(NEVER)]))
    interrupt = Interrupt()
    streams: list[Stream] = []
    first = threading.Event()

    def work() -> None:
        with opened(runtime, interrupt) as stream:
            streams.append(stream)
            for _ in stream:
                first.set()

    thread, raised = begin(work)
    assert first.wait(WATCHDOG)
    if how == "abort":
        streams[0].abort()
    else:
        interrupt.set()
    ended(thread, raised, provider.requests[0])


def test_on_a_connection_that_was_used_before(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(say("a"), Reply(before=NEVER))
    with opened(runtime, Interrupt()) as stream:
        list(stream)
    interrupt = Interrupt()

    def work() -> None:
        with opened(runtime, interrupt):
            pass

    thread, raised = begin(work)
    request = provider.wait_for_request(2)
    interrupt.set()
    ended(thread, raised, request)
    assert provider.requests[0].peer == request.peer


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_while_it_connects(runtime: Runtime, scheme: str) -> None:
    """To a port that takes no more connections, and to one that says nothing of TLS."""
    with ExitStack() as opened_sockets:
        listener = opened_sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4 if scheme == "http" else 0):
            filler = opened_sockets.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(address)
        url = f"{scheme}://127.0.0.1:{address[1]}/v1"
        hosts = frozenset({f"127.0.0.1:{address[1]}"})
        unreachable = replace(runtime, base_url=url, hosts=hosts)
        interrupt = Interrupt()

        def work() -> None:
            with opened(unreachable, interrupt):
                pass

        thread, raised = begin(work)
        if scheme == "https":
            opened_sockets.enter_context(listener.accept()[0])
        else:
            thread.join(0.05)
        interrupt.set()
        thread.join(WATCHDOG / 2)
        assert [type(error) for error in raised] == [Interrupted]


def test_before_anything_was_sent(provider: FakeProvider, runtime: Runtime) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted), opened(runtime, interrupt):
        pass
    assert provider.requests == []


def test_a_finished_call_is_not_touched_by_a_late_interrupt(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(say("a"), say("b"))
    interrupt = Interrupt()
    with opened(runtime, interrupt) as stream:
        list(stream)
    interrupt.set()
    with opened(runtime, Interrupt()) as stream:
        list(stream)
    assert len({request.peer for request in provider.requests}) == 1


def test_the_next_call_after_an_interrupted_one_works(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(Reply([Text("a"), Wait(NEVER)]), say("b"))
    interrupt = Interrupt()

    def work() -> None:
        with opened(runtime, interrupt) as stream:
            for _ in stream:
                interrupt.set()

    with pytest.raises(Interrupted):
        work()
    with opened(runtime, Interrupt()) as stream:
        assert len(list(stream)) > 1


def test_all_that_arrived_is_handed_on_before_a_read_may_block(
    provider: FakeProvider, runtime: Runtime
) -> None:
    gate = threading.Event()
    provider.script(Reply([Text("a"), Text("b"), Wait(gate), Text("c")]))
    seen: list[str] = []
    waits: list[int] = []

    def waiting() -> None:
        waits.append(len(seen))
        if len(seen) == 2:
            gate.set()

    request = {"model": "m", "messages": []}
    with open_stream(runtime, request, interrupt=Interrupt(), before_wait=waiting) as stream:
        for chunk in stream:
            seen.extend(texts_of(chunk))
    assert seen == ["a", "b", "c"]
    assert 2 in waits


def test_what_the_reader_raises_comes_out_unchanged(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(Reply([Text("a"), Wait(NEVER)]))

    def work() -> None:
        with opened(runtime, Interrupt()) as stream:
            next(iter(stream))
            raise KeyError("mine")

    with pytest.raises(KeyError):
        work()
    assert provider.requests[0].gone.wait(WATCHDOG)


def test_a_slow_end_of_the_body_does_not_hold_up_the_answer(
    provider: FakeProvider, runtime: Runtime
) -> None:
    end = LAST_EVENTS[runtime.api_mode]
    if runtime.option("region"):
        end = frame_of({"type": "message_stop"})
    provider.script(Reply([Text("a"), Raw(end), Wait(NEVER)], bare=True))
    started = time.monotonic()
    with opened(runtime, Interrupt()) as stream:
        list(stream)
    assert time.monotonic() - started < WATCHDOG
