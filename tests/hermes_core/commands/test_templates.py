"""Prompts of the user's own, and what is typed with a slash and is no command."""

from pathlib import Path

import pytest

from hermes_core.commands.seat import Prompt, Prompts
from hermes_core.commands.table import COMMANDS
from hermes_core.commands.templates import (
    expand,
    near_names,
    run_typed,
    split_command,
    templates_text,
)
from hermes_core.ground.errors import HermesError
from hermes_core.local.templates import Broken, Template, Templates
from tests.hermes_core.commands.seats import seat_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/plan it all", ("plan", "it all")),
        ("  /plan\n it ", ("plan", "it")),
        ("/my-own_1", ("my-own_1", "")),
        ("/usr/bin", None),
        ("/a.py", None),
        ("/ x", None),
        ("//x", None),
        ("plan /x", None),
        ("/é", None),
        (f"/{'a' * 65}", None),
    ],
)
def test_what_may_be_a_command(text: str, expected: tuple[str, str] | None) -> None:
    assert split_command(text) == expected


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hlep", "help"),
        ("helo", "help"),
        ("modle", "model"),
        ("stpo", "stop"),
        ("ustop", "stop"),
        ("HELP", "help"),
        ("qeue", "queue"),
        ("contxt", "context"),
        ("und", "undo"),
        ("chekpoints", "checkpoints"),
        ("logut", "logout"),
    ],
)
def test_a_mistyped_command_is_near(typed: str, meant: str) -> None:
    assert near_names(typed, COMMANDS)[0] == meant


@pytest.mark.parametrize(
    "typed",
    ["tmp", "usr", "etc", "home", "var", "opt", "bin", "dev", "clear", "x", "agents", "explain"],
)
def test_what_is_like_no_command_is_near_to_none(typed: str) -> None:
    assert near_names(typed, COMMANDS) == []


@pytest.mark.parametrize(
    ("body", "argument", "expected"),
    [
        ("Review $1 for $2.", "a.py speed", "Review a.py for speed."),
        ("Review $1 for $2.", "a.py", "Review a.py for ."),
        ("Look: $ARGUMENTS!", "all of it", "Look: all of it!"),
        ("$1", "'two words' three", "two words"),
        ("$1", "it's", "it's"),
        ("$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"),
        ("$10 $ARGUMENTSX $0 $x", "a", "$10 $ARGUMENTSX $0 $x\n\na"),
        ("No place.", "what is typed", "No place.\n\nwhat is typed"),
        ("No place.", "", "No place."),
    ],
)
def test_a_template_takes_what_is_typed(body: str, argument: str, expected: str) -> None:
    assert expand(Template("t", "", "", body), argument) == expected


def write(home: Path, name: str, text: str) -> None:
    (home / "commands").mkdir(exist_ok=True)
    (home / "commands" / f"{name}.md").write_text(text)


def test_a_template_becomes_a_prompt(tmp_path: Path) -> None:
    write(tmp_path, "review", "Review $1.")
    reply = run_typed(seat_in(tmp_path), "/review a.py", COMMANDS)
    assert reply == Prompts((Prompt("Review a.py."),))


def test_a_broken_template_is_told(tmp_path: Path) -> None:
    write(tmp_path, "review", " ")
    with pytest.raises(HermesError, match=r"commands/review\.md cannot be used: it holds no"):
        run_typed(seat_in(tmp_path), "/review", COMMANDS)


def test_what_is_mistyped_is_answered_and_not_sent(tmp_path: Path) -> None:
    write(tmp_path, "review", "x")
    seat = seat_in(tmp_path)
    said = run_typed(seat, "/reviw a.py", COMMANDS)
    assert isinstance(said, str)
    assert "`/review`" in said
    assert "no command `/reviw`" in said


@pytest.mark.parametrize("text", ["/tmp is full, why?", "/explain this", "/usr/bin x", "plain"])
def test_everything_else_is_for_the_model(tmp_path: Path, text: str) -> None:
    assert run_typed(seat_in(tmp_path), text, COMMANDS) == Prompts((Prompt(text),))


def test_a_place_that_is_there_is_for_the_model(tmp_path: Path) -> None:
    near_a_path = "/tmp"  # which is there
    assert run_typed(seat_in(tmp_path), near_a_path, ["tmpp"]) == Prompts((Prompt("/tmp"),))


def test_templates_are_listed_with_the_broken_ones() -> None:
    assert templates_text(Templates()) == ""
    text = templates_text(
        Templates((Template("a", "Do it", "[x]", "b"),), (Broken("b", "it holds no prompt"),))
    )
    assert "- `/a [x]`: Do it" in text
    assert "`commands/b.md` cannot be used: it holds no prompt" in text
