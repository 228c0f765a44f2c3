"""The client's file methods, on the disk: what an editor does with its buffers."""

from pathlib import Path
from typing import Any

from acp_server.cli.connection import INTERNAL, NOT_FOUND, WRONG_PARAMS, Params, RpcFailure

MAX_BYTES = 10_000_000


def read_text_file(params: Params) -> Params:
    """Answer ``fs/read_text_file``; line ends are kept as they are."""
    path = _path(params)
    if not path.exists():
        raise RpcFailure(NOT_FOUND, f"There is no file {path}.")
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise RpcFailure(INTERNAL, f"{path} is not a file of at most {MAX_BYTES} bytes.")
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise RpcFailure(INTERNAL, f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise RpcFailure(INTERNAL, f"{path} is not UTF-8 text.") from error
    return {"content": _cut(text, params.get("line"), params.get("limit"))}


def write_text_file(params: Params) -> Params:
    """Answer ``fs/write_text_file``; missing folders are made."""
    from hermes_core.local.files import write_atomically

    path = _path(params)
    content = params.get("content")
    if not isinstance(content, str):
        raise RpcFailure(WRONG_PARAMS, "content must be a string.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content.encode("utf-8"))
    except OSError as error:
        raise RpcFailure(INTERNAL, f"{path} cannot be written: {error.strerror}.") from error
    except UnicodeEncodeError as error:
        raise RpcFailure(WRONG_PARAMS, "content holds a lone surrogate.") from error
    return {}


def _path(params: Params) -> Path:
    path = params.get("path")
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        raise RpcFailure(WRONG_PARAMS, "path must be an absolute path.")
    return Path(path)


def _cut(text: str, line: Any, limit: Any) -> str:
    if line is None and limit is None:
        return text
    first = max(line if isinstance(line, int) else 1, 1) - 1
    lines = text.splitlines(keepends=True)
    last = first + limit if isinstance(limit, int) else len(lines)
    return "".join(lines[first:last])
