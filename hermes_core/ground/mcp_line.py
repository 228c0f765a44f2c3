"""The line to MCP servers that whoever uses the core serves itself, as a protocol.

Such a server has no program and no address: each request is handed up, and its answer comes back
the same way. The server can tell something while one of its requests is open, and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Outcome = Literal["result", "error", "silent", "nonsense", "lost"]


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What became of a request to an MCP server.

    outcome: ``result`` and ``error`` are the server's own answers; ``silent``: none came in time;
    ``nonsense``: what came is no answer; ``lost``: the server cannot be reached that way.
    result: of the first. code, data: of an error. message: of all but a result, for people.
    """

    outcome: Outcome
    result: Mapping[str, Any] | None = None
    code: int = 0
    message: str = ""
    data: Any = None


Heard = Callable[[str, Mapping[str, Any] | None], None]
"""Takes a notification: its method and params."""


class McpLine(Protocol):
    """Carries requests to servers that are told apart by an id."""

    def ask(
        self,
        server_id: str,
        method: str,
        params: Mapping[str, Any] | None,
        *,
        timeout: float,
        heard: Heard,
        answered: Callable[[McpAnswer], None],
    ) -> Callable[[], None]:
        """Send a request, from any thread; return what gives it up.

        timeout: seconds. heard: is told what the server says meanwhile, in its order and before
        the answer. answered: is told the answer, once, unless the request was given up. Both are
        called on any thread, and must neither block nor raise.
        """
        ...
