"""What is known of an MCP server before it is reached: from the settings, or from the editor."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from hermes_core.ground.mcp_line import McpLine
from hermes_core.ground.secrets import REDACTOR, Secret

Carrier = Literal["stdio", "http", "sse", "acp"]

Pairs = tuple[tuple[str, str], ...]

CALL_SECONDS = 300.0
CONNECT_SECONDS = 60.0

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HARMLESS = re.compile(r"(?:accept|content-type|user-agent|x-request-id)", re.IGNORECASE)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|(?:^|_)PAT$", re.IGNORECASE)
_LIKE_A_KEY = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w+=.-]{20,}")


@dataclass(frozen=True, slots=True)
class McpServer:
    """One MCP server: a program that is started, an address, or one that the client serves itself.

    env: what the program gets beside the environment of commands. headers: sent to the host of
    ``url`` alone. cwd: where the program is started, None to leave that to us.
    server_id, line: for the carrier ``acp``, what the client calls the server, and through whom it
    is spoken to; without a line it cannot be used.
    timeout: seconds of one call; connect_timeout: seconds until it has told its tools.
    saved: whether it stands in the user's own settings.
    """

    name: str
    carrier: Carrier
    command: str = ""
    args: tuple[str, ...] = ()
    env: Pairs = field(default=(), repr=False)
    cwd: str | None = None
    url: str = ""
    headers: Pairs = field(default=(), repr=False)
    server_id: str = ""
    line: McpLine | None = field(default=None, repr=False, compare=False)
    timeout: float = CALL_SECONDS
    connect_timeout: float = CONNECT_SECONDS
    enabled: bool = True
    saved: bool = False

    def filled(self, variable: Callable[[str], str | None]) -> "McpServer":
        """Return a saved server with ``${NAME}`` in env and headers replaced by that variable.

        What is not set becomes empty. What the editor named is left as it is.
        """
        if not self.saved:
            return self
        return replace(self, env=_fill(self.env, variable), headers=_fill(self.headers, variable))

    def register_secrets(self) -> None:
        """Have everything masked that may be a key of this server's."""
        for name, value in self.env:
            if _SECRET.search(name) or _LIKE_A_KEY.fullmatch(value):
                REDACTOR.register(Secret(value))
        for name, value in self.headers:
            if not _HARMLESS.fullmatch(name):
                REDACTOR.register(Secret(value.rpartition(" ")[2]))


def _fill(pairs: Pairs, variable: Callable[[str], str | None]) -> Pairs:
    return tuple(
        (name, _REFERENCE.sub(lambda found: variable(found[1]) or "", value))
        for name, value in pairs
    )
