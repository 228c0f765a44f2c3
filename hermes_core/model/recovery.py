"""What to do after a failed model call: one table, no side effects.

A failure is met by the first of these that its rule allows and that is still open:

1. mend the request or the credential, each way once: leave out reasoning that the provider no
   longer takes, renew the login, take the provider's next key;
2. wait and ask again. A wait doubles with every attempt and is spread at random by up to half,
   so that many clients do not come back together. What the provider asks for (``Retry-After``)
   wins: nobody asks earlier. If it is long and another provider is at hand, or longer than
   ``LONGEST_ASKED_WAIT``, nobody waits for it;
3. ask the next provider of the chain;
4. give up, and say what a person can do.

A conversation that is too long is for the turn to shorten: no wait and no other provider helps.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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

LONGEST_WAIT = 60.0

LONGEST_ASKED_WAIT = 600.0
"""Seconds that a provider may ask us to wait; who asks for more is given up."""

REST = 60.0
"""Seconds for which a primary that is out of requests or credit is left alone."""

REST_AFTER_ALL = 5.0
"""Seconds for which the primary is left alone once every provider of the chain has failed."""

Mend = Literal["strip", "refresh", "rotate"]


@dataclass(frozen=True, slots=True)
class Action:
    """What comes next; ``seconds`` is how long to wait before asking again.

    ``compress`` is giving up so that the turn can shorten the conversation.
    """

    kind: Literal["wait", "strip", "refresh", "rotate", "fall_back", "compress", "give_up"]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """How one class of failure is met.

    first_wait: seconds before the second attempt; None if trying again cannot help.
    advice: what a person can do once we have given up.
    mends: ways to mend it, in order, each tried once.
    falls_back: whether another provider may do better.
    rest: seconds for which the primary is left alone after it.
    """

    first_wait: float | None
    advice: str
    mends: tuple[Mend, ...] = ()
    falls_back: bool = True
    rest: float = 0.0


@dataclass(frozen=True, slots=True)
class State:
    """Where a call stands.

    attempt: how often the provider was asked, from 1.
    text_shown: whether a person has seen text of the failed answer. It is not said twice: then
        the failure is told instead.
    mends: those that are still open here. another: whether the chain has a provider left;
        following: the name of that one.
    jitter: a random number from 0 to 1.
    """

    attempt: int
    max_retries: int
    text_shown: bool = False
    mends: frozenset[Mend] = frozenset()
    another: bool = False
    jitter: float = 0.0
    following: str = ""


_CHECK_KEY = "Check the key: `hermes doctor` tells where it comes from."

RULES: dict[type[ProviderError], Rule] = {
    ConnectionFailed: Rule(0.5, "Check the network and model.base_url, then send it again."),
    StreamCut: Rule(0.5, "Send your message again."),
    RateLimited: Rule(2.0, "Wait a little, or choose another model.", ("rotate",), rest=REST),
    UpstreamLimited: Rule(2.0, "Wait a little, or choose another model.", rest=REST),
    ServerError: Rule(1.0, "Try again later, or choose another model."),
    MalformedResponse: Rule(0.5, "Check model.base_url, or choose another model."),
    AuthFailed: Rule(None, _CHECK_KEY, ("refresh", "rotate")),
    TokenExpired: Rule(None, _CHECK_KEY, ("strip", "refresh", "rotate")),
    ModelNotFound: Rule(None, "Check model.default and model.base_url."),
    QuotaExhausted: Rule(None, "Add credit, or choose another provider.", ("rotate",), rest=REST),
    ContextOverflow: Rule(
        None,
        "Type /compress, start a new session, or choose a model with a larger window.",
        falls_back=False,
    ),
    StaleReasoning: Rule(None, "Start a new session.", ("strip", "refresh")),
    BadRequest: Rule(None, "Check the model and its settings."),
    Refused: Rule(None, "Say it differently.", falls_back=False),
}

_BY_SPEED = (BadRequest, RateLimited, UpstreamLimited)
_SPEED = " It was asked at the speed {speed}: the option speed (agent.speed) ends that."
"""What is added where the speed may be what was refused."""

_SHOWN = (
    "What was shown is not part of the conversation. Send your message again for a whole answer."
)


def decide(error: ProviderError, state: State) -> Action:
    """Return what to do after ``error`` in ``state``."""
    rule = rule_for(error)
    if isinstance(error, ContextOverflow):
        return Action("compress")
    if state.text_shown:
        return Action("give_up")
    for mend in rule.mends:
        if mend in state.mends:
            return Action(mend)
    falls_back = rule.falls_back and state.another
    waits = rule.first_wait is not None and state.attempt <= state.max_retries
    if waits and not _asks_too_long(error):
        seconds = _wait(rule.first_wait or 0.0, error.retry_after, state)
        if seconds <= LONGEST_WAIT * 1.5 or not falls_back:
            return Action("wait", seconds)
    return Action("fall_back" if falls_back else "give_up")


def announcement(
    error: ProviderError, action: Action, state: State, now: float | None = None
) -> str:
    """Return what a person reads while we go on with the same provider: what failed and follows.

    now: Unix seconds, for the time of day at which a wait ends.
    """
    if action.kind == "strip":
        return f"{error} Sending the conversation again without its earlier reasoning."
    if action.kind == "refresh":
        return f"{error} Renewing the login and trying again."
    if action.kind == "rotate":
        return f"{error} Trying again with the next key of {error.provider}."
    when = "now"
    if action.seconds >= 1:
        clock = "" if now is None else f", at {_time_of_day(now + action.seconds)}"
        when = f"in {action.seconds:.0f} s{clock}"
    then = f"{state.following} is asked" if state.following else "the turn ends"
    return f"{error} Trying again {when} ({state.attempt} of {state.max_retries}, then {then})."


def last_words(
    error: ProviderError,
    attempt: int,
    *,
    text_shown: bool,
    providers: int = 1,
    speed: str = "",
) -> str:
    """Return what a person reads once we have given up: what, why, what to do next.

    attempt: how often the last provider was asked; providers: how many were asked in this turn.
    speed: how fast the last one was asked to serve, ``""`` for as usual.
    """
    if text_shown:
        return f"{error} {_SHOWN}"
    if providers > 1:
        tries = f" All {providers} providers of the chain were asked."
    else:
        tries = f" Tried {attempt} times." if attempt > 1 else ""
    told = f"{error}{_asked(error)}{tries} {error.advice or rule_for(error).advice}"
    return told + _SPEED.format(speed=speed) if speed and isinstance(error, _BY_SPEED) else told


def _time_of_day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%H:%M:%S")


def rule_for(error: ProviderError) -> Rule:
    """Return the rule for the class of ``error`` or the nearest base of it."""
    for kind in type(error).__mro__:
        if kind in RULES:
            return RULES[kind]
    return Rule(None, "Try again later.")


def _asks_too_long(error: ProviderError) -> bool:
    return error.retry_after is not None and error.retry_after > LONGEST_ASKED_WAIT


def _asked(error: ProviderError) -> str:
    """Return what a person must know of a wait that is too long for us, or ""."""
    if error.retry_after is None or not _asks_too_long(error):
        return ""
    minutes = math.ceil(error.retry_after / 60)
    days, hours = minutes // 1440, minutes % 1440 // 60
    parts = ((days, "d"), (hours, "h"), (minutes % 60 if not days else 0, "min"))
    length = " ".join(f"{number} {unit}" for number, unit in parts if number)
    return f" It asks to wait for {length}, which is too long to wait for here."


def _wait(first: float, asked: float | None, state: State) -> float:
    if asked is not None:
        return asked * (1 + 0.1 * state.jitter)
    backoff = min(first * 2.0 ** min(state.attempt - 1, 30), LONGEST_WAIT)
    return backoff * (1 + 0.5 * state.jitter)
