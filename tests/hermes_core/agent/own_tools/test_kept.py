"""Which of the tools over the user's home a session has."""

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.agent.own_tools.kept import kept_tools
from hermes_core.ground.errors import ToolError
from hermes_core.local.config import Config
from tests.hermes_core.agent.doubles import MakeAgent, Stage


@pytest.fixture
def home_config(tmp_path: Path) -> Config:
    return Config(home=tmp_path)


def test_memory_can_be_switched_off_in_part_or_whole(home_config: Config, tmp_path: Path) -> None:
    assert list(kept_tools(home_config, list)) == ["memory"]
    part = replace(home_config, memory_enabled=False)
    memory = kept_tools(part, list)["memory"]
    with pytest.raises(ToolError, match="switched"):
        memory.prepare(Stage(tmp_path).tools.context, {"target": "memory"})
    assert kept_tools(replace(part, user_profile_enabled=False), list) == {}


def test_skills_are_offered_where_there_are_some(home_config: Config) -> None:
    (home_config.home / "skills/a").mkdir(parents=True)
    assert "skill_view" not in kept_tools(home_config, list)
    (home_config.home / "skills/a/SKILL.md").write_text("x")
    assert "skill_view" in kept_tools(home_config, list)


def test_what_is_switched_off_is_not_told(make_agent: MakeAgent, config: Config) -> None:
    (config.home / "memories").mkdir()
    (config.home / "memories/MEMORY.md").write_text("a fact")
    (config.home / "memories/USER.md").write_text("a person")
    assert "a fact" in make_agent().system_prompt
    prompt = make_agent(config=replace(config, memory_enabled=False)).system_prompt
    assert "a fact" not in prompt
    assert "a person" in prompt
