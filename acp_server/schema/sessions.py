"""Types of the protocol: sessions. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from acp_server.schema.markers import ON_ERROR, ON_NULL, SKIP_INVALID, Meta


class HttpHeader(TypedDict):
    """``HttpHeader`` of the schema."""

    name: str
    value: str
    _meta: NotRequired[Meta]


class McpServerHttp(TypedDict):
    """``McpServerHttp`` of the schema."""

    name: str
    url: str
    headers: Annotated[list[HttpHeader], ON_NULL]
    _meta: NotRequired[Meta]


class McpServerSse(TypedDict):
    """``McpServerSse`` of the schema."""

    name: str
    url: str
    headers: Annotated[list[HttpHeader], ON_NULL]
    _meta: NotRequired[Meta]


class McpServerAcp(TypedDict):
    """``McpServerAcp`` of the schema."""

    name: str
    serverId: str
    _meta: NotRequired[Meta]


class EnvVariable(TypedDict):
    """``EnvVariable`` of the schema."""

    name: str
    value: str
    _meta: NotRequired[Meta]


class McpServerStdio(TypedDict):
    """``McpServerStdio`` of the schema."""

    name: str
    command: str
    args: Annotated[list[str], ON_NULL]
    env: Annotated[list[EnvVariable], ON_NULL]
    _meta: NotRequired[Meta]


class HttpMcpServer(McpServerHttp, TypedDict):
    """One kind of ``McpServer``: ``http``."""

    type: Literal["http"]


class SseMcpServer(McpServerSse, TypedDict):
    """One kind of ``McpServer``: ``sse``."""

    type: Literal["sse"]


class AcpMcpServer(McpServerAcp, TypedDict):
    """One kind of ``McpServer``: ``acp``."""

    type: Literal["acp"]


McpServer = HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio


class NewSessionRequest(TypedDict):
    """Params of ``session/new``."""

    cwd: str
    additionalDirectories: NotRequired[Annotated[list[str], ON_NULL]]
    mcpServers: NotRequired[Annotated[list[McpServer], ON_NULL]]
    _meta: NotRequired[Meta]


class SessionMode(TypedDict):
    """``SessionMode`` of the schema."""

    id: str
    name: str
    description: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class SessionModeState(TypedDict):
    """``SessionModeState`` of the schema."""

    currentModeId: str
    availableModes: Annotated[list[SessionMode], ON_ERROR, SKIP_INVALID]
    _meta: NotRequired[Meta]


class NewSessionResponse(TypedDict):
    """Result of ``session/new``."""

    sessionId: str
    modes: NotRequired[Annotated[SessionModeState | None, ON_ERROR]]
    configOptions: NotRequired[Annotated[list[dict[str, Any]] | None, ON_ERROR, SKIP_INVALID]]
    _meta: NotRequired[Meta]


class LoadSessionRequest(TypedDict):
    """Params of ``session/load``."""

    mcpServers: NotRequired[Annotated[list[McpServer], ON_NULL]]
    cwd: str
    additionalDirectories: NotRequired[Annotated[list[str], ON_NULL]]
    sessionId: str
    _meta: NotRequired[Meta]


class LoadSessionResponse(TypedDict):
    """Result of ``session/load``."""

    modes: NotRequired[Annotated[SessionModeState | None, ON_ERROR]]
    configOptions: NotRequired[Annotated[list[dict[str, Any]] | None, ON_ERROR, SKIP_INVALID]]
    _meta: NotRequired[Meta]


class ListSessionsRequest(TypedDict):
    """Params of ``session/list``."""

    cwd: NotRequired[str | None]
    cursor: NotRequired[str | None]
    _meta: NotRequired[Meta]


class SessionInfo(TypedDict):
    """``SessionInfo`` of the schema."""

    sessionId: str
    cwd: str
    additionalDirectories: NotRequired[Annotated[list[str], ON_ERROR, SKIP_INVALID]]
    title: NotRequired[Annotated[str | None, ON_ERROR]]
    updatedAt: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class ListSessionsResponse(TypedDict):
    """Result of ``session/list``."""

    sessions: Annotated[list[SessionInfo], ON_ERROR, SKIP_INVALID]
    nextCursor: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class SetSessionModeRequest(TypedDict):
    """Params of ``session/set_mode``."""

    sessionId: str
    modeId: str
    _meta: NotRequired[Meta]


class SetSessionModeResponse(TypedDict):
    """Result of ``session/set_mode``."""

    _meta: NotRequired[Meta]


class ResumeSessionRequest(TypedDict):
    """Params of ``session/resume``."""

    sessionId: str
    cwd: str
    additionalDirectories: NotRequired[Annotated[list[str], ON_NULL]]
    mcpServers: NotRequired[Annotated[list[McpServer], ON_NULL]]
    _meta: NotRequired[Meta]


class ResumeSessionResponse(TypedDict):
    """Result of ``session/resume``."""

    modes: NotRequired[Annotated[SessionModeState | None, ON_ERROR]]
    configOptions: NotRequired[Annotated[list[dict[str, Any]] | None, ON_ERROR, SKIP_INVALID]]
    _meta: NotRequired[Meta]


class CloseSessionRequest(TypedDict):
    """Params of ``session/close``."""

    sessionId: str
    _meta: NotRequired[Meta]


class CloseSessionResponse(TypedDict):
    """Result of ``session/close``."""

    _meta: NotRequired[Meta]


class DeleteSessionRequest(TypedDict):
    """Params of ``session/delete``."""

    sessionId: str
    _meta: NotRequired[Meta]


class DeleteSessionResponse(TypedDict):
    """Result of ``session/delete``."""

    _meta: NotRequired[Meta]
