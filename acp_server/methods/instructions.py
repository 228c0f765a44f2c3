"""``systemPrompt`` of the requests that open a session: how it is read, and what is refused.

It is the client's word on how to work, added to ours or in its place. What cannot be applied as it
was meant is an error, and nothing is opened then.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from acp_server.rpc.errors import RpcError, invalid_params
from hermes_core.ground.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.agent.prompt.given import Instructions

FIELD = "systemPrompt"


def instructions_of(params: Mapping[str, Any]) -> "Instructions | None":
    """Return the instructions of a request, None for none; raise ``RpcError`` (-32602)."""
    from hermes_core.agent.prompt.given import checked

    told: Any = params.get(FIELD)
    if told is None:
        return None
    if not isinstance(told, Mapping):
        raise _wrong("an object with mode and content is needed.")
    mode, content = told.get("mode"), told.get("content")
    if mode not in ("append", "override"):
        raise _wrong("its mode is append or override.")
    if not isinstance(content, list) or not content:
        raise _wrong("its content is a list of text blocks.")
    try:
        return checked((mode, "\n\n".join(map(_text, content))))
    except ConfigError as error:
        raise _wrong(str(error)) from error


def _text(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else None
    if not isinstance(text, str) or block.get("type") != "text":
        raise _wrong("its content holds text blocks alone.")
    return text


def _wrong(reason: str) -> RpcError:
    return invalid_params(f"{FIELD}: {reason}", FIELD)
