"""What an answer of the model means for the turn: go on, ask again, or end and how. Pure."""

from dataclasses import dataclass

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message, StopReason, text_of

REFUSED = "content_filter"
"""The ``finish_reason`` of an answer that the provider withheld."""

CUT_CALL = "Not run: the answer was cut off at the model's output limit before it was complete."

NUDGE = (
    "[Hermes: your last answer was empty. Go on with the task, or give your final answer in text.]"
)
SUMMARY_REQUEST = (
    "[Hermes: the limit of model calls for this turn is reached; no tool can be called any more."
    " Answer now in text: what was done, what was found, and what is left to do.]"
)

_CUT_TEXT = "The answer was cut off at the model's output limit. Ask to go on from here."
_CUT_CALLS = (
    "The answer was cut off at the model's output limit in the middle of a tool call, so nothing"
    " of it was run. Ask to go on in smaller steps."
)
_EMPTY = "The model gave an empty answer twice. Send the message again, or choose another model."
_WITHHELD = (
    "The provider declined to answer this and gave no reason. The message is left out of the"
    " conversation from here on."
)
_GO_ON = "The work so far is kept. Send a message to go on."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: its final text, the reason in the protocol's words, or by an error."""

    text: str
    stop_reason: StopReason
    error: HermesError | None = None


def ending_of(answer: Message) -> Ending | None:
    """Return how ``answer`` ends the turn; None if it asks for tools that may run."""
    text, reason = text_of(answer), answer.get("finish_reason")
    said = bool(text.strip())
    if reason == REFUSED:
        return Ending(text if said else _WITHHELD, "refusal")
    if answer.get("tool_calls"):
        return Ending(_CUT_CALLS, "max_tokens") if reason == "length" else None
    if reason == "length":
        return Ending(text if said else _CUT_TEXT, "max_tokens")
    return Ending(text if said else _EMPTY, "end_turn")


def ending_at_limit(summary: Message, budget: Budget) -> Ending:
    """Return how a turn ends that has used up its budget."""
    text = text_of(summary)
    return Ending(text if text.strip() else f"{at_limit(budget)} {_GO_ON}", "max_turn_requests")


def kept(answer: Message, ending: Ending) -> Message:
    """Return what the history keeps of the last answer of a turn.

    The calls of an answer that was cut off stay, to be answered with an error. The mark
    of a refusal stays only where the turn ended by it.
    """
    if ending.stop_reason == "max_tokens" and answer.get("tool_calls"):
        return answer
    message: Message = {**answer, "content": ending.text}
    message.pop("tool_calls", None)
    if ending.stop_reason == "max_turn_requests":
        message["finish_reason"] = "stop"
    return message


def warning(budget: Budget) -> str:
    """Return a note for the last few calls of a long turn, else ``""``."""
    left = budget.limit - budget.used
    if left > min(10, budget.limit // 10):
        return ""
    return f"[Hermes: after this, {left} model calls are left in this turn. Come to an end.]"


def at_limit(budget: Budget) -> str:
    """Return what the user is told when the budget is used up."""
    return (
        f"Stopped after {budget.limit} model calls, the limit for one turn (agent.max_turns in"
        " config.yaml)."
    )
