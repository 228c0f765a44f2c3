"""Slash commands: what counts as one, and what it does."""

from typing import Any

import pytest

from acp_server import slash
from hermes_core.ground.actions import Mode


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def seat(changed: list[Mode]) -> slash.Seat:
    return slash.Seat(
        cwd="/w/project",
        mode="default",
        set_mode=changed.append,
        model=lambda: "`m` through custom",
        tools=lambda: ["read_file"],
    )


def run(text: str) -> tuple[str, list[Mode]]:
    found = slash.find(blocks(text))
    assert found is not None
    changed: list[Mode] = []
    command, argument = found
    return command.run(seat(changed), argument), changed


@pytest.mark.parametrize("text", ["/help", " /help \n", "/mode accept_edits"])
def test_a_prompt_that_is_a_command_is_found(text: str) -> None:
    assert slash.find(blocks(text)) is not None


@pytest.mark.parametrize("text", ["help", "/helpme", "/usr/bin/env is what?", "//help", "", "/"])
def test_anything_else_is_for_the_model(text: str) -> None:
    assert slash.find(blocks(text)) is None


def test_a_command_is_one_block_of_text() -> None:
    assert slash.find(blocks("/help", "me")) is None
    assert slash.find([{"type": "image", "data": "", "mimeType": "image/png"}]) is None
    assert slash.find([]) is None


def test_help_names_every_command() -> None:
    text, _ = run("/help")
    assert all(f"/{command.usage}" in text for command in slash.COMMANDS.values())


def test_mode_changes_the_mode_or_lists_them() -> None:
    assert run("/mode accept_edits")[1] == ["accept_edits"]
    text, changed = run("/mode")
    assert changed == []
    assert "accept_edits" in text


def test_a_wrong_mode_is_explained() -> None:
    text, changed = run("/mode yolo")
    assert changed == []
    assert "yolo" in text
    assert "accept_edits" in text


def test_the_commands_are_told_to_the_client() -> None:
    update = slash.available()
    listed = {command["name"]: command for command in update["availableCommands"]}
    assert listed["mode"]["input"] == {"hint": "NAME"}
    assert "input" not in listed["help"]
    assert not any(name.startswith("/") for name in listed)
