"""Slash commands: what counts as one, and what the client is told of."""

from pathlib import Path
from typing import Any

import pytest

from acp_server.mapping import Json
from acp_server.slash import Commands
from hermes_core.commands.table import COMMANDS


class Told(list[Json]):
    """What a client was told."""


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def commands(tmp_path: Path, told: Told) -> Commands:
    return Commands(lambda: tmp_path, told.append)


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def write(home: Path, name: str, text: str) -> None:
    (home / "commands").mkdir(exist_ok=True)
    (home / "commands" / f"{name}.md").write_text(text)


@pytest.mark.parametrize(
    ("text", "name", "argument"),
    [
        ("/help", "help", ""),
        (" /help \n", "help", ""),
        ("/mode accept_edits", "mode", "accept_edits"),
        ("/plan\nthe whole\nthing", "plan", "the whole\nthing"),
    ],
)
def test_a_prompt_that_is_a_command_is_found(
    commands: Commands, text: str, name: str, argument: str
) -> None:
    assert commands.find(blocks(text)) == (COMMANDS[name], argument)


@pytest.mark.parametrize("text", ["help", "/usr/bin/env is what?", "//help", "", "/", "/a.b", "/1"])
def test_anything_else_is_for_the_model(commands: Commands, text: str) -> None:
    assert commands.find(blocks(text)) is None


@pytest.mark.parametrize(("text", "at_once"), [("/stpo", True), ("/tmp is full", False)])
def test_what_may_be_mistyped_is_answered_at_once(
    commands: Commands, text: str, at_once: bool
) -> None:
    found = commands.find(blocks(text))
    assert found is not None
    assert found[0] not in COMMANDS.values()
    assert found[0].at_once is at_once


def test_a_command_is_one_block_of_text(commands: Commands) -> None:
    assert commands.find(blocks("/help", "me")) is None
    assert commands.find([{"type": "image", "data": "", "mimeType": "image/png"}]) is None
    assert commands.find([]) is None


def test_the_commands_are_told_to_the_client(commands: Commands) -> None:
    listed = {command["name"]: command for command in commands.listed()["availableCommands"]}
    assert listed["mode"]["input"] == {"hint": "NAME"}
    assert "input" not in listed["help"]
    assert not any(name.startswith("/") for name in listed)


def test_prompts_of_the_users_own_are_told_once_they_change(
    commands: Commands, told: Told, tmp_path: Path
) -> None:
    commands.tell_changes()
    assert told == []
    before = commands.listed()
    commands.tell_changes()
    assert told == []
    write(tmp_path, "review", "---\ndescription: Review it\nargument-hint: FILE\n---\nReview $1.")
    commands.tell_changes()
    commands.tell_changes()
    (update,) = told
    assert update["availableCommands"][:-1] == before["availableCommands"]
    assert update["availableCommands"][-1] == {
        "name": "review",
        "description": "Review it",
        "input": {"hint": "FILE"},
    }
    (tmp_path / "commands" / "review.md").unlink()
    commands.tell_changes()
    assert told[-1] == before


def test_a_prompt_of_the_users_own_is_filled_beside_files(
    commands: Commands, tmp_path: Path
) -> None:
    write(tmp_path, "review", "Review $ARGUMENTS well.")
    link = {"type": "resource_link", "uri": "file:///a.py", "name": "a.py"}
    typed = [*blocks("/review tests and "), link]
    assert commands.filled(typed) == typed
    commands.listed()
    assert commands.filled(typed) == [*blocks("Review tests and well.\n\n"), link]
    for other in ([*blocks("/help"), link], [link, *blocks("/review")], blocks("/review"), []):
        assert commands.filled(other) == other


@pytest.mark.parametrize(
    "texts",
    [
        ("/login sk-canary",),
        ("/LOGIN sk-canary",),
        ("/login\nsk-canary",),
        ("/login\tsk-canary ",),
        ("/login", "sk-canary"),
    ],
)
def test_a_key_typed_with_login_never_reaches_the_model(
    commands: Commands, texts: tuple[str, ...]
) -> None:
    found = commands.find(blocks(*texts))
    assert found is not None
    assert (found[0].name, found[1]) == ("login", "sk-canary")
