"""The section ``mcp_servers``: what one entry may hold."""

from hermes_core.local.mcp_settings import CALL_SECONDS, CONNECT_SECONDS
from hermes_core.local.provider_keys import Structure
from hermes_core.local.setting import Key

MCP_SECTION = "mcp_servers"

MCP_KEYS: tuple[Key, ...] = (
    Key("command", "command", "text", None, "The program to start, for a server on this machine."),
    Key("args", "args", "names", (), "Its arguments."),
    Key(
        "env",
        "env",
        "texts",
        (),
        "Variables that it gets beside those that commands get. `${NAME}` stands for a variable of "
        "`.env` or the environment.",
    ),
    Key("cwd", "cwd", "text", None, "The folder that it is started in; your home if unset."),
    Key("url", "url", "text", None, "The address of a server that is reached over HTTP."),
    Key(
        "headers",
        "headers",
        "texts",
        (),
        "Headers for that address, sent to its host alone. `${NAME}` as in `env`.",
    ),
    Key(
        "transport",
        "carrier",
        "choice",
        "http",
        "How the address is spoken to; `sse` is the older, deprecated way.",
        choices=("http", "sse"),
        spellings=("type",),
        also=(("streamable-http", "http"), ("streamable_http", "http"), ("stdio", "http")),
    ),
    Key(
        "timeout",
        "timeout",
        "number",
        CALL_SECONDS,
        "Seconds that one call may take.",
        minimum=1,
        maximum=86_400,
    ),
    Key(
        "connect_timeout",
        "connect_timeout",
        "number",
        CONNECT_SECONDS,
        "Seconds that it may take to start and to tell its tools.",
        minimum=1,
        maximum=3_600,
    ),
    Key("enabled", "enabled", "flag", True, "Whether it is used."),
)

MCP_STRUCTURE = Structure(
    MCP_SECTION,
    "mcp_servers.NAME",
    "MCP servers that every session may use, beside those of the editor; see `docs/mcp.md`. An "
    "entry has a `command` or a `url`.",
    MCP_KEYS,
)
