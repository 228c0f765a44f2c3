"""An interrupt ends a model call at once in every state, and nothing is told afterwards."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import Event
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import user_message
from hermes_core.model.respond import Model
from tests.fakes.provider import FakeProvider, Reasoning, Reply, Text, Wait, fail, say
from tests.hermes_core.model.conftest import MakeModel, Shown, runtime_at

HI = user_message("hi")
NEVER = threading.Event()
WATCHDOG = 20.0


def interrupted(model: Model, emit: Callable[[Event], None], ready: Callable[[], object]) -> float:
    """Interrupt a call once ``ready`` returns; return the seconds until the call had ended."""
    interrupt = Interrupt()
    moments: list[float] = []

    def stop() -> None:
        ready()
        moments.append(time.monotonic())
        interrupt.set()

    stopper = threading.Thread(target=stop, daemon=True)
    stopper.start()
    with pytest.raises(Interrupted):
        model.respond([HI], [], emit, interrupt)
    ended = time.monotonic()
    stopper.join(WATCHDOG)
    return ended - moments[0]


def test_before_the_call(make_model: MakeModel, provider: FakeProvider, shown: Shown) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        make_model().respond([HI], [], shown, interrupt)
    assert provider.requests == []


def test_while_it_looks_up_the_name(
    make_model: MakeModel, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    trying, given_up = threading.Event(), threading.Event()

    def block(*_: Any, **__: Any) -> Any:
        trying.set()
        given_up.wait(WATCHDOG)
        raise OSError("no answer")

    monkeypatch.setattr(socket, "getaddrinfo", block)
    runtime = runtime_at("http://models.example.org:80/v1", plain_http=True)
    seconds = interrupted(make_model(runtime), shown, lambda: trying.wait(WATCHDOG))
    given_up.set()
    assert seconds < WATCHDOG / 2
    assert shown.events == []


def test_while_the_answer_is_awaited(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(Reply(before=NEVER))
    seconds = interrupted(make_model(), shown, lambda: provider.wait_for_request(1))
    assert seconds < WATCHDOG / 2
    assert provider.requests[0].gone.wait(WATCHDOG)


@pytest.mark.parametrize("step", [Text("half"), Reasoning("hm")])
def test_in_the_middle_of_the_answer(
    make_model: MakeModel, provider: FakeProvider, step: Text | Reasoning
) -> None:
    provider.script(Reply([step, Wait(NEVER)]))
    told = threading.Event()
    seconds = interrupted(make_model(), lambda _: told.set(), lambda: told.wait(WATCHDOG))
    assert seconds < WATCHDOG / 2
    assert provider.requests[0].gone.wait(WATCHDOG)


def test_while_it_waits_to_try_again(make_model: MakeModel, provider: FakeProvider) -> None:
    provider.script(fail(429, "slow", retry_after="600"))
    told = threading.Event()
    seconds = interrupted(make_model(), lambda _: told.set(), lambda: told.wait(WATCHDOG))
    assert seconds < WATCHDOG / 2


def test_while_the_listener_does_not_listen(make_model: MakeModel, provider: FakeProvider) -> None:
    provider.script(say("a", "b"))
    told, free = threading.Event(), threading.Event()

    def stuck(_: Event) -> None:
        told.set()
        free.wait(WATCHDOG)

    seconds = interrupted(make_model(), stuck, lambda: told.wait(WATCHDOG))
    free.set()
    assert seconds < WATCHDOG / 2


def test_the_listener_itself_may_interrupt(make_model: MakeModel, provider: FakeProvider) -> None:
    provider.script(Reply([Text("a. "), Wait(NEVER)]))
    interrupt = Interrupt()
    with pytest.raises(Interrupted):
        make_model().respond([HI], [], lambda _: interrupt.set(), interrupt)


def test_nothing_is_told_afterwards(make_model: MakeModel, provider: FakeProvider) -> None:
    """A stream that goes on and on is interrupted; not one event comes after the call's end."""
    words = [Text(f"{number} ") for number in range(20_000)]
    ended = threading.Event()
    late: list[Event] = []
    begun = threading.Event()

    def listen(event: Event) -> None:
        begun.set()
        if ended.is_set():
            late.append(event)

    model = make_model()
    for _ in range(5):
        begun.clear()
        ended.clear()
        provider.script(Reply(words))
        interrupted(model, listen, lambda: begun.wait(WATCHDOG))
        ended.set()
        assert provider.requests[-1].gone.wait(WATCHDOG)
    assert late == []


def test_the_next_call_works(make_model: MakeModel, provider: FakeProvider, shown: Shown) -> None:
    provider.script(Reply([Text("half"), Wait(NEVER)]), say("whole"))
    model = make_model()
    told = threading.Event()
    interrupted(model, lambda _: told.set(), lambda: told.wait(WATCHDOG))
    assert model.respond([HI], [], shown, Interrupt())["content"] == "whole"


class Counted(Interrupt):
    """A latch that counts its listeners."""

    def __init__(self) -> None:
        super().__init__()
        self.listening = 0

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.listening += 1
        forget = super().listen(listener)

        def forget_once() -> None:
            self.listening -= 1
            forget()

        return forget_once


def test_a_finished_call_leaves_no_listener_behind(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(say("a"), fail(400), fail(503, retry_after="0"), say("b"))
    model, interrupt = make_model(), Counted()
    model.respond([HI], [], shown, interrupt)
    with pytest.raises(Exception, match="refused the request"):
        model.respond([HI], [], shown, interrupt)
    assert model.respond([HI], [], shown, interrupt)["content"] == "b"
    assert interrupt.listening == 0
