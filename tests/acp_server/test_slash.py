"""Slash commands: what counts as one, and what the client is told of."""

from typing import Any

import pytest

from acp_server import slash


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


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


def test_the_commands_are_told_to_the_client() -> None:
    update = slash.available()
    listed = {command["name"]: command for command in update["availableCommands"]}
    assert listed["mode"]["input"] == {"hint": "NAME"}
    assert "input" not in listed["help"]
    assert not any(name.startswith("/") for name in listed)


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
def test_a_key_typed_with_login_never_reaches_the_model(texts: tuple[str, ...]) -> None:
    found = slash.find(blocks(*texts))
    assert found is not None
    assert (found[0].name, found[1]) == ("login", "sk-canary")
