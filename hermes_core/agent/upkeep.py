"""What happens around the model calls of a turn: room is made, word from the user comes in."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ContextOverflow


@dataclass(slots=True)
class Upkeep:
    """Functions of the parts of an agent, called on the turn's thread, in the order given.

    before: called before each step with the budget, after the step is counted; may change the
        conversation. notes: return what one request alone is told, ``""`` for nothing; it is
        never stored. overflow: make room after the provider refused a request as too long, and
        return whether it is worth asking again. after: called once the turn has its answer.
    """

    before: list[Callable[[Budget], None]] = field(default_factory=list)
    notes: list[Callable[[Budget], str]] = field(default_factory=list)
    overflow: list[Callable[[ContextOverflow], bool]] = field(default_factory=list)
    after: list[Callable[[], None]] = field(default_factory=list)

    def before_step(self, budget: Budget) -> None:
        """Get ready for the next model call."""
        for action in self.before:
            action(budget)

    def note(self, budget: Budget, *more: str) -> str:
        """Return what the next request alone is told, ``more`` at its end."""
        texts = [*(source(budget) for source in self.notes), *more]
        return "\n".join(filter(None, texts))

    def overflowed(self, error: ContextOverflow) -> bool:
        """Make room; return whether the model can be asked again."""
        return any(action(error) for action in self.overflow)

    def after_turn(self) -> None:
        """Tidy up behind the last answer of a turn."""
        for action in self.after:
            action()
