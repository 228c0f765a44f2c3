"""An agent's MCP servers: started with it, looked after at the beginning of each turn.

A session without servers loads nothing for them. Children share those of the agent that they work
for.
"""

import json
import shlex
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hermes_core.agent.calls import CallRequest
from hermes_core.agent.cards import Card
from hermes_core.agent.consent import Consent
from hermes_core.agent.segments import Reach
from hermes_core.ground.actions import Action, Mode
from hermes_core.ground.content import Text
from hermes_core.ground.events import Emit, Event, StatusChanged, ToolCallRunning
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import FunctionCall, ToolCall
from hermes_core.local.config import Config
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Output, Prepared, ToolSpec
from hermes_core.tools.visible import fence, one_line

if TYPE_CHECKING:
    from hermes_core.tools.bridges.servers import Asking, Report, Servers

STARTER = "start_mcp_server"
"""The name on the card by which a person is asked whether a server may be started."""

_NOT_ALLOWED = "it lies in the workspace, and was not allowed to start in this session"
_PLANNING = (
    "The MCP server {name} lies in the workspace and is not started in plan mode. It asks again "
    "in another mode."
)


class McpTools:
    """The servers of one agent, and their tools.

    wanted: in their order; of those with the same name the last one counts. parent: whose servers
    these are, for an agent that neither asks about them nor ends them. asks: whether they may ask
    the person something.
    """

    def __init__(
        self,
        wanted: Sequence[McpServer] = (),
        place: "tuple[Workspace, Config] | None" = None,
        *,
        parent: "McpTools | None" = None,
        asks: bool = False,
    ) -> None:
        self._wanted = tuple(wanted)
        self._place = place
        self._parent = parent
        self._asks = asks
        self._lock = threading.Lock()
        self._own: Servers | None = None
        self._ended = False
        self._tell: Emit | None = None
        self._told_of_plan = False

    def start(self) -> None:
        """Begin to start the servers, once; returns at once. The first turn does it at the latest.

        A session without servers loads nothing.
        """
        if not self._wanted or self._place is None:
            return
        from hermes_core.tools.bridges.servers import Servers

        with self._lock:
            if self._own is None and not self._ended:
                self._own = Servers(self._wanted, *self._place, asks=self._asks)
                self._own.start()
                if self._tell is not None:
                    self._own.announce(self._warning(self._tell))

    def announce(self, tell: Emit) -> None:
        """Tell of servers that fail as soon as it is known, from now on.

        tell: shows a warning whether a turn runs or not, from any thread. Without it the next turn
        tells.
        """
        with self._lock:
            self._tell = tell
            if self._own is not None:
                self._own.announce(self._warning(tell))

    def shared(self) -> "McpTools":
        """Return the same servers for an agent that works for this one."""
        return McpTools(parent=self)

    def begin_turn(
        self, consent: Consent, mode: Callable[[], Mode], emit: Emit, interrupt: Interrupt
    ) -> None:
        """Wait a little for servers that start, ask about those that ask, tell what went wrong.

        Raises ``Interrupted`` if the turn ends first.
        """
        self.start()
        servers = self._own
        if servers is None:
            return
        asking = servers.settle(interrupt)
        if asking and mode() == "plan":
            self._tell_of_plan(asking, emit)
        else:
            allowed = [one for one in asking if _may_start(one, consent, emit, interrupt)]
            for one in asking:
                if one not in allowed:
                    servers.refuse(one, _NOT_ALLOWED)
            servers.allow(allowed, interrupt)
        for text in servers.take_notices():
            self._warning(emit)(text)

    def specs(self) -> dict[str, ToolSpec]:
        """Return the tools of the servers that are there, by name."""
        return {} if self._servers is None else self._servers.tools()

    def reports(self) -> "list[Report]":
        """Return what is known of each server."""
        return [] if self._servers is None else self._servers.reports()

    def restart(self, name: str, interrupt: Interrupt) -> bool:
        """Start a server anew; return whether there is such a one that is in use."""
        return self._servers is not None and self._servers.restart(name, interrupt)

    def close(self) -> None:
        """End the servers, if they are this agent's own."""
        with self._lock:
            self._ended = True
            own = self._own
        if own is not None:
            own.close()

    @property
    def _servers(self) -> "Servers | None":
        return self._own if self._parent is None else self._parent._servers

    @staticmethod
    def _warning(emit: Emit) -> Callable[[str], None]:
        return lambda text: emit(StatusChanged("warning", text))

    def _tell_of_plan(self, asking: "Sequence[Asking]", emit: Emit) -> None:
        if not self._told_of_plan:
            self._told_of_plan = True
            for one in asking:
                emit(StatusChanged("warning", _PLANNING.format(name=one.server.name)))


def _may_start(asking: "Asking", consent: Consent, emit: Emit, interrupt: Interrupt) -> bool:
    prepared = _starting(asking)
    held: list[Event] = []
    card = Card(_request(asking), held.append)
    card.start(prepared)

    def ask(event: Event) -> None:
        while held:
            emit(held.pop(0))
        emit(event)

    refusal = consent.refusal(card, prepared, ask, interrupt)
    if not held:  # somebody was asked, and the card is shown
        if not refusal:
            emit(ToolCallRunning(card.call_id))
        said = Output(refusal or "Allowed; it is being started.", failed=bool(refusal))
        emit(card.end(said, 0.0))
    return not refusal


def _starting(asking: "Asking") -> Prepared:
    """Return the start of a server as what a person is asked about."""
    name, program = one_line(asking.server.name), asking.program
    command = shlex.join(program.argv)
    parts = "".join(f"- {one_line(str(path))}\n" for path in program.inside)
    told = f"Of the workspace it runs or loads:\n\n{parts}\nIt is started in {program.cwd}."
    key = f"mcp-server:{asking.server.name}:{program.digest}" if program.digest else ""
    action = Action(
        "mcp",
        command,
        scope=f"starting the MCP server {name} as it is now",
        key=key,
    )
    return Prepared(
        f"Start the MCP server {name}: {one_line(command)}",
        action,
        lambda _: Output(""),
        (Text(fence(one_line(command), "console")), Text(told)),
    )


def _request(asking: "Asking") -> CallRequest:
    sent = {"server": asking.server.name, "command": list(asking.program.argv)}
    function: FunctionCall = {"name": STARTER, "arguments": json.dumps(sent)}
    call_id = f"mcp_{uuid.uuid4().hex[:12]}"
    call: ToolCall = {"id": call_id, "type": "function", "function": function}
    return CallRequest(call, None, sent, sent, "", Reach("never"))
