"""The system prompt: layers of one owner each, joined once for a session."""

from hermes_core.agent.prompt.build import Scene, build_layers, build_prompt, recalled, scene_of

__all__ = ["Scene", "build_layers", "build_prompt", "recalled", "scene_of"]
