"""What is tried before another provider: a renewed login, a further key, other reasoning."""

import time

import pytest

from hermes_core.ground.errors import AuthFailed, ServerError
from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import Compat
from hermes_core.model.chain import Resolved
from hermes_core.wire.origin import origin_of
from tests.fakes.canaries import canary
from tests.fakes.provider import Reply, fail, say
from tests.hermes_core.model.candidates import HI, NOW, Make, Pool, Providers, ask, at
from tests.hermes_core.model.conftest import Shown

OLD, NEW, ONE, TWO = (canary("p0", mark) for mark in ("old", "new", "one", "two"))


def test_a_refused_login_is_renewed_once_before_anything_else(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.renewed = NEW
    providers[0].script(fail(401, "expired"), say("here"))
    assert ask(make(pool, logins=pool), shown)["content"] == "here"
    keys = [request.headers["authorization"] for request in providers[0].requests]
    assert keys == [f"Bearer {OLD}", f"Bearer {NEW}"]
    assert pool.refreshes == ["pool#0"]
    assert len(shown.statuses) == 1


def test_a_login_that_is_refused_after_its_renewal_falls_back(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.renewed = NEW
    providers[0].script(fail(401, "expired"), fail(403, "no"))
    providers[1].script(say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"
    assert pool.refreshes == ["pool#0"]


def test_a_login_that_cannot_be_renewed_falls_back_without_asking_again(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    providers[0].script(fail(401, "expired"))
    providers[1].script(say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"


def test_a_pasted_key_is_not_renewed(make: Make, providers: Providers, shown: Shown) -> None:
    pool = Pool(at(providers[0]), ONE)
    providers[0].script(fail(401, "bad key"))
    with pytest.raises(AuthFailed):
        ask(make(pool, logins=pool), shown)
    assert pool.refreshes == []


def test_a_login_about_to_end_is_renewed_before_the_call(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.renewed, pool.expires = NEW, 0.0
    providers[0].script(say("here"))
    ask(make(pool, logins=pool), shown)
    assert providers[0].requests[0].headers["authorization"] == f"Bearer {NEW}"
    assert shown.statuses == []


def test_stale_reasoning_is_left_out_before_a_login_is_renewed(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.renewed = NEW
    stale = fail(401, "token_expired: invalid_encrypted_content")
    providers[0].script(stale, stale, say("here"))
    assert ask(make(pool, logins=pool), shown)["content"] == "here"
    assert ["without it" in shown.statuses[0], "Renewing" in shown.statuses[1]] == [True, True]


EXPIRED = Reply(status=401, body={"error": {"code": "token_expired", "message": "Log in."}})


def test_a_login_said_to_have_ended_may_be_stale_reasoning(
    make: Make, providers: Providers, shown: Shown
) -> None:
    runtime = at(providers[0], compat=Compat(echo_details=True))
    pool = Pool(runtime, OLD, kind="oauth")
    old: Message = {"role": "assistant", "content": "a", "origin": origin_of(runtime)}
    old["reasoning_details"] = [{"data": "old"}]
    providers[0].script(EXPIRED, say("here"))
    assert ask(make(pool, logins=pool), shown, HI, old, HI)["content"] == "here"
    assert pool.refreshes == []
    sent = ["old" in str(request.body) for request in providers[0].requests]
    assert sent == [True, False]


def test_without_reasoning_to_leave_out_it_is_renewed(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.renewed = NEW
    theirs: Message = {"role": "assistant", "content": "a", "origin": "another|x|y"}
    theirs["reasoning_details"] = [{"data": "theirs"}]
    providers[0].script(EXPIRED, say("here"))
    assert ask(make(pool, logins=pool), shown, HI, theirs, HI)["content"] == "here"
    assert pool.refreshes == ["pool#0"]


def test_a_fallbacks_limit_is_not_held_against_the_primarys_key(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), ONE, TWO)
    providers[0].script(fail(500, "oops", **NOW), say("back"))
    providers[1].script(fail(429, "slow", retry_after="3600"))
    providers[2].script(say("here"))
    rest = [Resolved(at(one, i)) for i, one in enumerate(providers[1:], 1)]
    model = make(pool, *rest, logins=pool)
    assert ask(model, shown)["content"] == "here"
    assert pool.refused == []
    assert ask(model, shown)["content"] == "back"
    assert ONE in providers[0].requests[-1].headers["authorization"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (fail(401, "bad key"), "AuthFailed"),
        (fail(402, "no credit"), "QuotaExhausted"),
        (fail(429, "slow", retry_after="3600"), "RateLimited"),
    ],
    ids=["401", "402", "429"],
)
def test_the_providers_next_key_comes_before_the_next_provider(
    failure: Reply, kind: str, make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), ONE, TWO)
    providers[0].script(failure, say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"
    keys = [request.headers["authorization"] for request in providers[0].requests]
    assert keys == [f"Bearer {ONE}", f"Bearer {TWO}"]
    assert pool.refused == [("pool#0", kind)]
    assert shown.statuses[0].endswith("Trying again with the next key of p0.")


def test_no_key_is_changed_for_a_limit_of_who_serves_the_model(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), ONE, TWO)
    said = {"message": "Provider returned error", "metadata": {"provider_name": "Chutes"}}
    providers[0].script(Reply(status=429, body={"error": said}))
    providers[1].script(say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"
    assert pool.refused == []
    assert len(providers[0].requests) == 1


def test_after_the_last_key_comes_the_next_provider(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), ONE, TWO)
    providers[0].script(fail(402, "no credit"), fail(402, "no credit"))
    providers[1].script(say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"


def test_a_login_that_has_ended_is_not_sent(make: Make, providers: Providers, shown: Shown) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.expires = 0.0
    providers[1].script(say("here"))
    model = make(pool, Resolved(at(providers[1], 1)), logins=pool)
    assert ask(model, shown)["content"] == "here"
    assert providers[0].requests == []
    assert "has ended" in shown.statuses[-1]


def test_a_login_service_that_is_down_is_waited_for_like_any_other(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.expires, pool.renewed = 0.0, NEW
    pool.troubles = [ServerError("The login service failed.", retry_after=0.0)]
    providers[0].script(say("here"))
    assert ask(make(pool, logins=pool, retries=1), shown)["content"] == "here"
    assert len(shown.statuses) == 1
    assert "Trying again now (1 of 1, then the turn ends)" in shown.statuses[0]


def test_a_login_that_still_serves_is_used_if_it_cannot_be_renewed_yet(
    make: Make, providers: Providers, shown: Shown
) -> None:
    pool = Pool(at(providers[0]), OLD, kind="oauth")
    pool.expires = time.time() + 60
    pool.troubles = [ServerError("The login service failed.")]
    providers[0].script(say("here"))
    assert ask(make(pool, logins=pool), shown)["content"] == "here"
    assert shown.statuses == []


def test_stale_reasoning_stays_out_of_a_conversation_that_was_shortened(
    make: Make, providers: Providers, shown: Shown
) -> None:
    runtime = at(providers[0], compat=Compat(echo_details=True))
    model = make(Pool(runtime, OLD))
    old: Message = {"role": "assistant", "content": "a", "origin": origin_of(runtime)}
    old["reasoning_details"] = [{"data": "old"}]
    new: Message = {**old, "reasoning_details": [{"data": "new"}]}
    stale = fail(400, "invalid_encrypted_content")
    providers[0].script(stale, say("here"), say("there"))
    ask(model, shown, *[HI, old] * 3, HI)
    model.shortened(1_000, 2)
    assert model.in_context == 1_000
    ask(model, shown, HI, old, HI, new, HI)
    last = str(providers[0].requests[-1].body)
    assert ("old" in last, "new" in last) == (False, True)
