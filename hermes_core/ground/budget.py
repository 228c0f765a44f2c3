"""How many steps a turn may take, and what it may cost."""

from typing import Protocol

from hermes_core.ground.errors import BudgetExhausted


class Spending(Protocol):
    """What calls have cost so far. least: US dollars that are known of it; known: whether all."""

    @property
    def least(self) -> float:
        """US dollars that are known to be spent."""
        ...

    @property
    def known(self) -> bool:
        """Whether the price of every call is known."""
        ...


class Budget:
    """A counter of steps beside a cap on money; every agent has its own.

    limit: the number of model calls that one turn may make (``agent.max_turns``, or
    ``delegation.max_iterations`` for a child). max_cost: US dollars that they may cost
    (``agent.max_cost``), None for no cap. A step begins only while both have something left, so
    the last call may go beyond the cap. What is not known in price is not counted, see ``priced``.
    """

    def __init__(self, limit: int, max_cost: float | None = None) -> None:
        self.limit = limit
        self.max_cost = max_cost
        self.used = 0
        self._spending: Spending | None = None

    def watch(self, spending: Spending) -> None:
        """Count what ``spending`` says against the cap, from now on."""
        self._spending = spending

    @property
    def cost(self) -> float:
        """US dollars that are known to be spent in this turn."""
        return self._spending.least if self._spending else 0.0

    @property
    def priced(self) -> bool:
        """Whether ``cost`` is all that was spent."""
        return self._spending is None or self._spending.known

    @property
    def overspent(self) -> bool:
        """Whether the cap on money is reached."""
        return self.max_cost is not None and self.cost >= self.max_cost

    @property
    def share(self) -> float:
        """How much is used up, of steps or of money, whichever is more; 1.0 for all."""
        money = self.cost / self.max_cost if self.max_cost else 0.0
        return max(self.used / self.limit, money)

    def consume(self) -> None:
        """Count one step; raise ``BudgetExhausted`` when none is left, or no money for one."""
        if self.used >= self.limit:
            raise BudgetExhausted(f"The limit of {self.limit} steps for one turn is reached.")
        if self.overspent:
            raise BudgetExhausted(f"The limit of ${self.max_cost:g} for one turn is reached.")
        self.used += 1
