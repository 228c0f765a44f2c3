"""Types of the protocol: initialization. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Literal, NotRequired, TypedDict

from acp_server.schema.markers import ON_ERROR, ON_NULL, SKIP_INVALID, Meta


class FileSystemCapabilities(TypedDict):
    """``FileSystemCapabilities`` of the schema."""

    readTextFile: NotRequired[Annotated[bool, ON_ERROR]]
    writeTextFile: NotRequired[Annotated[bool, ON_ERROR]]
    _meta: NotRequired[Meta]


class CompactionCapabilities(TypedDict):
    """``CompactionCapabilities`` of the schema."""


class BooleanConfigOptionCapabilities(TypedDict):
    """``BooleanConfigOptionCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionConfigOptionsCapabilities(TypedDict):
    """``SessionConfigOptionsCapabilities`` of the schema."""

    boolean: NotRequired[Annotated[BooleanConfigOptionCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class NoticeCapabilities(TypedDict):
    """``NoticeCapabilities`` of the schema."""


class ClientSessionCapabilities(TypedDict):
    """``ClientSessionCapabilities`` of the schema."""

    compaction: NotRequired[Annotated[CompactionCapabilities | None, ON_ERROR]]
    configOptions: NotRequired[Annotated[SessionConfigOptionsCapabilities | None, ON_ERROR]]
    notices: NotRequired[Annotated[NoticeCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class AuthCapabilities(TypedDict):
    """``AuthCapabilities`` of the schema."""

    terminal: NotRequired[Annotated[bool, ON_ERROR]]
    _meta: NotRequired[Meta]


class ElicitationFormCapabilities(TypedDict):
    """``ElicitationFormCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class ElicitationUrlCapabilities(TypedDict):
    """``ElicitationUrlCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class ElicitationCapabilities(TypedDict):
    """``ElicitationCapabilities`` of the schema."""

    form: NotRequired[Annotated[ElicitationFormCapabilities | None, ON_ERROR]]
    url: NotRequired[Annotated[ElicitationUrlCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class ClientCapabilities(TypedDict):
    """``ClientCapabilities`` of the schema."""

    fs: NotRequired[Annotated[FileSystemCapabilities, ON_ERROR]]
    terminal: NotRequired[Annotated[bool, ON_ERROR]]
    session: NotRequired[Annotated[ClientSessionCapabilities | None, ON_ERROR]]
    auth: NotRequired[Annotated[AuthCapabilities, ON_ERROR]]
    elicitation: NotRequired[Annotated[ElicitationCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class Implementation(TypedDict):
    """``Implementation`` of the schema."""

    name: str
    title: NotRequired[Annotated[str | None, ON_ERROR]]
    version: str
    _meta: NotRequired[Meta]


class InitializeRequest(TypedDict):
    """Params of ``initialize``."""

    protocolVersion: int
    clientCapabilities: NotRequired[Annotated[ClientCapabilities, ON_ERROR]]
    clientInfo: NotRequired[Annotated[Implementation | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class PromptCapabilities(TypedDict):
    """``PromptCapabilities`` of the schema."""

    image: NotRequired[Annotated[bool, ON_ERROR]]
    audio: NotRequired[Annotated[bool, ON_ERROR]]
    embeddedContext: NotRequired[Annotated[bool, ON_ERROR]]
    _meta: NotRequired[Meta]


class McpCapabilities(TypedDict):
    """``McpCapabilities`` of the schema."""

    http: NotRequired[Annotated[bool, ON_ERROR]]
    sse: NotRequired[Annotated[bool, ON_ERROR]]
    _meta: NotRequired[Meta]


class SessionListCapabilities(TypedDict):
    """``SessionListCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionDeleteCapabilities(TypedDict):
    """``SessionDeleteCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionAdditionalDirectoriesCapabilities(TypedDict):
    """``SessionAdditionalDirectoriesCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionResumeCapabilities(TypedDict):
    """``SessionResumeCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionCloseCapabilities(TypedDict):
    """``SessionCloseCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class SessionCapabilities(TypedDict):
    """``SessionCapabilities`` of the schema."""

    list: NotRequired[Annotated[SessionListCapabilities | None, ON_ERROR]]
    delete: NotRequired[Annotated[SessionDeleteCapabilities | None, ON_ERROR]]
    additionalDirectories: NotRequired[
        Annotated[SessionAdditionalDirectoriesCapabilities | None, ON_ERROR]
    ]
    resume: NotRequired[Annotated[SessionResumeCapabilities | None, ON_ERROR]]
    close: NotRequired[Annotated[SessionCloseCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class LogoutCapabilities(TypedDict):
    """``LogoutCapabilities`` of the schema."""

    _meta: NotRequired[Meta]


class AgentAuthCapabilities(TypedDict):
    """``AgentAuthCapabilities`` of the schema."""

    logout: NotRequired[Annotated[LogoutCapabilities | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class AgentCapabilities(TypedDict):
    """``AgentCapabilities`` of the schema."""

    loadSession: NotRequired[Annotated[bool, ON_ERROR]]
    promptCapabilities: NotRequired[Annotated[PromptCapabilities, ON_ERROR]]
    mcpCapabilities: NotRequired[Annotated[McpCapabilities, ON_ERROR]]
    sessionCapabilities: NotRequired[Annotated[SessionCapabilities, ON_ERROR]]
    auth: NotRequired[Annotated[AgentAuthCapabilities, ON_ERROR]]
    _meta: NotRequired[Meta]


class AuthMethodTerminal(TypedDict):
    """``AuthMethodTerminal`` of the schema."""

    id: str
    name: str
    description: NotRequired[Annotated[str | None, ON_ERROR]]
    args: NotRequired[Annotated[list[str], ON_NULL]]
    env: NotRequired[Annotated[dict[str, str], ON_NULL]]
    _meta: NotRequired[Meta]


class AuthMethodAgent(TypedDict):
    """``AuthMethodAgent`` of the schema."""

    id: str
    name: str
    description: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class TerminalAuthMethod(AuthMethodTerminal, TypedDict):
    """One kind of ``AuthMethod``: ``terminal``."""

    type: Literal["terminal"]


AuthMethod = TerminalAuthMethod | AuthMethodAgent


class InitializeResponse(TypedDict):
    """Result of ``initialize``."""

    protocolVersion: int
    agentCapabilities: NotRequired[Annotated[AgentCapabilities, ON_ERROR]]
    authMethods: NotRequired[Annotated[list[AuthMethod], ON_ERROR, SKIP_INVALID]]
    agentInfo: NotRequired[Annotated[Implementation | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class AuthenticateRequest(TypedDict):
    """Params of ``authenticate``."""

    methodId: str
    _meta: NotRequired[Meta]


class AuthenticateResponse(TypedDict):
    """Result of ``authenticate``."""

    _meta: NotRequired[Meta]


class LogoutRequest(TypedDict):
    """Params of ``logout``."""

    _meta: NotRequired[Meta]


class LogoutResponse(TypedDict):
    """Result of ``logout``."""

    _meta: NotRequired[Meta]
