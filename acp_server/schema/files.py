"""Types of the protocol: files. Made by ``tests/schema/generate.py``."""

from typing import NotRequired, TypedDict

from acp_server.schema.markers import Meta


class ReadTextFileRequest(TypedDict):
    """Params of ``fs/read_text_file``."""

    sessionId: str
    path: str
    line: NotRequired[int | None]
    limit: NotRequired[int | None]
    _meta: NotRequired[Meta]


class ReadTextFileResponse(TypedDict):
    """Result of ``fs/read_text_file``."""

    content: str
    _meta: NotRequired[Meta]


class WriteTextFileRequest(TypedDict):
    """Params of ``fs/write_text_file``."""

    sessionId: str
    path: str
    content: str
    _meta: NotRequired[Meta]


class WriteTextFileResponse(TypedDict):
    """Result of ``fs/write_text_file``."""

    _meta: NotRequired[Meta]
