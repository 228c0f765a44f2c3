"""A prompt's content blocks as the text of a user message.

Text is taken as it is. A link is written where it stands, as Markdown; one to a file is
written with the path that the tools take. Embedded text follows at the end, fenced, under its
address. What cannot be shown to a model yet (images, audio, binary data) is named as left out, so
that the model does not guess. Annotations are not read. Nothing is fetched.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from acp_server.rpc.errors import RpcError

EMBEDDED_LIMIT = 100_000
"""Characters of one embedded resource that reach the model."""

INVALID_PARAMS = -32602

_BACKTICKS = re.compile(r"`{3,}")


def to_content(blocks: Sequence[Mapping[str, Any]], cwd: Path) -> str:
    """Return the message that ``blocks`` make; links into ``cwd`` become relative paths.

    Raises ``RpcError`` (-32602) if nothing is left to say.
    """
    inline = ""
    appended: list[str] = []
    for index, block in enumerate(blocks):
        piece, section = _render(block, cwd, f"prompt[{index}]")
        inline = _join(inline, piece, block.get("type") == "text")
        if section:
            appended.append(section)
    if not inline.strip():
        raise RpcError(INVALID_PARAMS, "prompt: there is no text in it")
    return "\n\n".join([inline, *appended])


def _join(before: str, piece: str, is_text: bool) -> str:
    if not before or not piece or before[-1].isspace() or piece[0].isspace():
        return before + piece
    glue = "\n\n" if is_text and not before.endswith(")") else " "
    return before + glue + piece


def _render(block: Mapping[str, Any], cwd: Path, where: str) -> tuple[str, str]:
    kind = block.get("type")
    if kind == "text":
        return _string(block, "text", where), ""
    if kind == "resource_link":
        uri = _string(block, "uri", where)
        return _mention(str(block.get("title") or block.get("name") or uri), uri, cwd), ""
    if kind == "resource":
        return _embedded(block.get("resource"), cwd, f"{where}.resource")
    if kind in ("image", "audio"):
        article = "An image" if kind == "image" else "A sound"
        return f"[{article} ({block.get('mimeType', 'unknown type')}) was left out.]", ""
    return f"[Content of the unknown kind {kind!r} was left out.]", ""


def _string(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if not isinstance(found, str):
        raise RpcError(INVALID_PARAMS, f"{where}.{key}: a string is needed")
    return found


def _embedded(resource: object, cwd: Path, where: str) -> tuple[str, str]:
    if not isinstance(resource, Mapping):
        raise RpcError(INVALID_PARAMS, f"{where}: an object is needed")
    uri = _string(resource, "uri", where)
    mention = _mention(_base_name(uri), uri, cwd)
    if not isinstance(resource.get("text"), str):
        return f"{mention} [its binary content was left out]", ""
    return mention, _fenced(_target(uri, cwd), resource["text"])


def _fenced(address: str, text: str) -> str:
    note = ""
    if len(text) > EMBEDDED_LIMIT:
        note = f" (the first {EMBEDDED_LIMIT:,} of {len(text):,} characters)"
        text = text[:EMBEDDED_LIMIT]
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{address}{note}:\n{fence}\n{text}{end}{fence}"


def _mention(name: str, uri: str, cwd: Path) -> str:
    label = " ".join(name.split()).replace("]", ")")
    return f"[@{label}]({_target(uri, cwd)})"


def _base_name(uri: str) -> str:
    return unquote(urlsplit(uri).path).rstrip("/").rpartition("/")[2] or uri


def _target(uri: str, cwd: Path) -> str:
    """Return a file's path, relative to ``cwd`` if inside; any other address as it is."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return uri
    path = Path(unquote(parts.path))
    shown = str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
    return f"{shown}#{parts.fragment}" if parts.fragment else shown
