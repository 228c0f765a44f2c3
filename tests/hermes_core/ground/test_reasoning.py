"""How an effort becomes an endpoint's request fields."""

import pytest

from hermes_core.ground.reasoning import EFFORT, EFFORTS, NO_REASONING, Reasoning

BUDGET = Reasoning(
    on={"thinking": {"type": "enabled", "budget": EFFORT}, "more": True},
    off={"thinking": {"type": "disabled"}},
    unset={"thinking": {"type": "auto"}},
    efforts=(("low", 4000), ("high", 16000), ("xhigh", 32000)),
)


@pytest.mark.parametrize(
    ("effort", "budget"),
    [
        ("minimal", 4000),
        ("low", 4000),
        ("medium", 4000),
        ("high", 16000),
        ("xhigh", 32000),
        ("max", 32000),
        ("ultra", 32000),
        ("a word of its own", 4000),
    ],
)
def test_an_effort_becomes_the_strongest_known_that_is_not_stronger(
    effort: str, budget: int
) -> None:
    assert BUDGET.fields(effort) == {
        "thinking": {"type": "enabled", "budget": budget},
        "more": True,
    }


def test_none_turns_it_off_and_nothing_chosen_says_so() -> None:
    assert BUDGET.fields("none") == {"thinking": {"type": "disabled"}}
    assert BUDGET.fields(None) == {"thinking": {"type": "auto"}}


def test_a_switch_needs_no_efforts() -> None:
    switch = Reasoning(on={"think": True}, efforts=())
    assert switch.fields("high") == {"think": True}
    assert Reasoning(on={"effort": EFFORT}, efforts=()).fields("high") == {"effort": "high"}


@pytest.mark.parametrize("effort", [None, *EFFORTS])
def test_no_reasoning_says_nothing(effort: str | None) -> None:
    assert NO_REASONING.fields(effort) == {}


def test_what_is_returned_is_the_callers_own() -> None:
    BUDGET.fields("low")["more"] = False
    BUDGET.fields(None)["more"] = False
    assert BUDGET.fields("low")["more"] is True
    assert "more" not in BUDGET.fields(None)
