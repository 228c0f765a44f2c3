"""Types of the protocol: unstable. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Any, NotRequired, TypedDict

from acp_server.schema.markers import ON_ERROR, ON_NULL, SKIP_INVALID, Meta
from acp_server.schema.sessions import McpServer, SessionModeState


class ForkSessionRequest(TypedDict):
    """Params of ``session/fork``."""

    sessionId: str
    cwd: str
    additionalDirectories: NotRequired[Annotated[list[str], ON_NULL]]
    mcpServers: NotRequired[Annotated[list[McpServer], ON_NULL]]
    systemPrompt: NotRequired[dict[str, Any] | None]
    _meta: NotRequired[Meta]


class ForkSessionResponse(TypedDict):
    """Result of ``session/fork``."""

    sessionId: str
    modes: NotRequired[Annotated[SessionModeState | None, ON_ERROR]]
    configOptions: NotRequired[Annotated[list[dict[str, Any]] | None, ON_ERROR, SKIP_INVALID]]
    _meta: NotRequired[Meta]


class ArchiveSessionRequest(TypedDict):
    """Params of ``session/archive``."""

    sessionId: str
    _meta: NotRequired[Meta]


class UnarchiveSessionRequest(TypedDict):
    """Params of ``session/unarchive``."""

    sessionId: str
    _meta: NotRequired[Meta]


class SessionStatusRequest(TypedDict):
    """Params of ``session/status``."""

    sessionId: str
    _meta: NotRequired[Meta]


class SetSessionTitleRequest(TypedDict):
    """Params of ``session/set_title``."""

    sessionId: str
    title: str
    _meta: NotRequired[Meta]


class AuthStatusRequest(TypedDict):
    """Params of ``auth/status``."""

    _meta: NotRequired[Meta]


class ListProvidersRequest(TypedDict):
    """Params of ``providers/list``."""

    _meta: NotRequired[Meta]


class SetProviderRequest(TypedDict):
    """Params of ``providers/set``."""

    providerId: str
    apiType: str
    baseUrl: str
    headers: NotRequired[dict[str, str]]
    _meta: NotRequired[Meta]


class DisableProviderRequest(TypedDict):
    """Params of ``providers/disable``."""

    providerId: str
    _meta: NotRequired[Meta]


class MessageMcpRequest(TypedDict):
    """Params of ``mcp/message``."""

    serverId: str
    requestId: str
    method: str
    params: NotRequired[dict[str, Any] | None]
    _meta: NotRequired[Meta]


class MessageMcpNotification(TypedDict):
    """Params of ``mcp/message``."""

    serverId: str
    requestId: str
    method: str
    params: NotRequired[dict[str, Any] | None]
    _meta: NotRequired[Meta]
