"""How many steps a turn may take."""

from hermes_core.ground.errors import BudgetExhausted


class Budget:
    """A counter of steps; every agent has its own.

    ``limit`` is the number of model calls that one turn may make (``agent.max_turns``).
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    def consume(self) -> None:
        """Count one step; raise ``BudgetExhausted`` when none is left."""
        if self.used >= self.limit:
            raise BudgetExhausted(f"The limit of {self.limit} steps for one turn is reached.")
        self.used += 1
