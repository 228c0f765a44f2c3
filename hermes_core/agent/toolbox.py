"""The tools of one turn, with what they may use and who decides about them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.agent.calls import CallRequest, Outcome
from hermes_core.agent.consent import Consent
from hermes_core.agent.sizes import Room
from hermes_core.tools.registry import ToolContext, ToolSpec


@dataclass(frozen=True, slots=True)
class Toolbox:
    """``specs`` by name, in the order in which the model is told of them.

    window: tokens that the model in use takes. gate: called with each call before it is prepared,
        returns it as it may be made. ran: called with each call's outcome and its seconds.
    """

    specs: Mapping[str, ToolSpec]
    context: ToolContext
    consent: Consent
    window: Callable[[], int] = lambda: 128_000
    gate: Callable[[CallRequest], CallRequest] = lambda request: request
    ran: Callable[[Outcome, float], None] = lambda _outcome, _seconds: None

    def schemas(self) -> list[dict[str, Any]]:
        """Return the function schemas for a request, always in the same order."""
        return [spec.schema for spec in self.specs.values()]

    def room(self) -> Room:
        """Return the room that there is for the results of one answer."""
        return Room(self.context.home, self.window(), self.context.seen)
