"""One line of the wire and the message in it, both ways."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from acp_server.rpc.errors import INVALID_REQUEST, PARSE_ERROR, RpcError

MessageId = str | int | float | None

_MARK = "\ufeff"
"""A byte order mark, which some shells and pipes put before the first line."""


class InvalidMessage(RpcError):
    """A line that is no message. ``id`` is what the answer must carry: its own, or null."""

    def __init__(self, code: int, message: str, message_id: MessageId = None) -> None:
        super().__init__(code, message)
        self.id = message_id


def decode(line: bytes | bytearray) -> dict[str, Any]:
    """Return the JSON object in ``line``; raise ``InvalidMessage`` if it holds anything else.

    Lone surrogates may occur in the strings. A ``bytearray`` is emptied as soon as it was read.
    """
    data = _parse(_text(line))
    if isinstance(data, dict):
        return data
    if isinstance(data, list):
        raise InvalidMessage(INVALID_REQUEST, "Batches are not supported; send one message a line.")
    raise InvalidMessage(INVALID_REQUEST, "A message must be a JSON object.")


def _text(line: bytes | bytearray) -> str:
    try:
        text = line.decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        text = f"The line is not valid UTF-8 (byte {error.start})."
        raise InvalidMessage(PARSE_ERROR, text) from None
    if isinstance(line, bytearray):
        line.clear()
    return text


def _parse(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} (character {error.pos})"
    except ValueError as error:  # NaN, or a number with too many digits
        reason = str(error).partition(";")[0]
    except RecursionError:
        reason = "It is nested too deep"
    raise InvalidMessage(PARSE_ERROR, f"The line is not valid JSON: {reason}.")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def check_id(data: Mapping[str, Any]) -> MessageId:
    """Return the message's id; raise ``InvalidMessage`` unless it is a string, number or null."""
    message_id = data.get("id")
    if message_id is None or isinstance(message_id, str):
        return message_id
    if isinstance(message_id, int) and not isinstance(message_id, bool):
        return message_id
    if isinstance(message_id, float) and math.isfinite(message_id):
        return message_id
    raise InvalidMessage(INVALID_REQUEST, "id: string, number or null expected.")


def encode(message: Mapping[str, Any]) -> bytes:
    """Return ``message`` as one line, newline included.

    Lone surrogates become U+FFFD and numbers that are not finite become null.
    """
    try:
        text = _ENCODER.encode(message)
    except ValueError:
        text = _ENCODER.encode(_finite(message))
    return to_bytes(text) + b"\n"


def to_bytes(text: str) -> bytes:
    """Return ``text`` in UTF-8; surrogate pairs are joined, lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
