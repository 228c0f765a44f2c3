"""The message in an error body, whichever way a provider wraps it."""

import json
from collections.abc import Mapping
from typing import Any

from hermes_core.ground.secrets import REDACTOR

_LIMIT = 300
_MESSAGE_KEYS = ("message", "Message", "detail", "error_description", "msg", "title", "reason")
_CODE_KEYS = ("code", "type", "status", "error_code")

UPSTREAM = "named_upstream"
"""Stands among the codes of an error of which an aggregator names the provider behind it."""


def said_in(body: bytes | Mapping[str, Any]) -> tuple[str, str]:
    """Return the message for people, redacted, on one line, and the codes beside it.

    Knows ``{"error": {"message", "code", "type", "metadata"}}``, ``{"error": "text"}``,
    ``{"message"}``, ``{"detail"}`` as text or list, lists of these, JSON within JSON, HTML by its
    title, and plain text.
    """
    data: Any = body
    if isinstance(body, bytes):
        data = _read(body.decode("utf-8", "replace").strip())
    codes: list[str] = []
    message = _message(data, codes, 0)
    return _one_line(message), _one_line(" ".join(codes))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _title(text) if text[:1] == "<" else text


def _title(page: str) -> str:
    lowered = page.lower()
    start = lowered.find("<title")
    start = lowered.find(">", start) + 1 if start >= 0 else 0
    end = lowered.find("</title", start)
    if start and end > start:
        return page[start:end]
    return "without a title"


def _message(data: Any, codes: list[str], depth: int) -> str:
    if isinstance(data, str):
        text = data.strip()
        nested = text[:1] in ("{", "[") and depth < 8
        return _message(_read(text), codes, depth + 1) if nested else text
    if isinstance(data, list) and data and depth < 8:
        return _message(data[0], codes, depth + 1)
    if not isinstance(data, Mapping) or depth >= 8:
        return ""
    codes.extend(str(data[key]) for key in _CODE_KEYS if isinstance(data.get(key), (str, int)))
    if data.get("error"):
        return _message(data["error"], codes, depth + 1)
    text = next(
        (m for key in _MESSAGE_KEYS if (m := _message(data.get(key), codes, depth + 1))), ""
    )
    inner = _upstream(data, codes, depth)
    return f"{text}: {inner}" if inner and inner not in text else text


def _upstream(data: Mapping[str, Any], codes: list[str], depth: int) -> str:
    """Return what the provider behind an aggregator said."""
    metadata = data.get("metadata")
    if not isinstance(metadata, Mapping):
        return ""
    name, raw = metadata.get("provider_name"), metadata.get("raw")
    if isinstance(name, str) and name.strip():
        codes.append(UPSTREAM)
    return _message(raw, codes, depth + 1) if raw else ""


def _one_line(text: str) -> str:
    redacted = REDACTOR.redact(text)[: 4 * _LIMIT]
    printable = "".join(sign if sign.isprintable() else " " for sign in redacted)
    line = " ".join(printable.split())
    return line if len(line) <= _LIMIT else line[: _LIMIT - 1] + "…"
