import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.tools.indentation import reindent


@pytest.mark.parametrize(
    ("old", "found", "new", "wanted"),
    [
        pytest.param(["a"], ["a"], "  b", "  b", id="nothing to do"),
        pytest.param(["a"], ["    a"], "b\n  c", "    b\n      c", id="shift in"),
        pytest.param(["    a"], ["a"], "    b\n      c\nd", "b\n  c\nd", id="shift out"),
        pytest.param(["  a", "    b"], ["\ta", "\t\tb"], "  c\n      d", "\tc\n\t\t\td", id="tabs"),
        pytest.param(
            ["\ta", "\t\tb"], ["  a", "    b"], "\tc\n\t\t\td", "  c\n      d", id="blanks"
        ),
        pytest.param(["    a"], ["\ta"], "    b\n        c", "\tb\n\t\tc", id="one pair of units"),
        pytest.param(["a"], ["\ta"], "b\n  c\n    d", "\tb\n\t\tc\n\t\t\td", id="unit of the new"),
        pytest.param(["\ta"], ["a"], "\tb\n\t\tc", "b\n\tc", id="tabs shifted out"),
        pytest.param(["  a"], ["\ta"], "  b\n     c", "\tb\n\t\t c", id="half a unit"),
        pytest.param([" \ta"], ["    a"], " \tb\n \t  c", "    b\n      c", id="mixed, by prefix"),
        pytest.param(
            ["a", "  b", "    c"],
            ["a", "  b", "      c"],
            "    d\n      e",
            "      d\n        e",
            id="uneven depths, by prefix",
        ),
        pytest.param(["a", "", "b"], [" a", "", " b"], "a\n\nc", " a\n\n c", id="blank lines"),
        pytest.param(["a"], ["  a "], "a\nb", "  a \n  b", id="equal lines stay the file's own"),
    ],
)
def test_new_text_is_indented_as_the_file_is(
    old: list[str], found: list[str], new: str, wanted: str
) -> None:
    assert reindent(old, found, new) == wanted


def test_one_depth_cannot_become_two() -> None:
    assert reindent(["a", "b"], ["  a", "    b"], "c") is None


INDENTED = st.lists(
    st.tuples(st.integers(0, 4), st.text("xyz", min_size=1, max_size=3)), min_size=1, max_size=8
)


@given(
    block=INDENTED,
    units=st.sampled_from([("  ", "    "), ("    ", "\t"), ("\t", "  "), ("  ", "  ")]),
    shift=st.integers(0, 3),
)
def test_a_block_of_another_unit_and_depth_becomes_the_files(
    block: list[tuple[int, str]], units: tuple[str, str], shift: int
) -> None:
    mine, theirs = units
    old = [mine * depth + text for depth, text in block]
    found = [theirs * (depth + shift) + text for depth, text in block]
    added = [f"{mine * depth}new {text}" for depth, text in block]
    result = reindent(old, found, "\n".join([*old, *added]))
    assert result is not None
    assert result.split("\n")[: len(old)] == found
    if len({depth for depth, _ in block}) > 1:
        wanted = [f"{theirs * (depth + shift)}new {text}" for depth, text in block]
        assert result.split("\n")[len(old) :] == wanted
