"""What to do after a failed model call: one table, no side effects.

A wait doubles with every attempt and is spread at random by up to half, so that many clients do
not come back together. What the provider asks for (``Retry-After``) wins, up to a cap.
"""

from dataclasses import dataclass
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
)

LONGEST_WAIT = 60.0
LONGEST_ASKED_WAIT = 600.0


@dataclass(frozen=True, slots=True)
class Action:
    """What comes next: wait ``seconds`` and try again, resend without reasoning, or give up."""

    kind: Literal["wait", "strip", "give_up"]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """How one class of failure is met.

    first_wait: seconds before the second attempt; None if trying again cannot help.
    advice: what a person can do once we have given up.
    """

    first_wait: float | None
    advice: str


RULES: dict[type[ProviderError], Rule] = {
    ConnectionFailed: Rule(0.5, "Check the network and model.base_url, then send it again."),
    StreamCut: Rule(0.5, "Send your message again."),
    RateLimited: Rule(2.0, "Wait a little, or choose another model."),
    ServerError: Rule(1.0, "Try again later, or choose another model."),
    MalformedResponse: Rule(0.5, "Check model.base_url, or choose another model."),
    AuthFailed: Rule(None, "Check the key: `hermes doctor` tells where it comes from."),
    ModelNotFound: Rule(None, "Check model.default and model.base_url."),
    QuotaExhausted: Rule(None, "Add credit, or choose another provider."),
    ContextOverflow: Rule(None, "Start a new session, or choose a model with a larger window."),
    StaleReasoning: Rule(None, "Start a new session."),
    BadRequest: Rule(None, "Check the model and its settings."),
    Refused: Rule(None, "Say it differently."),
}

_SHOWN = (
    "What was shown is not part of the conversation. Send your message again for a whole answer."
)


def decide(
    error: ProviderError,
    *,
    attempt: int,
    max_retries: int,
    text_shown: bool,
    stripped: bool,
    jitter: float,
) -> Action:
    """Return what to do after ``error`` ended attempt number ``attempt`` (from 1).

    text_shown: whether a person has seen text of the failed answer. It is not said twice: then
        the failure is told instead. stripped: whether reasoning was left out already.
    jitter: a random number from 0 to 1.
    """
    if isinstance(error, StaleReasoning) and not stripped:
        return Action("strip")
    first_wait = rule_for(error).first_wait
    if first_wait is None or text_shown or attempt > max_retries:
        return Action("give_up")
    if error.retry_after is not None:
        return Action("wait", min(error.retry_after, LONGEST_ASKED_WAIT) * (1 + 0.1 * jitter))
    backoff = min(first_wait * 2.0 ** min(attempt - 1, 30), LONGEST_WAIT)
    return Action("wait", backoff * (1 + 0.5 * jitter))


def announcement(error: ProviderError, action: Action, attempt: int, max_retries: int) -> str:
    """Return what a person reads while we go on by ourselves."""
    if action.kind == "strip":
        return f"{error} Sending the conversation again without it."
    when = f"in {action.seconds:.0f} s" if action.seconds >= 1 else "now"
    return f"{error} Trying again {when} ({attempt} of {max_retries})."


def last_words(error: ProviderError, attempt: int, *, text_shown: bool) -> str:
    """Return what a person reads once we have given up: what, why, what to do next."""
    if text_shown:
        return f"{error} {_SHOWN}"
    tries = f" Tried {attempt} times." if attempt > 1 else ""
    return f"{error}{tries} {rule_for(error).advice}"


def rule_for(error: ProviderError) -> Rule:
    """Return the rule for the class of ``error`` or the nearest base of it."""
    for kind in type(error).__mro__:
        if kind in RULES:
            return RULES[kind]
    return Rule(None, "Try again later.")
