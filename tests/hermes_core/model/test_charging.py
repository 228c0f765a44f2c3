"""A model that counts what other models used as its own, as an agent's does for its children."""

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.model.respond import Model, Spent
from tests.hermes_core.agent.doubles import HOME

RUNTIME = Runtime("p", "m", "chat_completions", "http://localhost:9/v1", Secret(""))


def used(tokens: int, cost: float | None) -> Model:
    model = Model(RUNTIME, Config(home=HOME))
    model.usage, model.calls = Usage(tokens, 1, 2, 3), 1
    model.bill.resume(cost)
    return model


def test_what_is_charged_counts_in_all_sums_but_the_models_own() -> None:
    model, child, grandchild = used(10, 1.0), used(100, 2.0), used(1000, 4.0)
    child.charge(grandchild)
    model.charge(child)
    assert model.usage == Usage(1110, 3, 6, 9)
    assert (model.calls, model.bill.amount, model.turn_bill.amount) == (3, 7.0, 6.0)
    assert model.own == Spent(Usage(10, 1, 2, 3), 1, 1.0)
    assert child.own == Spent(Usage(100, 1, 2, 3), 1, 2.0)


def test_an_unknown_price_of_a_child_makes_the_sum_unknown() -> None:
    model = used(10, 1.0)
    model.charge(used(5, None))
    assert (model.bill.amount, model.bill.least) == (None, 1.0)
    assert model.own.cost == 1.0


def test_a_cost_of_no_turn_counts_in_the_sum_alone() -> None:
    model = used(10, 1.0)
    model.charge_cost(used(5, 0.5))
    assert (model.bill.amount, model.turn_bill.amount) == (1.5, None)
    assert (model.calls, model.usage) == (1, Usage(10, 1, 2, 3))
    assert model.own == Spent(Usage(10, 1, 2, 3), 1, 1.0)
