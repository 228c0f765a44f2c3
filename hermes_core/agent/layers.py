"""What a single request says beside the conversation: how far a turn is, how full the window is,
which steps of the plan are open, that it only plans. None of it is ever stored.

Each threshold is told once, when it is passed; the last few steps are counted down.
"""

from collections.abc import Callable, Sequence

from hermes_core.agent.own_tools.todo import Plan
from hermes_core.ground.actions import Mode
from hermes_core.ground.budget import Budget
from hermes_core.ground.events import Emit, StatusChanged
from hermes_core.ground.messages import Message

BUDGET_AT = (0.7, 0.9)
"""Shares of the steps, or of the money, at which a turn is warned."""

LAST_STEPS = 3
"""Steps before the end that are counted down."""

PRESSURE_AT = (0.6, 0.8)
"""Shares of the window at which the model is told how full it is."""

PLAN_AFTER = 10
"""Steps without a word about the plan after which its open steps are recalled."""

PLANNING = (
    "[Hermes: plan mode. Only look: read, search, run commands that change nothing. All else is"
    " refused. Work out what to do and say it as a plan; the user leaves the mode to have it done.]"
)
PLANNING_ASKS = (
    "[Hermes: plan mode. Only look: read, search, run commands that change nothing. All else is"
    " refused. Work out what to do, then call leave_plan_mode with the plan: the user is asked"
    " whether it is done.]"
)
PLANNED = "[Hermes: the user left plan mode. What was planned may now be done.]"
BYPASS_ON = (
    "Mode bypass: commands, edits and paths outside the workspace run without a question, each"
    " with [unasked] in its title. Secret files and what runs on open still ask. `/mode default`"
    " ends it."
)

_UNPRICED = (
    "What {which} costs is not known, so agent.max_cost cannot hold it back. agent.max_turns still"
    " does."
)


class Thresholds:
    """Tells when a growing share passes one of ``marks``; falling below arms them again."""

    def __init__(self, marks: Sequence[float]) -> None:
        self._marks = marks
        self._passed = 0

    def passed(self, share: float) -> bool:
        """Return whether ``share`` is past a mark that the one before was not past."""
        now = sum(share >= mark for mark in self._marks)
        before, self._passed = self._passed, now
        return now > before


class BudgetLayer:
    """Warns as the steps or the money of one turn run out. model: names the one in use."""

    def __init__(self, emit: Emit, budget: Budget, model: Callable[[], str]) -> None:
        self._emit = emit
        self._budget = budget
        self._model = model
        self._thresholds = Thresholds(BUDGET_AT)
        self._said_unpriced = False

    def __call__(self, budget: Budget) -> str:
        """Return what the next request says of ``budget``."""
        self.finish()
        left = budget.limit - budget.used
        if not self._thresholds.passed(budget.share) and left >= LAST_STEPS:
            return ""
        spent = ""
        if budget.max_cost is not None and budget.cost:
            spent = f" and ${budget.cost:.2f} of ${budget.max_cost:g} are spent"
        calls = f"{left} model call{'' if left == 1 else 's'}"
        verb = "is" if left == 1 else "are"
        return (
            f"[Hermes: after this, {calls} of {budget.limit} {verb} left in this turn{spent}."
            " Do what matters most, and come to an end.]"
        )

    def finish(self) -> None:
        """Tell, once, that the cap on money does not hold where a price is not known."""
        budget = self._budget
        if budget.max_cost is not None and not budget.priced and not self._said_unpriced:
            self._said_unpriced = True
            self._emit(StatusChanged("warning", _UNPRICED.format(which=self._model())))


class PressureLayer:
    """Tells how full the window is; one for a session. in_use: tokens in use, and the window."""

    def __init__(self, in_use: Callable[[], tuple[int, int]]) -> None:
        self._in_use = in_use
        self._thresholds = Thresholds(PRESSURE_AT)

    def __call__(self, _budget: Budget) -> str:
        """Return what the next request says of the window."""
        used, window = self._in_use()
        share = used / window if window > 0 else 0.0
        if not self._thresholds.passed(share):
            return ""
        return (
            f"[Hermes: {share:.0%} of the context window is in use. Read parts of files rather than"
            " whole ones, keep outputs short, and do not read again what you know.]"
        )


class ModeLayer:
    """Tells the model that it only plans, and a person that nothing is asked; one for a session.

    planned: whether the session goes on from plan mode, as it was stored. asks: whether the model
    can ask the user to leave it.
    """

    def __init__(
        self, mode: Callable[[], Mode], emit: Emit, *, planned: bool = False, asks: bool = False
    ) -> None:
        self._planning = PLANNING_ASKS if asks else PLANNING
        self._mode = mode
        self._emit = emit
        self._before: Mode = "plan" if planned else "default"

    def __call__(self, _budget: Budget) -> str:
        """Return what the next request says of the mode."""
        before, self._before = self._before, self._mode()
        if self._before == "bypass" != before:
            self._emit(StatusChanged("warning", BYPASS_ON))
        if self._before == "plan":
            return self._planning
        return PLANNED if before == "plan" else ""


class PlanLayer:
    """Recalls the open steps of a plan that nothing was said about for a while."""

    def __init__(self, plan: Plan, messages: Callable[[], Sequence[Message]]) -> None:
        self._plan = plan
        self._messages = messages

    def __call__(self, _budget: Budget) -> str:
        """Return what the next request says of the plan."""
        open_steps = [one for one in self._plan.entries if one.status != "completed"]
        if not open_steps:
            return ""
        steps = steps_without(self._messages(), "todo")
        if not steps or steps % PLAN_AFTER:
            return ""
        count = f"{len(open_steps)} step{'' if len(open_steps) == 1 else 's'}"
        return (
            f"[Hermes: {count} of the plan {'is' if len(open_steps) == 1 else 'are'} not marked as"
            f" completed; next: {open_steps[0].content}. Keep the plan up to date with todo.]"
        )


def steps_without(messages: Sequence[Message], tool: str) -> int:
    """Return how many of the last answers of the running turn called no tool of this name."""
    steps = 0
    for message in reversed(messages):
        if message["role"] == "user":
            break
        if message["role"] == "assistant":
            if any(call["function"]["name"] == tool for call in message.get("tool_calls", ())):
                break
            steps += 1
    return steps
