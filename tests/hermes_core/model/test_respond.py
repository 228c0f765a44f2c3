"""One logical call against the fake provider: what is told, what is tried again, what is raised."""

import dataclasses
import threading
from typing import Any

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    ConnectionFailed,
    ContextOverflow,
    Interrupted,
    MalformedResponse,
    QuotaExhausted,
    RateLimited,
    ServerError,
    StaleReasoning,
    StreamCut,
)
from hermes_core.ground.events import (
    Event,
    ReasoningDelta,
    TextDelta,
    ToolCallGenerating,
    UsageUpdated,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, user_message
from hermes_core.ground.runtime import Compat
from hermes_core.ground.usage import Usage as Tokens
from hermes_core.model import attempt
from tests.fakes.provider import (
    Call,
    Chunk,
    Cut,
    FakeProvider,
    Finish,
    Raw,
    Reasoning,
    Reply,
    Text,
    Usage,
    calls,
    fail,
    say,
)
from tests.hermes_core.model.conftest import MakeModel, Respond, Shown, runtime_at

AT_ONCE = {"retry_after": "0"}
HI = user_message("hi")
ORIGIN = "custom|chat_completions|some/model"


def test_an_answer_is_told_and_returned(
    respond: Respond, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(Reply([Reasoning("I "), Reasoning("see."), Text("Hel"), Text("lo")]))
    message = respond()
    assert message == {
        "role": "assistant",
        "content": "Hello",
        "reasoning": "I see.",
        "finish_reason": "stop",
        "origin": ORIGIN,
    }
    assert (shown.text, shown.reasoning) == ("Hello", "I see.")
    assert shown.statuses == []
    deltas = [e for e in shown.events if isinstance(e, (TextDelta, ReasoningDelta))]
    assert len({delta.message_id for delta in deltas}) == 1
    assert shown.events[-1] == UsageUpdated(120, 128_000)


def test_usage_and_calls_add_up(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    model = make_model()
    provider.script(
        Reply([Text("a"), Usage(10, 5, cached=4, reasoning=2)]),
        Reply([Text("b"), Usage(20, 7)]),
        Reply([Text("c"), Usage(-1, 7)]),
    )
    for _ in range(3):
        model.respond([HI], [], shown, Interrupt())
    assert model.usage == Tokens(30, 12, 4, 2)
    assert model.calls == 3
    assert sum(isinstance(event, UsageUpdated) for event in shown.events) == 2


def test_tool_calls_are_announced_by_name_once(
    respond: Respond, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(calls(Call("read_file", {"path": "a"}, pieces=5), Call("terminal", {})))
    message = respond()
    assert [e.name for e in shown.events if isinstance(e, ToolCallGenerating)] == [
        "read_file",
        "terminal",
    ]
    assert message.get("finish_reason") == "tool_calls"


def test_call_ids_are_unique_in_the_conversation(respond: Respond, provider: FakeProvider) -> None:
    earlier: Message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "used", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    }
    provider.script(
        calls(
            Call("f", {}, id="used"),
            Call("f", {}, id=""),
            Call("f", {}, id="own"),
            Call("g", {}, id="own", index=7),
        )
    )
    message = respond(HI, earlier)
    ids = [call["id"] for call in message.get("tool_calls", [])]
    assert len(set(ids)) == 4
    assert "own" in ids
    assert "used" not in ids
    assert all(ids)


@pytest.mark.parametrize(
    "failure",
    [
        fail(429, "slow", **AT_ONCE),
        fail(500, "oops", **AT_ONCE),
        fail(503, "busy", **AT_ONCE),
        Reply(
            status=502, body="<html><title>Bad Gateway</title></html>", headers={"Retry-After": "0"}
        ),
        Reply(wire=b""),
        Reply(body=""),
        Reply([Cut()]),
        Reply([Reasoning("hm"), Cut()]),
        Reply([Call("f", '{"path": "a'), Cut()]),
        Reply([Chunk({"error": {"message": "busy", "code": 503}})]),
    ],
    ids=["429", "500", "503", "html", "closed", "empty", "cut", "thinking", "calling", "chunk"],
)
def test_what_may_pass_is_tried_again_and_said(
    respond: Respond, provider: FakeProvider, shown: Shown, failure: Reply
) -> None:
    provider.script(failure, say("fine"))
    assert respond()["content"] == "fine"
    assert shown.text == "fine"
    assert len(shown.statuses) == 1
    assert "Trying again" in shown.statuses[0]
    assert "(1 of 3, then the turn ends)" in shown.statuses[0]


def test_the_status_comes_before_the_wait(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(fail(429, "slow down", retry_after="500"))
    interrupt = Interrupt()

    def stop_at_the_status(event: Event) -> None:
        shown(event)
        interrupt.set()

    with pytest.raises(Interrupted):
        make_model().respond([HI], [], stop_at_the_status, interrupt)
    assert "slow down" in shown.statuses[0]
    assert "in 500 s" in shown.statuses[0]


def test_it_gives_up_after_the_configured_number(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(*[fail(503, "busy", **AT_ONCE) for _ in range(3)])
    model = make_model(api_max_retries=2)
    with pytest.raises(ServerError) as caught:
        model.respond([HI], [], shown, Interrupt())
    assert str(caught.value) == (
        "custom failed (503): busy. Tried 3 times. Try again later, or choose another model."
    )
    assert len(shown.statuses) == 2
    assert model.calls == 3


@pytest.mark.parametrize(
    ("failure", "advice"),
    [
        (fail(401, "bad key"), (AuthFailed, "hermes doctor")),
        (fail(402, "no credit"), (QuotaExhausted, "Add credit")),
        (fail(400, "maximum context length is 8"), (ContextOverflow, "larger window")),
    ],
    ids=["401", "402", "400"],
)
def test_what_cannot_pass_is_raised_at_once(
    respond: Respond,
    provider: FakeProvider,
    shown: Shown,
    failure: Reply,
    advice: tuple[type[Exception], str],
) -> None:
    provider.script(failure)
    with pytest.raises(advice[0], match=advice[1]):
        respond()
    assert shown.events == []


def test_an_answer_cut_after_some_text_is_not_asked_for_again(
    respond: Respond, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(Reply([Text("Half of "), Cut()]))
    with pytest.raises(StreamCut, match="not part of the conversation"):
        respond()
    assert shown.text == "Half of "
    assert len(provider.requests) == 1


def test_a_refused_connection_is_named_in_the_end(make_model: MakeModel, shown: Shown) -> None:
    model = make_model(runtime_at("http://127.0.0.1:1/v1"), api_max_retries=0)
    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1:1 cannot be reached"):
        model.respond([HI], [], shown, Interrupt())


def test_a_key_that_may_not_go_there_is_a_configuration_error(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    runtime = dataclasses.replace(
        runtime_at(provider.base_url), hosts=frozenset({"api.example.org:443"})
    )
    with pytest.raises(ConfigError):
        make_model(runtime).respond([HI], [], shown, Interrupt())
    assert provider.requests == []


def test_a_stream_without_chunks_is_malformed(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(Reply([Raw(b"data: [DONE]\n\n")], bare=True))
    with pytest.raises(MalformedResponse) as caught:
        make_model(api_max_retries=0).respond([HI], [], shown, Interrupt())
    assert caught.value.provider == "custom"


def test_an_answer_of_nothing_is_an_answer(respond: Respond, provider: FakeProvider) -> None:
    provider.script(Reply([Finish("stop")]))
    assert respond() == {
        "role": "assistant",
        "content": "",
        "finish_reason": "stop",
        "origin": ORIGIN,
    }


def test_stale_reasoning_is_left_out_and_what_is_made_later_is_sent_again(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    runtime = runtime_at(provider.base_url, compat=Compat(echo_details=True))
    model = make_model(runtime)
    old: Message = {"role": "assistant", "content": "a", "origin": ORIGIN}
    old["reasoning_details"] = [{"data": "old"}]
    new: Message = {**old, "content": "b", "reasoning_details": [{"data": "new"}]}
    stale = fail(400, "invalid_encrypted_content")
    provider.script(stale, say("b"), say("c"), stale, say("d"), say("e"))

    def details() -> list[Any]:
        return [m["reasoning_details"] for m in provider.requests[-1].messages if len(m) > 2]

    model.respond([HI, old, HI], [], shown, Interrupt())
    assert details() == []
    assert len(shown.statuses) == 1
    model.respond([HI, old, HI, new, HI], [], shown, Interrupt())
    assert details() == [[{"data": "new"}]]
    model.respond([HI, old, HI, new, HI, new], [], shown, Interrupt())
    model.respond([HI, old, HI, new, HI, new, HI, new], [], shown, Interrupt())
    assert details() == []


def test_reasoning_that_is_refused_even_when_there_is_none_is_told(
    respond: Respond, provider: FakeProvider
) -> None:
    stale = fail(400, "invalid_encrypted_content")
    provider.script(stale, stale)
    with pytest.raises(StaleReasoning):
        respond()


def test_an_endless_answer_is_cut_by_length(
    respond: Respond, provider: FakeProvider, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt, "MAX_ANSWER", 10_000)
    provider.script(Reply([Text("x" * 1000)] * 50))
    message = respond()
    assert message.get("finish_reason") == "length"
    assert 10_000 < len(str(message["content"])) <= 11_000
    assert shown.text == message["content"]


def test_what_the_listener_raises_ends_the_call(
    make_model: MakeModel, provider: FakeProvider
) -> None:
    class Full(Exception):
        """The listener cannot take more."""

    def refuse(_: Event) -> None:
        raise Full

    provider.script(Reply([Text("a"), *[Text("b")] * 10]))
    with pytest.raises(Full):
        make_model().respond([HI], [], refuse, Interrupt())


def test_what_is_told_is_told_from_one_thread_of_its_own(
    make_model: MakeModel, provider: FakeProvider
) -> None:
    names: set[str] = set()

    def note(event: Event) -> None:
        if isinstance(event, TextDelta):
            names.add(threading.current_thread().name)

    provider.script(say("a", "b", "c"))
    make_model().respond([HI], [], note, Interrupt())
    assert names == {"api"}


def test_a_rate_limit_keeps_what_the_provider_asked_for(
    make_model: MakeModel, provider: FakeProvider, shown: Shown
) -> None:
    provider.script(fail(429, "slow", retry_after="5"))
    with pytest.raises(RateLimited) as caught:
        make_model(api_max_retries=0).respond([HI], [], shown, Interrupt())
    assert (caught.value.retry_after, caught.value.status) == (5, 429)
