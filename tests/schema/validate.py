"""Checks every line of a connection, in both directions, against the official schema.

Beyond the schema: one JSON object a line, an answer only to a request that was made and once,
exactly one of result and error, one-line error messages. In what the agent sends, no keys that the
schema does not know and no null, which some clients refuse where the schema allows it (``_meta``
and what a tool takes and gives are open).
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.validators import extend

SCHEMA = Path(__file__).with_name("v1.schema.json")
UNSTABLE = Path(__file__).with_name("v1.schema.unstable.json")

NEWER = {
    "compaction_update",
    "subagent_update",
    "session_message",
    "session_message_chunk",
    "plan_update",
    "plan_removed",
}
"""Updates that have become stable since; they are taken from the unstable schema."""

UNSTABLE_METHODS = (
    "ForkSession",
    "ArchiveSession",
    "UnarchiveSession",
    "SessionStatus",
    "SetSessionTitle",
    "AuthStatus",
    "ListProviders",
    "SetProvider",
    "DisableProvider",
    "MessageMcp",
)
UNSTABLE_NOTIFICATIONS = ("AuthStatusUpdateNotification", "MessageMcpNotification")
EXTENDED = (
    "SessionCapabilities",
    "SessionInfo",
    "ListSessionsRequest",
    "AgentCapabilities",
    "AgentAuthCapabilities",
    "NewSessionRequest",
    "LoadSessionRequest",
    "ResumeSessionRequest",
    "McpCapabilities",
    "McpServer",
)
"""Definitions that have fields for those methods in the unstable schema."""

OPEN = {"_meta", "rawInput", "rawOutput"}

Sender = Literal["agent", "client"]
Schema = Mapping[str, Any]


class WireError(AssertionError):
    """A line that the protocol does not allow."""


class WireValidator:
    """Follows one connection: results are checked as results of the request they answer."""

    def __init__(self) -> None:
        self._open: dict[Sender, dict[tuple[type, Any], str]] = {"agent": {}, "client": {}}

    def check(self, line: bytes | str, sender: Sender, *, valid: bool = True) -> dict[str, Any]:
        """Return the message in ``line``; raise ``WireError`` if it is not allowed.

        ``valid`` is False for what a test breaks on purpose: only its id is taken note of.
        """
        message = _parse(line) if valid else _read(line)
        if "method" in message:
            if "id" in message:
                self._open[sender][_key(message["id"])] = str(message["method"])
            if valid:
                _check_call(message, sender)
        elif valid:
            self._check_answer(message, sender)
        return message

    def unanswered(self, sender: Sender) -> list[str]:
        """Return the methods of ``sender``'s requests that have no answer yet."""
        return list(self._open[sender].values())

    def _check_answer(self, message: dict[str, Any], sender: Sender) -> None:
        asker: Sender = "client" if sender == "agent" else "agent"
        method = self._open[asker].pop(_key(message.get("id")), None)
        if ("result" in message) == ("error" in message):
            raise WireError(f"An answer needs a result or an error: {message}")
        _check_keys(message, {"id", "result", "error"})
        if "error" in message:
            _check(_definition("Error"), message["error"], sender)
            if "\n" in message["error"]["message"]:
                raise WireError(f"An error message is one line: {message['error']}")
            if method is None and message.get("id") is not None:
                raise WireError(f"An error for no open request: {message}")
        elif method is None:
            raise WireError(f"A result for no open request: {message}")
        elif not method.startswith("_"):
            _check(_by_method(method, "Response", sender), message["result"], sender)


def _read(line: bytes | str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _parse(line: bytes | str) -> dict[str, Any]:
    text = line.decode() if isinstance(line, bytes) else line
    body = text.removesuffix("\n")
    if "\n" in body or "\r" in body:
        raise WireError(f"A message is one line: {text!r}")
    message = json.loads(body)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise WireError(f"Not a JSON-RPC 2.0 message: {body}")
    return message


def _check_call(message: dict[str, Any], sender: Sender) -> None:
    receiver: Sender = "client" if sender == "agent" else "agent"
    method = message["method"]
    _check_keys(message, {"id", "method", "params"})
    if "id" in message:
        _check(_definition("RequestId"), message["id"], sender)
    if not method.startswith("_"):
        suffix = "Request" if "id" in message else "Notification"
        _check(_by_method(method, suffix, receiver), message.get("params"), sender)


def _check_keys(message: dict[str, Any], allowed: set[str]) -> None:
    unknown = message.keys() - allowed - {"jsonrpc"}
    if unknown:
        raise WireError(f"Unknown keys {sorted(unknown)} in {message}")


def _check(schema: Schema, value: Any, sender: Sender) -> None:
    error = best_match(_validator(schema["$ref"]).iter_errors(value))
    if error is not None:
        name = schema["$ref"].rpartition("/")[2]
        raise WireError(f"{sender} sent a wrong {name} at {error.json_path}: {error.message}")
    if sender == "agent":
        unknown = list(_unknown_keys(schema, value))
        if unknown:
            raise WireError(f"The schema does not know {unknown} in {value}")
        nulls = list(_nulls(value))
        if nulls:
            raise WireError(f"There is a null at {nulls} in {value}")


def _key(message_id: Any) -> tuple[type, Any]:
    return type(message_id), json.dumps(message_id)


# The schema


@cache
def _definitions() -> dict[str, Schema]:
    definitions: dict[str, Schema] = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    newer: dict[str, Schema] = json.loads(UNSTABLE.read_text(encoding="utf-8"))["$defs"]
    for member in newer["SessionUpdate"]["oneOf"]:
        if member["properties"]["sessionUpdate"]["const"] in NEWER:
            definitions["SessionUpdate"]["oneOf"].append(member)
            _add_named(member, newer, definitions)
    for name in (
        f"{method}{end}" for method in UNSTABLE_METHODS for end in ("Request", "Response")
    ):
        definitions[name] = newer[name]
        _add_named(newer[name], newer, definitions)
    for name in (*EXTENDED, *UNSTABLE_NOTIFICATIONS):
        definitions[name] = newer[name]
        _add_named(newer[name], newer, definitions)
    return definitions


def _add_named(part: Any, newer: Mapping[str, Schema], definitions: dict[str, Schema]) -> None:
    """Add to ``definitions`` what a part of the newer schema refers to and they have not."""
    for value in part.values() if isinstance(part, dict) else part:
        if isinstance(value, dict | list):
            _add_named(value, newer, definitions)
    name = part.get("$ref", "").rpartition("/")[2] if isinstance(part, dict) else ""
    if name and name not in definitions:
        definitions[name] = newer[name]
        _add_named(newer[name], newer, definitions)


def _definition(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


@cache
def _by_method(method: str, suffix: str, side: Sender) -> Schema:
    for name, schema in _definitions().items():
        fits = schema.get("x-method") == method and schema["x-side"] in (side, "protocol")
        if fits and name.endswith(suffix):
            return _definition(name)
    raise WireError(f"{method} is no {suffix.lower()} that the {side} takes")


@cache
def _validator(reference: str) -> Any:
    return _Validator({"$ref": reference, "$defs": _definitions()})


def _chosen(validator: Any, members: Any, instance: Any, schema: Schema) -> Iterator[Any]:
    """Validate a union by its discriminator, which is fast and gives a telling error."""
    tag = schema.get("discriminator", {}).get("propertyName")
    if not tag or not isinstance(instance, dict):
        yield from Draft202012Validator.VALIDATORS["oneOf"](validator, members, instance, schema)
        return
    member = _variant(members, tag, instance)
    if member is None:
        yield ValidationError(f"{instance.get(tag)!r} is no known {tag}")
    else:
        yield from validator.descend(instance, member)


def _variant(members: Any, tag: str, instance: Mapping[str, Any]) -> Schema | None:
    for member in members:
        if member["properties"][tag]["const"] == instance.get(tag):
            return dict(member)
    return None


_Validator = extend(Draft202012Validator, {"oneOf": _chosen})


# Keys that the schema does not know


def _unknown_keys(schema: Schema, value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, list):
        kinds = list(_parts(schema, "items"))
        for index, item in enumerate(value):
            found = [set(_unknown_keys(kind, item, f"{path}[{index}]")) for kind in kinds]
            yield from sorted(set.intersection(*found)) if found else ()
    elif isinstance(value, dict):
        parts = list(_resolved(schema, value))
        known = {key: s for part in parts for key, s in part.get("properties", {}).items()}
        if not known or any("additionalProperties" in part for part in parts):
            return
        for key, item in value.items():
            if key not in known:
                yield f"{path}.{key}"
            elif key != "_meta":
                yield from _unknown_keys(known[key], item, f"{path}.{key}")


def _nulls(value: Any, path: str = "") -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nulls(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in OPEN:
                yield from _nulls(item, f"{path}.{key}")


def _parts(schema: Schema, keyword: str) -> Iterator[Schema]:
    for part in _resolved(schema, None):
        if keyword in part:
            yield part[keyword]


def _resolved(schema: Schema, value: Any) -> Iterator[Schema]:
    """Yield ``schema`` and all that it is made of: references, ``allOf``, fitting variants."""
    yield schema
    if "$ref" in schema:
        yield from _resolved(_definitions()[schema["$ref"].rpartition("/")[2]], value)
    for member in schema.get("allOf", ()):
        yield from _resolved(member, value)
    tag = schema.get("discriminator", {}).get("propertyName")
    if tag and isinstance(value, dict):
        variant = _variant(schema["oneOf"], tag, value)
        yield from _resolved(variant or {}, value)
    for member in schema.get("anyOf", ()):
        yield from _resolved(member, value)
