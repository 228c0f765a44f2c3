import pytest

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import BudgetExhausted


def test_it_counts_up_to_its_limit_and_no_further() -> None:
    budget = Budget(2)
    budget.consume()
    budget.consume()
    assert budget.used == 2
    with pytest.raises(BudgetExhausted, match="limit of 2 steps"):
        budget.consume()
    assert budget.used == 2
