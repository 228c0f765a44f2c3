"""How a session gets its title."""

import pytest

from hermes_core.agent.opening import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Fix the bug", "Fix the bug"),
        ("\n\n  Fix   the\tbug \nand then\n", "Fix the bug"),
        ("", ""),
        (" \n ", ""),
        ("a\u202eb\u200bc\x1b[2J", "abc [2J"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ("word " * 40, "word " * 15 + "word…"),
    ],
)
def test_the_first_line_is_the_title(text: str, title: str) -> None:
    assert title_of(text) == title
    assert len(title) <= 80
