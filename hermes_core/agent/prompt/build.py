"""The system prompt, put together from its layers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from hermes_core.agent.prompt.environment import environment
from hermes_core.agent.prompt.given import Instructions, given, overrides
from hermes_core.agent.prompt.identity import identity
from hermes_core.agent.prompt.layer import Layer, joined, layers_of
from hermes_core.agent.prompt.project import project
from hermes_core.agent.prompt.recall import NAMES, recall
from hermes_core.agent.prompt.skills import skills
from hermes_core.agent.prompt.work import tools, work
from hermes_core.ground.ports import Files
from hermes_core.local.config import Config
from hermes_core.local.files import LocalFiles
from hermes_core.local.workspace import Workspace
from hermes_core.sessions.memory import Target, targets_of


@dataclass(frozen=True, slots=True)
class Scene:
    """What a prompt is built from.

    home: the folder of our settings. files: reads instruction files; it must not ask an editor,
    which may not be able to answer yet. tools: the names of those that the model is offered.
    remembered: which memory files are told. instructions: those of who opened the session.
    """

    cwd: Path
    additional: Sequence[Path]
    home: Path
    files: Files
    tools: Collection[str] = ()
    remembered: Collection[Target] = ("memory", "user")
    today: date = field(default_factory=date.today)
    instructions: Instructions | None = None


def build_layers(scene: Scene) -> tuple[Layer, ...]:
    """Return the layers of a new session's prompt, in their order, without empty ones."""
    ours = (identity(scene.home, scene.files), work(), tools(scene.tools))
    layers = (
        *(() if overrides(scene.instructions) else ours),
        given(scene.instructions),
        skills(scene.home) if "skill_view" in scene.tools else Layer("skills", ""),
        environment(scene.cwd, scene.additional, scene.today),
        project(scene.cwd, scene.additional, scene.files),
        *(recall(scene.home, target) for target in scene.remembered),
    )
    return tuple(layer for layer in layers if layer.text)


def scene_of(
    config: Config,
    workspace: Workspace,
    tools: Collection[str],
    instructions: Instructions | None = None,
) -> Scene:
    """Return the scene of a session in ``workspace`` with the tools of these names."""
    return Scene(
        cwd=workspace.cwd,
        additional=workspace.additional,
        home=config.home,
        files=LocalFiles(),
        tools=tools,
        remembered=targets_of(config),
        instructions=instructions,
    )


def build_prompt(scene: Scene) -> str:
    """Return the system prompt of a new session. Never fails for want of a file.

    It is built once for a session and stored with it, so that a provider's prefix cache holds and
    a resumed session goes on under the same words.
    """
    return joined(build_layers(scene))


def recalled(prompt: str, config: Config) -> str:
    """Return ``prompt`` with what is remembered now; every other byte of it stays.

    One that was not built here is returned as it is.
    """
    layers = layers_of(prompt)
    others = tuple(layer for layer in layers if layer.name not in NAMES)
    if joined(layers) != prompt or len(layers) == 1 or others != layers[: len(others)]:
        return prompt
    remembered = (recall(config.home, target) for target in targets_of(config))
    return joined((*others, *remembered))
