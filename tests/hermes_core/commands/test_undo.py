"""``/undo``, ``/rewind``, ``/redo`` and ``/checkpoints`` by themselves."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.undoing import Undone
from hermes_core.commands.seat import Seat
from hermes_core.commands.undo import run_checkpoints, run_redo, run_rewind, run_undo
from hermes_core.ground.errors import HermesError
from hermes_core.sessions.checkpoints import Checkpoint, Snapshot
from tests.hermes_core.commands.seats import seat_in

DONE = Undone("make it", 2, (Path("/w/a.py"),), (Path("/w/b.py"),))


@dataclass
class Rewind:
    """Two turns, the second of which changed files; ``asked`` keeps what was to be taken back."""

    done: Undone | None = DONE
    asked: list[Any] = field(default_factory=list)
    turns: tuple[Checkpoint, ...] = (
        Checkpoint(1, "m1", "make it", 0.0, "s", 0),
        Checkpoint(2, "m2", "", 0.0, "s", 2, (Snapshot("/w", "a", "b"),)),
    )

    def checkpoints(self) -> list[Checkpoint]:
        return list(self.turns)

    def undo(self, turns: int, _interrupt: object) -> Undone | None:
        self.asked.append(turns)
        return self.done

    def go_back(self, first: Checkpoint, _interrupt: object) -> Undone | None:
        self.asked.append(first.number)
        return self.done

    def redo(self, _interrupt: object) -> Undone | None:
        return self.done


@dataclass
class Agent:
    rewind: Rewind


@pytest.fixture
def rewind() -> Rewind:
    return Rewind()


@pytest.fixture
def seat(tmp_path: Path, rewind: Rewind) -> Seat:
    return seat_in(tmp_path, Agent(rewind))  # type: ignore[arg-type]


def test_what_was_put_back_and_what_was_left_is_told(seat: Seat, rewind: Rewind) -> None:
    for text in (run_undo(seat, "2"), run_rewind(seat, "#2")):
        assert "The last 2 turns are taken back" in text
        assert "before “make it”" in text
        assert "Put back: `/w/a.py`." in text
        assert "since somebody else changed it, after the turn or meanwhile: `/w/b.py`." in text
        assert "`/redo` takes this back" in text
    assert rewind.asked == [2, 2]
    assert "goes on as it was before" in run_redo(seat, "")


def test_one_turn_is_taken_back_without_a_number(seat: Seat, rewind: Rewind) -> None:
    rewind.done = Undone("x", 1)
    assert "The last turn is taken back" in run_undo(seat, "")
    assert "No file had to be put back." in run_undo(seat, "")
    assert rewind.asked == [1, 1]


def test_a_person_may_decline(seat: Seat, rewind: Rewind) -> None:
    rewind.done = None
    assert {run_undo(seat, ""), run_rewind(seat, "1"), run_redo(seat, "")} == {
        "Nothing was changed."
    }


def test_turns_are_listed_by_number_and_those_that_changed_files_marked(seat: Seat) -> None:
    first, second = run_checkpoints(seat, "").splitlines()
    assert (first[:3], first.endswith("before: make it")) == ("1. ", True)
    assert (second[:3], second.endswith("before: (no text) (changed files)")) == ("2. ", True)
    assert "`/rewind NUMBER`" in run_rewind(seat, "")


@pytest.mark.parametrize("number", ["0", "3", "-1", "x", "1.0", "²", "#"])
def test_a_number_that_is_none_changes_nothing(seat: Seat, rewind: Rewind, number: str) -> None:
    with pytest.raises(HermesError, match="See `/checkpoints`"):
        run_rewind(seat, number)
    assert rewind.asked == []


@pytest.mark.parametrize("turns", ["x", "-1", "1.5", "²"])
def test_turns_that_are_no_number_change_nothing(seat: Seat, rewind: Rewind, turns: str) -> None:
    with pytest.raises(HermesError, match="takes a number of turns"):
        run_undo(seat, turns)
    assert rewind.asked == []


def test_a_session_without_turns_says_so(seat: Seat, rewind: Rewind) -> None:
    rewind.turns = ()
    assert "nothing to go back to" in run_checkpoints(seat, "")
