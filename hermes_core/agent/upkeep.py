"""What happens around the model calls of a turn: room is made, word from the user comes in."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hermes_core.agent.endings import Ending
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ContextOverflow
from hermes_core.ground.messages import Message


@dataclass(slots=True)
class Upkeep:
    """Functions of the parts of an agent, called on the turn's thread, in the order given.

    before: called before each step with the budget, after the step is counted; may change the
        conversation. notes: return what one request alone is told, ``""`` for nothing; it is
        never stored. overflow: make room after the provider refused a request as too long, and
        return whether it is worth asking again. heard: called with each answer of the model.
    stops: asked once the calls of an answer are done, return how the turn ends with that; None to
        go on. after: called once the turn has its answer.
    """

    before: list[Callable[[Budget], None]] = field(default_factory=list)
    notes: list[Callable[[Budget], str]] = field(default_factory=list)
    overflow: list[Callable[[ContextOverflow], bool]] = field(default_factory=list)
    heard: list[Callable[[Message], None]] = field(default_factory=list)
    stops: list[Callable[[], Ending | None]] = field(default_factory=list)
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

    def hear(self, answer: Message) -> Message:
        """Tell what the model answered; return it as it is."""
        for action in self.heard:
            action(answer)
        return answer

    def stop(self) -> Ending | None:
        """Return how the turn ends after the calls of an answer; None if it goes on."""
        return next((ending for ask in self.stops if (ending := ask())), None)

    def after_turn(self) -> None:
        """Tidy up behind the last answer of a turn."""
        for action in self.after:
            action()
