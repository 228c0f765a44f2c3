"""Types of the protocol: updates. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Literal, NotRequired, TypedDict

from acp_server.schema.content import ContentBlock
from acp_server.schema.markers import ON_ERROR, SKIP_INVALID, Meta
from acp_server.schema.tools import ToolCall, ToolCallUpdate


class ContentChunk(TypedDict):
    """``ContentChunk`` of the schema."""

    content: ContentBlock
    messageId: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


PlanEntryPriority = Literal["high", "medium", "low"]

PlanEntryStatus = Literal["pending", "in_progress", "completed"]


class PlanEntry(TypedDict):
    """``PlanEntry`` of the schema."""

    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    _meta: NotRequired[Meta]


class Plan(TypedDict):
    """``Plan`` of the schema."""

    entries: Annotated[list[PlanEntry], ON_ERROR, SKIP_INVALID]
    _meta: NotRequired[Meta]


class UnstructuredCommandInput(TypedDict):
    """``UnstructuredCommandInput`` of the schema."""

    hint: str
    _meta: NotRequired[Meta]


AvailableCommandInput = UnstructuredCommandInput


class AvailableCommand(TypedDict):
    """``AvailableCommand`` of the schema."""

    name: str
    description: str
    input: NotRequired[Annotated[AvailableCommandInput | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class AvailableCommandsUpdate(TypedDict):
    """``AvailableCommandsUpdate`` of the schema."""

    availableCommands: Annotated[list[AvailableCommand], ON_ERROR, SKIP_INVALID]
    _meta: NotRequired[Meta]


class CurrentModeUpdate(TypedDict):
    """``CurrentModeUpdate`` of the schema."""

    currentModeId: str
    _meta: NotRequired[Meta]


class SessionInfoUpdate(TypedDict):
    """``SessionInfoUpdate`` of the schema."""

    title: NotRequired[Annotated[str | None, ON_ERROR]]
    updatedAt: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class Cost(TypedDict):
    """``Cost`` of the schema."""

    amount: float
    currency: str
    _meta: NotRequired[Meta]


class UsageUpdate(TypedDict):
    """``UsageUpdate`` of the schema."""

    used: int
    size: int
    cost: NotRequired[Annotated[Cost | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class Notice(TypedDict):
    """``Notice`` of the schema."""

    severity: str
    title: str
    description: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class UserMessageChunkSessionUpdate(ContentChunk, TypedDict):
    """One kind of ``SessionUpdate``: ``user_message_chunk``."""

    sessionUpdate: Literal["user_message_chunk"]


class AgentMessageChunkSessionUpdate(ContentChunk, TypedDict):
    """One kind of ``SessionUpdate``: ``agent_message_chunk``."""

    sessionUpdate: Literal["agent_message_chunk"]


class AgentThoughtChunkSessionUpdate(ContentChunk, TypedDict):
    """One kind of ``SessionUpdate``: ``agent_thought_chunk``."""

    sessionUpdate: Literal["agent_thought_chunk"]


class ToolCallSessionUpdate(ToolCall, TypedDict):
    """One kind of ``SessionUpdate``: ``tool_call``."""

    sessionUpdate: Literal["tool_call"]


class ToolCallUpdateSessionUpdate(ToolCallUpdate, TypedDict):
    """One kind of ``SessionUpdate``: ``tool_call_update``."""

    sessionUpdate: Literal["tool_call_update"]


class PlanSessionUpdate(Plan, TypedDict):
    """One kind of ``SessionUpdate``: ``plan``."""

    sessionUpdate: Literal["plan"]


class AvailableCommandsUpdateSessionUpdate(AvailableCommandsUpdate, TypedDict):
    """One kind of ``SessionUpdate``: ``available_commands_update``."""

    sessionUpdate: Literal["available_commands_update"]


class CurrentModeUpdateSessionUpdate(CurrentModeUpdate, TypedDict):
    """One kind of ``SessionUpdate``: ``current_mode_update``."""

    sessionUpdate: Literal["current_mode_update"]


class SessionInfoUpdateSessionUpdate(SessionInfoUpdate, TypedDict):
    """One kind of ``SessionUpdate``: ``session_info_update``."""

    sessionUpdate: Literal["session_info_update"]


class UsageUpdateSessionUpdate(UsageUpdate, TypedDict):
    """One kind of ``SessionUpdate``: ``usage_update``."""

    sessionUpdate: Literal["usage_update"]


class NoticeSessionUpdate(Notice, TypedDict):
    """One kind of ``SessionUpdate``: ``notice``."""

    sessionUpdate: Literal["notice"]


SessionUpdate = (
    UserMessageChunkSessionUpdate
    | AgentMessageChunkSessionUpdate
    | AgentThoughtChunkSessionUpdate
    | ToolCallSessionUpdate
    | ToolCallUpdateSessionUpdate
    | PlanSessionUpdate
    | AvailableCommandsUpdateSessionUpdate
    | CurrentModeUpdateSessionUpdate
    | SessionInfoUpdateSessionUpdate
    | UsageUpdateSessionUpdate
    | NoticeSessionUpdate
)


class SessionNotification(TypedDict):
    """Params of ``session/update``."""

    sessionId: str
    update: SessionUpdate
    _meta: NotRequired[Meta]
