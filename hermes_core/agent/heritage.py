"""What a child, an agent that works for another one, has from it: no more than this is shared."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hermes_core.agent.consent import Consent
from hermes_core.agent.engine import Engine
from hermes_core.agent.mcp_tools import McpTools
from hermes_core.local.config import Config
from hermes_core.tools.registry import ToolSpec

if TYPE_CHECKING:
    from hermes_core.providers.resolution import Request

NOT_FOR_CHILDREN = frozenset({"clarify", "memory", "leave_plan_mode"})
"""Tools for the agent alone that talks to the user."""


@dataclass(frozen=True, slots=True)
class Heritage:
    """What a child is given.

    consent: mode, grants and questions are the parent's. engine: the one provider it asks.
    depth: 1 for a child of the user's own agent, one more for each further generation.
    mcp: the parent's MCP servers.
    """

    consent: Consent
    engine: Engine
    depth: int
    mcp: McpTools = field(default_factory=McpTools)

    def allowed(self, tools: Mapping[str, ToolSpec]) -> dict[str, ToolSpec]:
        """Return the tools that a child may have of ``tools``."""
        return {name: spec for name, spec in tools.items() if name not in NOT_FOR_CHILDREN}


def request_of(engine: Engine) -> "Request":
    """Return what a child asks: the provider that serves its parent now, or the one set for it.

    Raises ``ConfigError`` if nothing can be asked.
    """
    config, request = engine.config, engine.request_in_use()
    if config.delegation_provider:
        from hermes_core.providers.resolution import Request

        return Request(config.delegation_provider, config.delegation_model)
    if config.delegation_model:
        return replace(request, model=config.delegation_model)
    return request


def config_for_child(engine: Engine, count: int) -> Config:
    """Return the settings of one of ``count`` children: its own budget, and no fallbacks.

    Of the money that the parent's turn may still cost each has an equal share.
    """
    config = engine.config
    cap = config.max_cost
    if cap is not None:
        cap = max(cap - engine.model().turn_bill.least, 0.0) / count
    steps = config.delegation_max_iterations
    return replace(config, max_turns=steps, max_cost=cap, fallback_providers=())
