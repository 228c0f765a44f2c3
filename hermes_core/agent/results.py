"""What ``AIAgent.run_conversation`` returns."""

from typing import TYPE_CHECKING, TypedDict

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message
from hermes_core.ground.usage import Usage

if TYPE_CHECKING:
    from hermes_core.agent.endings import Ending
    from hermes_core.agent.session import Session
    from hermes_core.model.respond import Model


class Result(TypedDict):
    """How a turn went.

    final_response: the answer; the error's text after a failure, ``""`` after an interrupt.
    messages: the whole history, without the system prompt.
    usage, api_calls, steps: of this turn alone; usage has the keys input, output, cached,
        reasoning and total, in tokens.
    stop_reason: end_turn, max_tokens, max_turn_requests, refusal or cancelled; ``error`` after
        a failure, whose text is then in ``error`` and whose exception in ``exception``.
    completed: whether the model came to the end of its answer by itself.
    """

    final_response: str
    messages: list[Message]
    usage: dict[str, int]
    api_calls: int
    stop_reason: str
    completed: bool
    interrupted: bool
    error: str | None
    exception: HermesError | None
    session_id: str
    task_id: str
    steps: int


class Meter:
    """Counts what one turn uses of a model that lives longer than the turn."""

    def __init__(self) -> None:
        self._model: Model | None = None
        self._usage = Usage()
        self._calls = 0

    def start(self, model: "Model") -> bool:
        """Count what is used of ``model`` from now on; False if that has begun before."""
        if self._model is not None:
            return False
        self._model, self._usage, self._calls = model, model.usage, model.calls
        return True

    @property
    def usage(self) -> dict[str, int]:
        """The tokens used since the start; none without one."""
        now = self._model.usage if self._model else Usage()
        counts = {
            name: getattr(now, name) - getattr(self._usage, name)
            for name in ("input", "output", "cached", "reasoning")
        }
        return {**counts, "total": counts["input"] + counts["output"]}

    @property
    def calls(self) -> int:
        """The calls made since the start; none without one."""
        return self._model.calls - self._calls if self._model else 0


def result_of(
    ending: "Ending", meter: Meter, budget: Budget, session: "Session", task_id: str
) -> Result:
    """Return how a turn went, for the user of the library."""
    failed = ending.error is not None and ending.stop_reason != "cancelled"
    return {
        "final_response": ending.text,
        "messages": session.messages,
        "usage": meter.usage,
        "api_calls": meter.calls,
        "stop_reason": "error" if failed else ending.stop_reason,
        "completed": ending.completed and ending.stop_reason == "end_turn" and not failed,
        "interrupted": ending.stop_reason == "cancelled",
        "error": str(ending.error) if ending.error else None,
        "exception": ending.error,
        "session_id": session.row.id,
        "task_id": task_id,
        "steps": budget.used,
    }
