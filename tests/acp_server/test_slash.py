"""Slash commands: what counts as one, and what it does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_server import slash
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config, load_config


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


RUNTIME = Runtime(
    "custom",
    "m",
    "chat_completions",
    "https://x.example/v1",
    Secret(""),
    source=("provider custom: model.provider in config.yaml", "key: none"),
)


class Room:
    """What the commands of a test look at and change."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.modes: list[Mode] = []
        self.choices: list[tuple[str | None, str | None]] = []
        self.configs: list[Config] = []

    def choose(self, provider: str | None, model: str | None) -> Runtime:
        if provider == "nobody":
            raise ConfigError("There is no provider 'nobody'.")
        self.choices.append((provider, model))
        return replace(RUNTIME, provider=provider or "custom", model=model or "m")

    def run(self, text: str) -> str:
        found = slash.find(blocks(text))
        assert found is not None
        seat = slash.Seat(
            cwd="/w/project",
            mode="default",
            set_mode=self.modes.append,
            model=lambda: "`m` through custom",
            tools=lambda: ["read_file"],
            runtime=lambda: RUNTIME,
            choose=self.choose,
            config=lambda: load_config({"HERMES_HOME": str(self.home), "HOME": str(self.home)}),
            configure=self.configs.append,
            interrupt=Interrupt(),
        )
        command, argument = found
        return slash.answer(command, seat, argument)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


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


def test_help_names_every_command(room: Room) -> None:
    text = room.run("/help")
    assert all(f"/{command.usage}" in text for command in slash.COMMANDS.values())


def test_mode_changes_the_mode_or_lists_them(room: Room) -> None:
    room.run("/mode accept_edits")
    assert room.modes == ["accept_edits"]
    assert "accept_edits" in room.run("/mode")
    assert room.modes == ["accept_edits"]


def test_a_wrong_mode_is_explained(room: Room) -> None:
    text = room.run("/mode yolo")
    assert room.modes == []
    assert "yolo" in text
    assert "accept_edits" in text


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("/model x/y", (None, "x/y")),
        ("/model x/y --provider zai", ("zai", "x/y")),
        ("/model --provider=zai x/y", ("zai", "x/y")),
        ("/model --provider zai", ("zai", None)),
        ("/provider zai", ("zai", None)),
    ],
)
def test_another_model_is_chosen(
    text: str, choice: tuple[str | None, str | None], room: Room
) -> None:
    said = room.run(text)
    assert room.choices == [choice]
    assert f"`{choice[1] or 'm'}` through `{choice[0] or 'custom'}`" in said


@pytest.mark.parametrize(
    "text", ["/model a b", "/model --fast", "/model x --provider", "/provider nobody"]
)
def test_a_choice_that_is_none_is_explained(text: str, room: Room) -> None:
    assert room.run(text)
    assert room.choices == []


def test_the_model_and_the_reasons_are_shown(room: Room) -> None:
    assert "`m` through `custom`" in room.run("/model")
    told = room.run("/provider")
    for step in RUNTIME.source:
        assert step in told
    assert room.choices == []


def test_providers_are_listed_with_their_needs(room: Room) -> None:
    told = room.run("/providers")
    assert "`openrouter`: OPENROUTER_API_KEY" in told


def test_fallbacks_are_changed_and_used_at_once(room: Room) -> None:
    assert "no fallbacks" in room.run("/fallback")
    assert room.configs == []
    room.run("/fallback add zai glm-5")
    room.run("/fallback add deepseek v4")
    assert [one.model for one in room.configs[-1].fallback_providers] == ["glm-5", "v4"]
    room.run("/fallback remove 1")
    assert [one.model for one in room.configs[-1].fallback_providers] == ["v4"]
    room.run("/fallback clear")
    assert room.configs[-1].fallback_providers == ()
    assert "not understood" in room.run("/fallback please")
    assert len(room.configs) == 4


def test_the_commands_are_told_to_the_client() -> None:
    update = slash.available()
    listed = {command["name"]: command for command in update["availableCommands"]}
    assert listed["mode"]["input"] == {"hint": "NAME"}
    assert "input" not in listed["help"]
    assert not any(name.startswith("/") for name in listed)
