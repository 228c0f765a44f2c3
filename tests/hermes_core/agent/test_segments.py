"""Which calls run at the same time: table and properties."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.agent.segments import Reach, split


@dataclass(frozen=True)
class Call:
    name: str
    reach: Reach


def look(name: str) -> Call:
    return Call(name, Reach("always"))


def change(name: str, *paths: str) -> Call:
    return Call(name, Reach("paths", tuple(Path(p) for p in paths)))


def act(name: str) -> Call:
    return Call(name, Reach("never"))


@pytest.mark.parametrize(
    ("calls", "runs"),
    [
        ([], []),
        ([act("a")], ["a"]),
        ([look("a"), look("b"), look("c")], ["abc"]),
        ([act("a"), act("b")], ["a", "b"]),
        ([look("a"), act("b"), look("c"), look("d")], ["a", "b", "cd"]),
        ([change("a", "/x"), change("b", "/y")], ["ab"]),
        ([change("a", "/x"), change("b", "/x")], ["a", "b"]),
        ([change("a", "/x"), change("b", "/x/y")], ["a", "b"]),
        ([change("a", "/x/y"), change("b", "/x")], ["a", "b"]),
        ([change("a", "/x"), change("b", "/xy")], ["ab"]),
        ([change("a", "/x", "/y"), change("b", "/z", "/y/w")], ["a", "b"]),
        (
            [change("a", "/x"), change("b", "/y"), change("c", "/x"), change("d", "/y")],
            ["ab", "cd"],
        ),
        ([look("a"), change("b", "/x"), look("c")], ["a", "b", "c"]),
        ([change("a"), change("b", "/x")], ["a", "b"]),
        ([change("a"), change("b")], ["a", "b"]),
    ],
)
def test_table(calls: list[Call], runs: list[str]) -> None:
    assert ["".join(call.name for call in run) for run in split(calls)] == runs


PATHS = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(lambda p: Path("/", *p))
REACHES = st.one_of(
    st.just(Reach("always")),
    st.just(Reach("never")),
    st.lists(PATHS, max_size=2).map(lambda paths: Reach("paths", tuple(paths))),
)
CALLS = st.lists(REACHES, max_size=12).map(lambda rs: [Call(str(i), r) for i, r in enumerate(rs)])


def disturbs(one: Reach, other: Reach) -> bool:
    """The same rule in other words."""
    if {one.together, other.together} == {"always"}:
        return False
    if {one.together, other.together} != {"paths"} or not (one.paths and other.paths):
        return True
    return any(
        str(a / "_").startswith(f"{b}/") or str(b / "_").startswith(f"{a}/")
        for a in one.paths
        for b in other.paths
    )


@given(CALLS)
def test_order_is_kept_and_nothing_is_lost(calls: list[Call]) -> None:
    assert [call for run in split(calls) for call in run] == calls


@given(CALLS)
def test_members_of_a_run_do_not_disturb_each_other(calls: list[Call]) -> None:
    for run in split(calls):
        assert run
        for place, one in enumerate(run):
            assert not any(disturbs(one.reach, other.reach) for other in run[place + 1 :])


@given(CALLS)
def test_runs_are_as_long_as_they_may_be(calls: list[Call]) -> None:
    runs = split(calls)
    for run, following in pairwise(runs):
        assert any(disturbs(following[0].reach, call.reach) for call in run)
