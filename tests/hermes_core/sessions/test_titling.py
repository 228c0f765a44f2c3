"""Titles, and who may replace whose."""

import pytest

from hermes_core.sessions.store import Store
from hermes_core.sessions.titling import LONGEST, TitledBy, clean_title, set_title, titled_by


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  Fix\n the\tparser ", "Fix the parser"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("a\u202eb\u200bc\ufeff", "abc"),
        ("lone \ud800", "lone"),
        ("\x00\u2028", ""),
        ("検索を直す 🙂", "検索を直す 🙂"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("x" * 500, "x" * (LONGEST - 1) + "…"),
    ],
)
def test_a_title_is_one_line_that_hides_nothing(text: str, title: str) -> None:
    assert clean_title(text) == title


@pytest.mark.parametrize(
    ("before", "by", "is_set"),
    [
        ("prompt", "prompt", True),
        ("prompt", "model", True),
        ("prompt", "person", True),
        ("model", "prompt", False),
        ("model", "model", True),
        ("model", "person", True),
        ("person", "prompt", False),
        ("person", "model", False),
        ("person", "person", True),
    ],
)
def test_nobody_replaces_a_person_s_title_but_a_person(
    store: Store, before: TitledBy, by: TitledBy, is_set: bool
) -> None:
    assert set_title(store, "s", "first", before)
    assert set_title(store, "s", "second", by) is is_set
    row = store.session("s")
    assert row is not None
    assert row.title == ("second" if is_set else "first")
    assert titled_by(store, "s") == (by if is_set else before)


def test_an_unknown_session_gets_none(store: Store) -> None:
    assert not set_title(store, "missing", "x", "person")
    assert titled_by(store, "missing") == "prompt"
