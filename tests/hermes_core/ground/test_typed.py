"""What people type: repeated in short, and read as numbers of any length."""

import pytest

from hermes_core.ground.typed import LONGEST, quoted, whole_number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("word", "'word'"),
        ("", "''"),
        ("a\nb\x1b\u202e", "'a\\nb\\x1b\\u202e'"),
        ("x" * LONGEST, f"'{'x' * LONGEST}'"),
        ("x" * (LONGEST + 1), f"'{'x' * (LONGEST - 1)}…'"),
    ],
)
def test_what_was_typed_is_repeated_in_short(text: str, shown: str) -> None:
    assert quoted(text) == shown


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("٣", 3),
        ("123456789", 123_456_789),
        ("0" * 5000 + "12", 12),
        ("1" * 10, 999_999_999),
        ("9" * 5000, 999_999_999),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("²", None),
        ("x", None),
    ],
)
def test_a_number_of_any_length_is_one(text: str, number: int | None) -> None:
    assert whole_number(text) == number
