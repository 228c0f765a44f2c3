"""Types of the protocol: permissions. Made by ``tests/schema/generate.py``."""

from typing import Literal, NotRequired, TypedDict

from acp_server.schema.markers import Meta
from acp_server.schema.tools import ToolCallUpdate

PermissionOptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class PermissionOption(TypedDict):
    """``PermissionOption`` of the schema."""

    optionId: str
    name: str
    kind: PermissionOptionKind
    _meta: NotRequired[Meta]


class RequestPermissionRequest(TypedDict):
    """Params of ``session/request_permission``."""

    sessionId: str
    toolCall: ToolCallUpdate
    options: list[PermissionOption]
    _meta: NotRequired[Meta]


class SelectedPermissionOutcome(TypedDict):
    """``SelectedPermissionOutcome`` of the schema."""

    optionId: str
    _meta: NotRequired[Meta]


class CancelledRequestPermissionOutcome(TypedDict):
    """One kind of ``RequestPermissionOutcome``: ``cancelled``."""

    outcome: Literal["cancelled"]


class SelectedRequestPermissionOutcome(SelectedPermissionOutcome, TypedDict):
    """One kind of ``RequestPermissionOutcome``: ``selected``."""

    outcome: Literal["selected"]


RequestPermissionOutcome = CancelledRequestPermissionOutcome | SelectedRequestPermissionOutcome


class RequestPermissionResponse(TypedDict):
    """Result of ``session/request_permission``."""

    outcome: RequestPermissionOutcome
    _meta: NotRequired[Meta]
