"""When a turn shortens its conversation: before a step, after an overflow, and at its end."""

from contextlib import suppress

from hermes_core.agent.compression.compressor import Compressor, Occasion
from hermes_core.agent.compression.sizing import level
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ContextOverflow, Interrupted
from hermes_core.ground.messages import Message

MOST_OVERFLOWS = 3
"""How often in a turn room is made after the provider refused a request as too long."""


class Watch:
    """Watches one turn, as far as ``compression.enabled`` lets it."""

    def __init__(self, compressor: Compressor, occasion: Occasion) -> None:
        self._compressor = compressor
        self._engine = compressor.engine
        self._occasion = occasion
        self._first = True
        self._overflows = 0

    def join(self, upkeep: Upkeep) -> None:
        """Have it called when it is time."""
        upkeep.before.append(self.before)
        upkeep.overflow.append(self.overflow)
        upkeep.heard.append(self.heard)
        upkeep.after.append(self.after)

    def before(self, _budget: Budget) -> None:
        """Make room before a step: from the threshold on before the first, else if it is full."""
        first, self._first = self._first, False
        full = self._is_above(first=False)
        if full or (first and self._is_above(first=True)):
            self._compressor.compress(self._occasion, "hard" if full else "usual")

    def heard(self, answer: Message) -> None:
        """Take in how large the last request was."""
        self._compressor.heard(self._occasion, answer)

    def overflow(self, _error: ContextOverflow) -> bool:
        """Make room after the provider refused a request; return whether there is any now."""
        self._overflows += 1
        if self._overflows > MOST_OVERFLOWS or not self._is_enabled:
            return False
        event = self._compressor.compress(self._occasion, "overflow")
        return event is not None and event.status == "completed"

    def after(self) -> None:
        """Make room for the next turn, if this one has filled the window."""
        if self._is_above(first=False):
            with suppress(Interrupted):  # the turn has its answer
                self._compressor.compress(self._occasion, "hard")

    @property
    def _is_enabled(self) -> bool:
        return self._engine.config.compression_enabled

    def _is_above(self, *, first: bool) -> bool:
        if not self._is_enabled:
            return False
        size = self._compressor.size(self._occasion)
        config, runtime = self._engine.config, self._engine.model().runtime
        return size.total > level(config, runtime, first=first)
