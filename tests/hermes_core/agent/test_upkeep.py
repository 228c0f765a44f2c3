"""What happens around the model calls of a turn."""

from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ContextOverflow


def test_everything_is_called_in_order() -> None:
    seen: list[str] = []
    upkeep = Upkeep(
        before=[lambda budget: seen.append(f"a{budget.used}"), lambda _: seen.append("b")],
        after=[lambda: seen.append("z")],
    )
    upkeep.before_step(Budget(3))
    upkeep.after_turn()
    assert seen == ["a0", "b", "z"]


def test_notes_are_joined_and_empty_ones_left_out() -> None:
    upkeep = Upkeep(notes=[lambda _: "one", lambda _: "", lambda budget: str(budget.limit)])
    assert upkeep.note(Budget(7)) == "one\n7"
    assert Upkeep().note(Budget(7)) == ""


def test_the_first_that_makes_room_is_enough() -> None:
    asked: list[str] = []

    def make(name: str, answer: bool) -> bool:
        asked.append(name)
        return answer

    upkeep = Upkeep(
        overflow=[
            lambda _: make("a", False),
            lambda _: make("b", True),
            lambda _: make("c", True),
        ]
    )
    assert upkeep.overflowed(ContextOverflow("too long"))
    assert asked == ["a", "b"]
    assert not Upkeep().overflowed(ContextOverflow("too long"))
