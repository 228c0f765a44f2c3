"""The tools of one turn, with what they may use and who decides about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.agent.consent import Consent
from hermes_core.tools.registry import ToolContext, ToolSpec


@dataclass(frozen=True, slots=True)
class Toolbox:
    """``specs`` by name, in the order in which the model is told of them."""

    specs: Mapping[str, ToolSpec]
    context: ToolContext
    consent: Consent

    def schemas(self) -> list[dict[str, Any]]:
        """Return the function schemas for a request, always in the same order."""
        return [spec.schema for spec in self.specs.values()]
