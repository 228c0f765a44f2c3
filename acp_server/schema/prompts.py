"""Types of the protocol: prompts. Made by ``tests/schema/generate.py``."""

from typing import Literal, NotRequired, TypedDict

from acp_server.schema.content import ContentBlock
from acp_server.schema.markers import Meta


class PromptRequest(TypedDict):
    """Params of ``session/prompt``."""

    sessionId: str
    prompt: list[ContentBlock]
    _meta: NotRequired[Meta]


StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]


class PromptResponse(TypedDict):
    """Result of ``session/prompt``."""

    stopReason: StopReason
    _meta: NotRequired[Meta]


class CancelNotification(TypedDict):
    """Params of ``session/cancel``."""

    sessionId: str
    _meta: NotRequired[Meta]
