"""Falling back against three fake providers: triggers, what changes, what is told."""

from dataclasses import replace

import pytest

from hermes_core.ground.errors import (
    ConfigError,
    ContextOverflow,
    Interrupted,
    NoCredentials,
    ProviderError,
    QuotaExhausted,
    Refused,
    ServerError,
)
from hermes_core.ground.events import Event, UsageUpdated
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import Compat
from hermes_core.ground.secrets import Secret
from hermes_core.model.chain import Resolved
from tests.fakes.canaries import canary
from tests.fakes.provider import Cut, FakeProvider, Finish, Reply, Text, fail, say
from tests.hermes_core.model.candidates import HI, NOW, Broken, Clock, Make, Providers, ask, at
from tests.hermes_core.model.conftest import Shown

TRIGGERS = {
    "401": fail(401, "bad key"),
    "402": fail(402, "no credit"),
    "403": fail(403, "not yours"),
    "404": fail(404, "no such model"),
    "400": fail(400, "unknown field"),
    "429": fail(429, "slow down", **NOW),
    "429 for an hour": fail(429, "slow down", retry_after="3600"),
    "500": fail(500, "oops", **NOW),
    "502": Reply(status=502, body="<html><title>Bad Gateway</title></html>", headers=NOW),
    "503": fail(503, "busy", **NOW),
    "closed": Reply(wire=b""),
    "empty": Reply(body=""),
    "no choices": Reply(body='{"choices": null}'),
    "cut": Reply([Cut()]),
    "stale": fail(400, "invalid_encrypted_content"),
}


@pytest.mark.parametrize("failure", TRIGGERS.values(), ids=TRIGGERS)
def test_each_trigger_goes_on_to_the_next_provider_and_says_so_once(
    failure: Reply, make: Make, providers: Providers, shown: Shown
) -> None:
    model = make()
    failures = [failure, failure] if failure is TRIGGERS["stale"] else [failure]
    providers[0].script(*failures)
    providers[1].script(say("here"))
    assert ask(model, shown)["content"] == "here"
    assert shown.text == "here"
    told = [text for text in shown.statuses if "Going on with" in text]
    assert len(told) == 1
    assert told[0].endswith("Going on with m1 through p1.")
    assert (model.runtime.provider, model.runtime.model) == ("p1", "m1")
    assert providers[2].requests == []


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (fail(400, "maximum context length is 8"), ContextOverflow),
        (fail(413, "too large"), ContextOverflow),
        (fail(400, "content_policy_violation"), Refused),
    ],
    ids=["overflow", "413", "policy"],
)
def test_what_is_no_fault_of_the_provider_is_not_carried_to_another(
    failure: Reply,
    kind: type[ProviderError],
    make: Make,
    providers: Providers,
    shown: Shown,
) -> None:
    providers[0].script(failure)
    with pytest.raises(kind):
        ask(make(), shown)
    assert shown.statuses == []
    assert providers[1].requests == []


def test_a_second_empty_answer_in_a_row_goes_on_to_the_next_provider(
    make: Make, providers: Providers, shown: Shown
) -> None:
    nothing = Reply([Finish("stop")])
    model = make()
    providers[0].script(nothing, say("a"), nothing, nothing)
    providers[1].script(nothing)
    providers[2].script(say("here"))
    assert ask(model, shown)["content"] == ""
    told = [model.respond([HI], [], shown, Interrupt())["content"] for _ in range(3)]
    assert told == ["a", "", "here"]
    assert [text.partition(" Going on")[0] for text in shown.statuses] == [
        "p0 answered nothing, 2 times now.",
        "p1 answered nothing, 3 times now.",
    ]


def test_empty_answers_of_the_last_provider_are_answers(
    make: Make, providers: Providers, shown: Shown
) -> None:
    nothing = Reply([Finish("stop")])
    model = make(Resolved(at(providers[0])))
    providers[0].script(nothing, nothing)
    assert ask(model, shown)["content"] == ""
    assert model.respond([HI], [], shown, Interrupt())["content"] == ""


def test_an_answer_that_was_shown_in_part_is_not_said_again_by_another(
    make: Make, providers: Providers, shown: Shown
) -> None:
    providers[0].script(Reply([Text("Half of "), Cut()]))
    with pytest.raises(ProviderError, match="not part of the conversation"):
        ask(make(), shown)
    assert providers[1].requests == []


def test_retries_come_first_and_count_anew_for_the_next_provider(
    make: Make, providers: Providers, shown: Shown
) -> None:
    busy = fail(503, "busy", **NOW)
    providers[0].script(busy, busy)
    providers[1].script(busy, say("here"))
    assert ask(make(retries=1), shown)["content"] == "here"
    assert [text.rpartition(" (")[2] for text in shown.statuses if "again" in text] == [
        "1 of 1, then m1 through p1 is asked).",
        "1 of 1, then m2 through p2 is asked).",
    ]


def test_a_timeout_that_becomes_a_rate_limit_still_falls_back(
    make: Make, providers: Providers, shown: Shown
) -> None:
    providers[0].script(Reply(wire=b""), fail(429, "slow down", retry_after="3600"))
    providers[1].script(say("here"))
    assert ask(make(retries=3), shown)["content"] == "here"
    assert len(providers[0].requests) == 2


def test_a_fallback_that_cannot_be_tried_again_does_not_end_the_chain(
    make: Make, providers: Providers, shown: Shown
) -> None:
    providers[0].script(fail(503, "busy", **NOW))
    providers[1].script(fail(404, "no such model"))
    providers[2].script(say("here"))
    assert ask(make(), shown)["content"] == "here"
    assert len(shown.statuses) == 2


def test_when_all_have_failed_the_last_failure_is_told(
    make: Make, providers: Providers, shown: Shown
) -> None:
    for provider in providers:
        provider.script(fail(500, "oops", **NOW))
    with pytest.raises(ServerError, match=r"p2 failed.*All 3 providers of the chain were asked"):
        ask(make(), shown)


def test_each_is_asked_with_its_own_key_wire_limits_and_window(
    providers: Providers, shown: Shown, make: Make
) -> None:
    second = at(
        providers[1],
        1,
        context_window=9_000,
        max_output=77,
        headers=(("X-Own", "1"),),
        compat=Compat(max_tokens_key="max_completion_tokens"),
    )
    model = make(Resolved(at(providers[0], max_output=55)), Resolved(second))
    providers[0].script(fail(503, "busy", **NOW))
    providers[1].script(say("here"))
    ask(model, shown)
    first, other = providers[0].requests[0], providers[1].requests[0]
    assert first.headers["authorization"] == f"Bearer {canary('p0')}"
    assert (first.body["model"], first.body["max_tokens"]) == ("m0", 55)
    assert "x-own" not in first.headers
    assert other.headers["authorization"] == f"Bearer {canary('p1')}"
    assert other.headers["x-own"] == "1"
    assert (other.body["model"], other.body["max_completion_tokens"]) == ("m1", 77)
    assert "max_tokens" not in other.body
    usage = shown.events[-1]
    assert isinstance(usage, UsageUpdated)
    assert usage.size == 9_000


def test_reasoning_goes_back_to_its_maker_alone(
    providers: Providers, shown: Shown, make: Make
) -> None:
    echo = Compat(echo_details=True)
    model = make(Resolved(at(providers[0], 0, compat=echo)), Resolved(at(providers[1], 1)))
    own: Message = {
        "role": "assistant",
        "content": "a",
        "reasoning_details": [{"data": "sealed by p0"}],
        "origin": "p0|chat_completions|m0",
    }
    providers[0].script(fail(503, "busy", **NOW), say("back"))
    providers[1].script(say("here"))
    ask(model, shown, HI, own, HI)
    ask(model, shown, HI, own, HI)
    assert "sealed by p0" in str(providers[0].requests[0].body)
    assert "sealed by p0" not in str(providers[1].requests[0].body)
    assert "sealed by p0" in str(providers[0].requests[1].body)


def test_answers_say_whose_they_are(make: Make, providers: Providers, shown: Shown) -> None:
    providers[0].script(fail(503, "busy", **NOW))
    providers[1].script(say("here"))
    assert ask(make(), shown)["origin"] == "p1|chat_completions|m1"


def test_the_provider_that_worked_keeps_the_turn_and_the_primary_takes_the_next(
    make: Make, providers: Providers, shown: Shown
) -> None:
    model = make()
    providers[0].script(fail(503, "busy", **NOW), say("back"))
    providers[1].script(say("one"), say("two"))
    ask(model, shown)
    assert model.respond([HI], [], shown, Interrupt())["content"] == "two"
    assert ask(model, shown)["content"] == "back"
    assert len(shown.statuses) == 1


@pytest.mark.parametrize(
    ("failure", "rest"),
    [(fail(429, "slow", **NOW), 60), (fail(402, "no credit"), 60), (fail(503, "busy", **NOW), 0)],
    ids=["429", "402", "503"],
)
def test_the_primary_comes_back_after_its_rest(
    failure: Reply, rest: float, make: Make, providers: Providers, clock: Clock
) -> None:
    model, shown = make(), Shown()
    providers[0].script(failure, say("back"))
    providers[1].script(*[say("stand-in")] * (2 if rest else 1))
    assert ask(model, shown)["content"] == "stand-in"
    if rest:
        clock.now += rest - 1
        assert ask(model, shown)["content"] == "stand-in"
        clock.now += 1
    assert ask(model, shown)["content"] == "back"


def test_after_an_exhausted_chain_the_primary_rests_for_five_seconds(
    make: Make, providers: Providers, shown: Shown, clock: Clock
) -> None:
    model = make()
    oops = fail(500, "oops", **NOW)
    providers[0].script(oops, say("back"))
    providers[1].script(oops)
    providers[2].script(oops, say("still here"))
    with pytest.raises(ServerError):
        ask(model, shown)
    clock.now += 4.9
    assert ask(model, shown)["content"] == "still here"
    clock.now += 0.1
    assert ask(model, shown)["content"] == "back"


def test_an_entry_that_cannot_be_used_is_named_and_left_out(
    make: Make, providers: Providers, shown: Shown
) -> None:
    broken = Broken(NoCredentials("There is no key for broken. Add one."))
    model = make(Resolved(at(providers[0])), broken, Resolved(at(providers[2], 2)))
    providers[0].script(fail(503, "busy", **NOW))
    providers[2].script(say("here"))
    ask(model, shown)
    (told,) = shown.statuses
    assert "some-model through broken is left out: There is no key for broken." in told
    assert told.endswith("Going on with m2 through p2.")


def test_with_nobody_left_that_can_be_used_the_first_failure_is_told(
    make: Make, providers: Providers, shown: Shown
) -> None:
    broken = Broken(ConfigError("There is no provider 'brokn'."))
    providers[0].script(fail(503, "busy", **NOW))
    with pytest.raises(ServerError, match="p0 failed"):
        ask(make(Resolved(at(providers[0])), broken), shown)


def without_program(provider: FakeProvider, number: int) -> Resolved:
    runtime = replace(at(provider, number), api_key=Secret(""), auth="process")
    return Resolved(replace(runtime, options=(("command", "/nowhere/copilot"),)))


def test_an_entry_that_turns_out_not_to_be_set_up_does_not_end_the_chain(
    make: Make, providers: Providers, shown: Shown
) -> None:
    missing = without_program(providers[1], 1)
    model = make(Resolved(at(providers[0])), missing, Resolved(at(providers[2], 2)))
    providers[0].script(fail(503, "busy", **NOW))
    providers[2].script(say("here"))
    assert ask(model, shown)["content"] == "here"
    assert "m1 through p1 is left out: /nowhere/copilot" in shown.statuses[-1]
    assert shown.statuses[-1].endswith("Going on with m2 through p2.")


def test_a_primary_that_turns_out_not_to_be_set_up_is_told(
    make: Make, providers: Providers, shown: Shown
) -> None:
    model = make(without_program(providers[0], 0), Resolved(at(providers[1], 1)))
    with pytest.raises(ConfigError, match="could not be started"):
        ask(model, shown)


def test_an_entry_that_is_what_is_running_is_passed_over(
    make: Make, providers: Providers, shown: Shown
) -> None:
    first = Resolved(at(providers[0]))
    providers[0].script(fail(503, "busy", **NOW))
    providers[2].script(say("here"))
    assert ask(make(first, first, Resolved(at(providers[2], 2))), shown)["content"] == "here"


def test_a_primary_without_a_key_is_met_by_the_chain(
    make: Make, providers: Providers, shown: Shown
) -> None:
    keyless = Broken(NoCredentials("There is no key for p0. Add one."))
    model = make(keyless, Resolved(at(providers[1], 1)))
    providers[1].script(say("here"), say("again"))
    assert ask(model, shown)["content"] == "here"
    assert shown.statuses == ["There is no key for p0. Add one. Going on with m1 through p1."]


def test_a_primary_without_a_key_and_without_a_chain_is_an_error(make: Make, shown: Shown) -> None:
    model = make(Broken(NoCredentials("There is no key for p0. Add one.")))
    with pytest.raises(NoCredentials):
        ask(model, shown)


def test_a_fault_in_the_primarys_settings_is_told_even_with_a_chain(
    make: Make, providers: Providers, shown: Shown
) -> None:
    with pytest.raises(ConfigError):
        ask(make(Broken(ConfigError("no such provider")), Resolved(at(providers[1], 1))), shown)


def test_a_wait_is_given_up_at_once(make: Make, providers: Providers, shown: Shown) -> None:
    providers[0].script(fail(503, "busy", retry_after="30"))
    interrupt = Interrupt()

    def stop(event: Event) -> None:
        shown(event)
        interrupt.set()

    model = make(retries=3)
    model.begin_turn(stop)
    with pytest.raises(Interrupted):
        model.respond([HI], [], stop, interrupt)
    assert "in 30 s, at " in shown.statuses[0]
    assert "(1 of 3, then m1 through p1 is asked)" in shown.statuses[0]


def test_another_choice_counts_from_the_next_step(
    make: Make, providers: Providers, shown: Shown
) -> None:
    model = make()
    providers[0].script(say("zero"))
    providers[2].script(say("two"))
    ask(model, shown)
    model.use([Resolved(at(providers[2], 2))])
    assert model.runtime.model == "m0"
    assert model.respond([HI], [], shown, Interrupt())["content"] == "two"
    assert model.runtime.model == "m2"
    assert model.calls == 2


def test_a_quota_without_a_chain_is_told(make: Make, providers: Providers, shown: Shown) -> None:
    providers[0].script(fail(402, "no credit"))
    with pytest.raises(QuotaExhausted, match="Add credit"):
        ask(make(Resolved(at(providers[0]))), shown)
