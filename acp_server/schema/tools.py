"""Types of the protocol: tools. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from acp_server.schema.content import ContentBlock
from acp_server.schema.markers import ON_ERROR, SKIP_INVALID, Meta

ToolKind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]

ToolCallStatus = Literal["pending", "in_progress", "completed", "failed"]


class Content(TypedDict):
    """``Content`` of the schema."""

    content: ContentBlock
    _meta: NotRequired[Meta]


class Diff(TypedDict):
    """``Diff`` of the schema."""

    path: str
    oldText: NotRequired[Annotated[str | None, ON_ERROR]]
    newText: str
    _meta: NotRequired[Meta]


class Terminal(TypedDict):
    """``Terminal`` of the schema."""

    terminalId: str
    _meta: NotRequired[Meta]


class ContentToolCallContent(Content, TypedDict):
    """One kind of ``ToolCallContent``: ``content``."""

    type: Literal["content"]


class DiffToolCallContent(Diff, TypedDict):
    """One kind of ``ToolCallContent``: ``diff``."""

    type: Literal["diff"]


class TerminalToolCallContent(Terminal, TypedDict):
    """One kind of ``ToolCallContent``: ``terminal``."""

    type: Literal["terminal"]


ToolCallContent = ContentToolCallContent | DiffToolCallContent | TerminalToolCallContent


class ToolCallLocation(TypedDict):
    """``ToolCallLocation`` of the schema."""

    path: str
    line: NotRequired[Annotated[int | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class ToolCall(TypedDict):
    """``ToolCall`` of the schema."""

    toolCallId: str
    title: str
    name: NotRequired[Annotated[str | None, ON_ERROR]]
    kind: NotRequired[Annotated[ToolKind, ON_ERROR]]
    status: NotRequired[Annotated[ToolCallStatus, ON_ERROR]]
    content: NotRequired[Annotated[list[ToolCallContent], ON_ERROR, SKIP_INVALID]]
    locations: NotRequired[Annotated[list[ToolCallLocation], ON_ERROR, SKIP_INVALID]]
    rawInput: NotRequired[Annotated[Any, ON_ERROR]]
    rawOutput: NotRequired[Annotated[Any, ON_ERROR]]
    _meta: NotRequired[Meta]


class ToolCallUpdate(TypedDict):
    """``ToolCallUpdate`` of the schema."""

    toolCallId: str
    kind: NotRequired[Annotated[ToolKind | None, ON_ERROR]]
    status: NotRequired[Annotated[ToolCallStatus | None, ON_ERROR]]
    title: NotRequired[Annotated[str | None, ON_ERROR]]
    name: NotRequired[Annotated[str | None, ON_ERROR]]
    content: NotRequired[Annotated[list[ToolCallContent] | None, ON_ERROR, SKIP_INVALID]]
    locations: NotRequired[Annotated[list[ToolCallLocation] | None, ON_ERROR, SKIP_INVALID]]
    rawInput: NotRequired[Annotated[Any, ON_ERROR]]
    rawOutput: NotRequired[Annotated[Any, ON_ERROR]]
    _meta: NotRequired[Meta]
