"""What went wrong with an MCP server, in words for people rather than those of the SDK."""

import logging
import re
from collections.abc import Mapping
from typing import Any

from hermes_core.ground.errors import HermesError
from hermes_core.ground.secrets import REDACTOR
from hermes_core.tools.visible import one_line

NONSENSE = "it answered with what is no answer of an MCP server"
ASKED_ON = "it asked again and again, and did not answer"

_LONGEST = 300
_PLACE = 60
_UNREAD = re.compile(r"Failed to parse (JSON|SSE) ")
_KIND = re.compile(r"Unexpected content type: *([\w.+/-]{1,60})?")
_REFUSED = "Server returned an error response"


def silence_sdk() -> None:
    """Keep the SDK's own words from stderr where nobody set up logging; log files still get them.

    Without a handler, Python writes warnings and tracebacks there.
    """
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def reason_of(error: BaseException) -> str:
    """Return what went wrong, in a line for people; of a group, the first of it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, HermesError):
        return str(error).rstrip(".")
    if is_nonsense(error):
        return f"{NONSENSE}{_where(error)}"
    if type(error).__name__ == "InputRequiredRoundsExceededError":
        return ASKED_ON
    text = " ".join(REDACTOR.redact(str(error)).split())[:_LONGEST].rstrip(".")
    if found := _KIND.match(text):
        return f"{NONSENSE}, but with {found[1] or 'something else'}; is its address right?"
    if text == _REFUSED:
        return "it refused the request; its address, headers or token may be wrong"
    return text or type(error).__name__


def is_nonsense(error: BaseException) -> bool:
    """Tell whether a server's answer was not of the form that the protocol gives it."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(is_nonsense, error.exceptions))
    text = str(error)
    return _is_validation(error) or _UNREAD.match(text) is not None or text == NONSENSE


def _is_validation(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in ("pydantic", "pydantic_core")


def _where(error: BaseException) -> str:
    """Return what is wrong of the answer, in brackets; ``""`` if that is not known."""
    listed = getattr(error, "errors", None)
    if not _is_validation(error) or not callable(listed):
        return ""
    found: list[Mapping[str, Any]] = listed(
        include_url=False, include_context=False, include_input=False
    )
    parts = [str(part) for part in found[0]["loc"]] if found else []
    own = [part for part in parts if not part[:1].isupper()]  # the rest are classes of the SDK
    place = one_line(".".join(own))[:_PLACE]
    if not place:
        return ""
    missing = found[0].get("type") == "missing"
    return f" (it lacks {place})" if missing else f" ({place} is wrong)"
