"""Types of the protocol: terminals. Made by ``tests/schema/generate.py``."""

from typing import Annotated, NotRequired, TypedDict

from acp_server.schema.markers import ON_ERROR, ON_NULL, Meta
from acp_server.schema.sessions import EnvVariable


class CreateTerminalRequest(TypedDict):
    """Params of ``terminal/create``."""

    sessionId: str
    command: str
    args: NotRequired[Annotated[list[str], ON_NULL]]
    env: NotRequired[Annotated[list[EnvVariable], ON_NULL]]
    cwd: NotRequired[str | None]
    outputByteLimit: NotRequired[int | None]
    _meta: NotRequired[Meta]


class CreateTerminalResponse(TypedDict):
    """Result of ``terminal/create``."""

    terminalId: str
    _meta: NotRequired[Meta]


class TerminalOutputRequest(TypedDict):
    """Params of ``terminal/output``."""

    sessionId: str
    terminalId: str
    _meta: NotRequired[Meta]


class TerminalExitStatus(TypedDict):
    """``TerminalExitStatus`` of the schema."""

    exitCode: NotRequired[Annotated[int | None, ON_ERROR]]
    signal: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class TerminalOutputResponse(TypedDict):
    """Result of ``terminal/output``."""

    output: str
    truncated: bool
    exitStatus: NotRequired[Annotated[TerminalExitStatus | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class WaitForTerminalExitRequest(TypedDict):
    """Params of ``terminal/wait_for_exit``."""

    sessionId: str
    terminalId: str
    _meta: NotRequired[Meta]


class WaitForTerminalExitResponse(TypedDict):
    """Result of ``terminal/wait_for_exit``."""

    exitCode: NotRequired[Annotated[int | None, ON_ERROR]]
    signal: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class KillTerminalRequest(TypedDict):
    """Params of ``terminal/kill``."""

    sessionId: str
    terminalId: str
    _meta: NotRequired[Meta]


class KillTerminalResponse(TypedDict):
    """Result of ``terminal/kill``."""

    _meta: NotRequired[Meta]


class ReleaseTerminalRequest(TypedDict):
    """Params of ``terminal/release``."""

    sessionId: str
    terminalId: str
    _meta: NotRequired[Meta]


class ReleaseTerminalResponse(TypedDict):
    """Result of ``terminal/release``."""

    _meta: NotRequired[Meta]
