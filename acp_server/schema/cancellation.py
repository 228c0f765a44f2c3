"""Types of the protocol: cancellation. Made by ``tests/schema/generate.py``."""

from typing import NotRequired, TypedDict

from acp_server.schema.markers import Meta


class CancelRequestNotification(TypedDict):
    """Params of ``$/cancel_request``."""

    requestId: int | str | None
    _meta: NotRequired[Meta]
