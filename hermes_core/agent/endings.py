"""What an answer of the model means for the turn: go on, ask again, or end and how. Pure."""

from dataclasses import dataclass

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import HermesError, MalformedResponse
from hermes_core.ground.messages import Message, StopReason, text_of

REFUSED = "content_filter"
"""The ``finish_reason`` of an answer that the provider withheld."""

CUT_CALL = "Not run: the answer was cut off at the model's output limit before it was complete."

SUMMARY_REQUEST = (
    "[Hermes: the limit of model calls for this turn is reached; no tool can be called any more."
    " Answer now in text: what was done, what was found, and what is left to do.]"
)

UNSAID: Message = {"role": "assistant", "content": ""}
"""The last answer of a turn that is ended without one."""

_CUT_THOUGHT = (
    "The model's output limit was reached while it was thinking, again and again. Ask for less at"
    " once, or let it think less (agent.reasoning_effort in config.yaml)."
)
_CUT_CALLS = (
    "The answer was cut off at the model's output limit in the middle of a tool call, again and"
    " again, so nothing of it was run. Ask to go on in smaller steps."
)
_EMPTY = "The model gave an empty answer twice. Send the message again, or choose another model."
_ONLY_THOUGHT = (
    "The model thought, but gave no answer, three times. Send the message again, or choose another"
    " model."
)
_WITHHELD = (
    "The provider declined to answer this and gave no reason. The message is left out of the"
    " conversation from here on."
)
_GO_ON = "The work so far is kept. Send a message to go on."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: its final text, the reason in the protocol's words, or by an error.

    completed: whether the model came to an end by itself; a turn that was stopped did not.
    """

    text: str
    stop_reason: StopReason
    error: HermesError | None = None
    completed: bool = True


def ending_of(answer: Message) -> Ending | None:
    """Return how ``answer`` ends the turn; None if it asks for tools that may run.

    An answer that only announces work is an answer: the user decides whether it goes on.
    """
    text, reason = text_of(answer), answer.get("finish_reason")
    said = bool(text.strip())
    if reason == REFUSED:
        return Ending(text if said else _WITHHELD, "refusal")
    if answer.get("tool_calls"):
        return Ending(_CUT_CALLS, "max_tokens") if reason == "length" else None
    if reason == "length":
        return Ending(text if said else _CUT_THOUGHT, "max_tokens")
    if said:
        return Ending(text, "end_turn")
    empty = _ONLY_THOUGHT if answer.get("reasoning") else _EMPTY
    return Ending(empty, "end_turn", MalformedResponse(empty))


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


def at_limit(budget: Budget) -> str:
    """Return what the user is told when the budget is used up."""
    if budget.used < budget.limit:
        return (
            f"Stopped after ${budget.cost:.2f} of model calls; the limit for one turn is"
            f" ${budget.max_cost:g} (agent.max_cost in config.yaml)."
        )
    return (
        f"Stopped after {budget.limit} model calls, the limit for one turn (agent.max_turns in"
        " config.yaml; delegation.max_iterations for a child)."
    )
