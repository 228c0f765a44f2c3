"""The recovery table: what follows which failure."""

from datetime import datetime

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    BadRequest,
    ConnectionFailed,
    ContextOverflow,
    MalformedResponse,
    ModelNotFound,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    ServerError,
    StaleReasoning,
    StreamCut,
    TokenExpired,
    UpstreamLimited,
)
from hermes_core.model.recovery import (
    LONGEST_ASKED_WAIT,
    LONGEST_WAIT,
    RULES,
    Action,
    Mend,
    State,
    announcement,
    decide,
    last_words,
    rule_for,
)

RETRIED = (
    ConnectionFailed,
    StreamCut,
    RateLimited,
    UpstreamLimited,
    ServerError,
    MalformedResponse,
)
TOLD = (AuthFailed, TokenExpired, ModelNotFound, QuotaExhausted, BadRequest, Refused)
EVERY_MEND: frozenset[Mend] = frozenset(("strip", "refresh", "rotate"))


def after(
    error: ProviderError,
    attempt: int = 1,
    *,
    retries: int = 3,
    shown: bool = False,
    mends: frozenset[Mend] = frozenset(),
    another: bool = False,
    jitter: float = 0.0,
) -> Action:
    return decide(error, State(attempt, retries, shown, mends, another, jitter))


def test_every_class_has_a_rule() -> None:
    direct = ProviderError.__subclasses__()
    assert set(RULES) == {*direct, *(kind for one in direct for kind in one.__subclasses__())}


@pytest.mark.parametrize("kind", RETRIED)
def test_what_may_pass_is_tried_again_up_to_the_limit(kind: type[ProviderError]) -> None:
    kinds = [after(kind("no"), attempt).kind for attempt in (1, 2, 3, 4)]
    assert kinds == ["wait", "wait", "wait", "give_up"]
    assert after(kind("no"), retries=0).kind == "give_up"


@pytest.mark.parametrize("kind", RETRIED)
def test_what_was_shown_is_not_said_twice(kind: type[ProviderError]) -> None:
    assert after(kind("no"), shown=True).kind == "give_up"


@pytest.mark.parametrize("kind", TOLD)
def test_what_cannot_pass_is_told_at_once(kind: type[ProviderError]) -> None:
    assert after(kind("no", retry_after=1)).kind == "give_up"


MENDED = [
    (StaleReasoning, ["strip", "refresh"]),
    (AuthFailed, ["refresh", "rotate"]),
    (TokenExpired, ["strip", "refresh", "rotate"]),
    (RateLimited, ["rotate"]),
    (QuotaExhausted, ["rotate"]),
]


@pytest.mark.parametrize(("kind", "order"), MENDED)
def test_each_mend_comes_in_its_order_and_before_another_provider(
    kind: type[ProviderError], order: list[Mend]
) -> None:
    open_now = EVERY_MEND
    for mend in order:
        assert after(kind("no"), mends=open_now, another=True).kind == mend
        open_now -= {mend}
    action = after(kind("no"), 99, mends=open_now, another=True)
    assert action.kind == "fall_back"
    assert after(kind("no"), 99, mends=open_now).kind == "give_up"


def others(*left_out: type[ProviderError]) -> list[type[ProviderError]]:
    """Return all classes of the table but these, always in the same order."""
    return [kind for kind in RULES if kind not in left_out]


@pytest.mark.parametrize("kind", others(ContextOverflow, *(kind for kind, _ in MENDED)))
def test_what_cannot_be_mended_is_not(kind: type[ProviderError]) -> None:
    assert after(kind("no"), 99, mends=EVERY_MEND).kind == "give_up"


@pytest.mark.parametrize("kind", others(ContextOverflow, Refused))
def test_another_provider_is_asked_when_trying_again_does_not_help(
    kind: type[ProviderError],
) -> None:
    assert after(kind("no"), 4, another=True).kind == "fall_back"
    assert after(kind("no"), 4, another=True, shown=True).kind == "give_up"


def test_a_refusal_is_not_carried_to_another_provider() -> None:
    assert after(Refused("no"), another=True).kind == "give_up"


@pytest.mark.parametrize("shown", [False, True])
def test_a_conversation_that_is_too_long_is_for_the_turn_to_shorten(shown: bool) -> None:
    assert after(ContextOverflow("no"), shown=shown).kind == "compress"
    assert after(ContextOverflow("no"), mends=EVERY_MEND, another=True).kind == "compress"


def test_a_long_wait_is_not_waited_for_while_another_provider_is_at_hand() -> None:
    assert after(RateLimited("no", retry_after=300)).kind == "wait"
    assert after(RateLimited("no", retry_after=300), another=True).kind == "fall_back"
    assert after(RateLimited("no", retry_after=20), another=True).kind == "wait"


def test_the_primary_rests_when_it_is_out_of_requests_or_credit() -> None:
    resting = {kind for kind, rule in RULES.items() if rule.rest}
    assert resting == {RateLimited, UpstreamLimited, QuotaExhausted}
    assert rule_for(RateLimited("no")).rest == 60


@pytest.mark.parametrize("kind", RETRIED)
def test_waits_grow_and_are_spread(kind: type[ProviderError]) -> None:
    waits = [after(kind("no"), attempt, retries=99).seconds for attempt in range(1, 20)]
    assert waits == sorted(waits)
    assert waits[1] == 2 * waits[0]
    assert waits[-1] == LONGEST_WAIT
    assert after(kind("no"), jitter=1.0).seconds == 1.5 * waits[0]


def test_many_attempts_do_not_overflow() -> None:
    assert after(ServerError("no"), 10_000, retries=10**6).seconds == LONGEST_WAIT


@pytest.mark.parametrize("asked", [0.0, 2.0, LONGEST_ASKED_WAIT])
def test_nobody_waits_less_than_the_provider_asks(asked: float) -> None:
    assert after(RateLimited("no", retry_after=asked)) == Action("wait", asked)
    assert after(ServerError("no", retry_after=asked)) == Action("wait", asked)
    assert after(ServerError("no", retry_after=asked), jitter=1.0).seconds >= asked


@pytest.mark.parametrize("kind", [RateLimited, ServerError])
def test_a_wait_that_is_too_long_is_not_begun(kind: type[ProviderError]) -> None:
    error = kind("It broke.", retry_after=LONGEST_ASKED_WAIT + 1)
    assert after(error).kind == "give_up"
    assert after(error, another=True).kind == "fall_back"
    told = last_words(error, 1, text_shown=False)
    assert told.startswith("It broke. It asks to wait for 11 min, which is too long to wait for")


@pytest.mark.parametrize(
    ("asked", "told"), [(3600, "1 h,"), (5430, "1 h 31 min,"), (180_000, "2 d 2 h,")]
)
def test_how_long_a_provider_asks_to_wait_is_told(asked: float, told: str) -> None:
    words = last_words(RateLimited("no", retry_after=asked), 1, text_shown=False)
    assert f"wait for {told}" in words


def test_a_person_reads_what_happened_and_what_comes_next() -> None:
    error = RateLimited("x takes no more requests now (429).")
    said = announcement(error, Action("wait", 12.4), State(1, 3))
    assert said == (
        "x takes no more requests now (429). Trying again in 12 s (1 of 3, then the turn ends)."
    )
    moment = datetime(2026, 5, 4, 10, 20, 30).astimezone().timestamp()
    state = State(3, 3, another=True, following="b through y")
    said = announcement(error, Action("wait", 12.0), state, moment)
    assert said.endswith("Trying again in 12 s, at 10:20:42 (3 of 3, then b through y is asked).")
    assert "without it" in announcement(StaleReasoning("x."), Action("strip"), State(1, 3))
    refused = AuthFailed("x refused the credential (401).", provider="x")
    assert "Renewing the login" in announcement(refused, Action("refresh"), State(1, 3))
    assert "next key of x" in announcement(refused, Action("rotate"), State(1, 3))


@pytest.mark.parametrize("kind", RULES)
def test_the_last_words_say_what_to_do(kind: type[ProviderError]) -> None:
    said = last_words(kind("It broke."), 4, text_shown=False)
    assert said == f"It broke. Tried 4 times. {RULES[kind].advice}"
    assert "Tried" not in last_words(kind("It broke."), 1, text_shown=False)
    chain = last_words(kind("It broke."), 1, text_shown=False, providers=3)
    assert chain == f"It broke. All 3 providers of the chain were asked. {RULES[kind].advice}"
    assert "not part of the conversation" in last_words(kind("It broke."), 1, text_shown=True)


@pytest.mark.parametrize("kind", TOLD + RETRIED)
def test_where_the_speed_may_be_what_was_refused_it_is_named(kind: type[ProviderError]) -> None:
    usual = last_words(kind("It broke."), 1, text_shown=False)
    said = last_words(kind("It broke."), 1, text_shown=False, speed="flex")
    assert ("at the speed flex" in said) is (kind in (BadRequest, RateLimited, UpstreamLimited))
    assert said.startswith(usual)
    assert "speed" not in usual


def test_the_advice_of_the_error_itself_comes_before_that_of_its_class() -> None:
    error = AuthFailed("It wants a key.", advice="Put it there.")
    assert last_words(error, 1, text_shown=False) == "It wants a key. Put it there."


def test_a_class_without_a_rule_gets_that_of_its_base() -> None:
    class Special(RateLimited):
        """A class of some carrier's own."""

    assert rule_for(Special("no")) is RULES[RateLimited]
    assert rule_for(ProviderError("no")).first_wait is None
