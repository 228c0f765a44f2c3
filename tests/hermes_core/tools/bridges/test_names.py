"""Names of foreign tools."""

import re

import pytest

from hermes_core.tools.bridges.names import LONGEST, plain, tool_name

ALLOWED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def test_a_plain_name_is_kept() -> None:
    assert tool_name("github", "list_issues", ()) == "github__list_issues"


@pytest.mark.parametrize(
    ("server", "tool"),
    [
        ("my server", "do it!"),
        ("", ""),
        ("9lives", "1"),
        ("ünïcode", "naïve/tool"),
        ("s" * 80, "t" * 200),
        ("a__b", "c__d"),
        ("x", "read_file\n\x1b[2J"),
        ("\ud800", "\ud800"),
    ],
)
def test_an_odd_name_becomes_one_that_every_provider_takes(server: str, tool: str) -> None:
    name = tool_name(server, tool, ())
    assert ALLOWED.fullmatch(name)
    assert len(name) <= LONGEST
    assert "__" in name
    assert name == tool_name(server, tool, ())


def test_names_that_would_be_the_same_differ() -> None:
    taken: set[str] = set()
    for tool in ("a b", "a_b", "a!b", "a?b"):
        taken.add(tool_name("s", tool, taken))
    assert len(taken) == 4
    long = {tool_name("s", "t" * 100 + end, ()) for end in "abc"}
    assert len(long) == 3


def test_a_name_cannot_look_like_another_servers() -> None:
    assert plain("git__hub") == "git_hub"
    assert tool_name("git__hub", "x", ()) != tool_name("git", "hub__x", ())
