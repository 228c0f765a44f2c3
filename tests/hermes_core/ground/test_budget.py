from dataclasses import dataclass

import pytest

from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import BudgetExhausted


@dataclass
class Spent:
    least: float = 0.0
    known: bool = True


def test_it_counts_up_to_its_limit_and_no_further() -> None:
    budget = Budget(2)
    budget.consume()
    budget.consume()
    assert budget.used == 2
    assert budget.share == 1.0
    with pytest.raises(BudgetExhausted, match="limit of 2 steps"):
        budget.consume()
    assert budget.used == 2


def test_money_ends_it_before_the_steps_do() -> None:
    budget, spent = Budget(500, max_cost=2.0), Spent()
    budget.watch(spent)
    budget.consume()
    spent.least = 1.5
    budget.consume()
    assert budget.share == 0.75
    spent.least = 2.0
    assert budget.overspent
    with pytest.raises(BudgetExhausted, match=r"limit of \$2 for one turn"):
        budget.consume()
    assert budget.used == 2


def test_what_is_not_known_in_price_is_not_taken_for_free() -> None:
    budget, spent = Budget(500, max_cost=2.0), Spent(known=False)
    told = [(budget.priced, budget.overspent)]
    budget.watch(spent)
    told.append((budget.priced, budget.overspent))
    spent.least = 3.0
    told.append((budget.priced, budget.overspent))
    assert told == [(True, False), (False, False), (False, True)]


def test_without_a_cap_money_does_not_count() -> None:
    budget = Budget(10)
    budget.watch(Spent(least=1_000.0))
    assert budget.share == 0.0
    assert not budget.overspent
