"""A request's body as bytes."""

import json
from typing import Any


def encoded(body: dict[str, Any]) -> bytes:
    """Return ``body`` as JSON in UTF-8; what is no character (a lone surrogate) becomes ``?``."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
