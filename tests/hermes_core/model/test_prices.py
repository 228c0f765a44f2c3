"""What calls cost: only where the price is known, never a guess."""

from dataclasses import replace

import pytest

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.speeds import Speed
from hermes_core.ground.usage import Usage
from hermes_core.model.prices import Bill, estimate

USED = Usage(input=1_000_000, output=1_000_000)
CLAUDE = ("https://api.anthropic.com", "claude-sonnet-4-5")


def runtime(base_url: str, model: str) -> Runtime:
    return Runtime("p", model, "chat_completions", base_url, Secret(""))


@pytest.mark.parametrize(
    ("base_url", "model", "least"),
    [
        (*CLAUDE, 18.0),
        ("https://api.openai.com/v1", "gpt-5", 11.0),
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", 18.0),
    ],
)
def test_a_known_model_has_a_price(base_url: str, model: str, least: float) -> None:
    price = estimate(runtime(base_url, model), USED)
    assert price is not None
    assert price >= least


def test_a_speed_has_its_own_price_or_none() -> None:
    usual = runtime(*CLAUDE)
    whole = estimate(usual, USED)
    assert whole
    half = estimate(replace(usual, speed=Speed("flex", price=0.5)), USED)
    assert half == pytest.approx(whole / 2)
    assert estimate(replace(usual, speed=Speed("fast")), USED) is None


def test_cached_tokens_cost_less() -> None:
    plain = estimate(runtime(*CLAUDE), Usage(input=1000, output=10))
    cached = estimate(runtime(*CLAUDE), Usage(input=1000, output=10, cached=900))
    assert plain is not None
    assert cached is not None
    assert cached < plain


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("http://127.0.0.1:1234/v1", "claude-sonnet-4-5"),
        ("https://llm.example.com/v1", "claude-sonnet-4-5"),
        ("https://api.anthropic.com", "no-such-model"),
        ("scripted:demo", "demo"),
    ],
)
def test_an_unknown_price_is_none(base_url: str, model: str) -> None:
    assert estimate(runtime(base_url, model), USED) is None


def test_what_the_endpoints_list_tells_wins_over_the_table() -> None:
    listed = replace(runtime(*CLAUDE), prices=(0.5, 2.0, 0.1))
    assert estimate(listed, Usage(input=10, output=3, cached=4)) == pytest.approx(3 + 0.4 + 6)
    free = replace(runtime("http://127.0.0.1:1/v1", "m"), prices=(0.0, 0.0, 0.0))
    assert estimate(free, USED) == 0


def test_a_bill_adds_up() -> None:
    bill = Bill()
    assert bill.amount is None
    bill.add(runtime(*CLAUDE), USED)
    once = bill.amount
    bill.add(runtime(*CLAUDE), USED)
    assert once is not None
    assert bill.amount == pytest.approx(2 * once)


def test_one_unknown_price_makes_the_sum_unknown_for_good() -> None:
    bill = Bill()
    bill.add(runtime(*CLAUDE), USED)
    bill.add(runtime("http://127.0.0.1:1/v1", "m"), USED)
    assert bill.amount is None
    bill.add(runtime(*CLAUDE), USED)
    assert bill.amount is None


def test_the_model_without_a_price_is_named() -> None:
    bill, other = Bill(), Bill()
    bill.add(runtime(*CLAUDE), USED)
    assert bill.unpriced == ""
    other.add(runtime("http://127.0.0.1:1/v1", "own"), USED)
    bill.include(other)
    assert bill.unpriced == "own"
    bill = Bill()
    bill.add(replace(runtime(*CLAUDE), speed=Speed("fast")), USED)
    assert bill.unpriced == f"{CLAUDE[1]} at the speed fast"


def test_a_subscription_is_not_paid_by_the_token() -> None:
    bill = Bill()
    bill.add(runtime(*CLAUDE), USED, metered=False)
    assert bill.amount is None


def test_a_resumed_session_goes_on_from_its_cost() -> None:
    bill = Bill()
    bill.resume(2.5)
    assert bill.amount == 2.5
    bill.add(runtime(*CLAUDE), USED)
    assert bill.amount == pytest.approx(2.5 + (estimate(runtime(*CLAUDE), USED) or 0))
    unknown = Bill()
    unknown.resume(None)
    unknown.add(runtime(*CLAUDE), USED)
    assert unknown.amount is None


def test_what_is_known_of_a_bill_is_told_beside_what_is_not() -> None:
    bill = Bill()
    bill.add(runtime("http://127.0.0.1:1/v1", "m"), USED)
    assert (bill.least, bill.known, bill.amount) == (0.0, False, None)
    bill.add(replace(runtime(*CLAUDE), prices=(0.5, 0.0, 0.0)), Usage(input=4))
    assert (bill.least, bill.known, bill.amount) == (2.0, False, None)


def test_a_bill_includes_another() -> None:
    bill, other = Bill(), Bill()
    bill.include(other)
    assert bill.amount is None
    other.resume(1.5)
    bill.include(other)
    bill.include(other)
    assert bill.amount == 3.0
    other.resume(None)
    bill.include(other)
    assert (bill.least, bill.amount) == (4.5, None)
