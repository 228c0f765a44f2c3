"""What each slash command does."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from hermes_core.commands.seat import Seat, answer
from hermes_core.commands.table import COMMANDS
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config, load_config

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent

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
        name, _, argument = text.partition(" ")
        seat = Seat(
            agent=cast("AIAgent", None),
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
        said = answer(COMMANDS[name.removeprefix("/")], seat, argument)
        assert isinstance(said, str)
        return said


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_help_names_every_command(room: Room) -> None:
    text = room.run("/help")
    assert all(f"/{command.usage}" in text for command in COMMANDS.values())


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


@pytest.mark.parametrize("name", [one.name for one in COMMANDS.values() if not one.hint])
def test_what_takes_nothing_says_so(room: Room, name: str) -> None:
    said = room.run(f"/{name} nonsense")
    assert said == f"`/{name}` takes nothing behind it. Type `/{name}` alone."
