"""The core of Hermes: a coding agent as a library, without a server or an event loop."""

from typing import TYPE_CHECKING, Any

from hermes_core.ground.version import __version__

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent

__all__ = ["AIAgent", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "AIAgent":
        from hermes_core.agent.agent import AIAgent

        return AIAgent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
