"""The tools over what the user's home keeps for every session: the memory and the skills."""

from collections.abc import Callable, Sequence

from hermes_core.agent.own_tools.memory import memory_tool
from hermes_core.ground.messages import Message
from hermes_core.local.config import Config
from hermes_core.local.skills import has_skills
from hermes_core.sessions.memory import targets_of
from hermes_core.tools.registry import ToolSpec
from hermes_core.tools.skill_view import skill_view


def kept_tools(config: Config, messages: Callable[[], Sequence[Message]]) -> dict[str, ToolSpec]:
    """Return ``memory`` unless it is switched off, and ``skill_view`` if there are skills.

    messages: returns the session's history.
    """
    specs = []
    if targets := targets_of(config):
        specs.append(memory_tool(config.home, messages, targets))
    if has_skills(config.home):
        specs.append(skill_view)
    return {spec.name: spec for spec in specs}
