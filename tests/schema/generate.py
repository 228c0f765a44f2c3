"""Generates the types in ``acp_server/schema`` from the official schema, stable and unstable.

``python -m tests.schema.generate`` writes them. Only what the methods in ``ROOTS`` reach is
generated, each definition in the first file that reaches it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOTS: dict[str, tuple[str, ...]] = {
    "content": ("ContentBlock",),
    "initialization": (
        "InitializeRequest",
        "InitializeResponse",
        "AuthenticateRequest",
        "AuthenticateResponse",
        "LogoutRequest",
        "LogoutResponse",
    ),
    "sessions": (
        "NewSessionRequest",
        "NewSessionResponse",
        "LoadSessionRequest",
        "LoadSessionResponse",
        "ListSessionsRequest",
        "ListSessionsResponse",
        "SetSessionModeRequest",
        "SetSessionModeResponse",
        "ResumeSessionRequest",
        "ResumeSessionResponse",
        "CloseSessionRequest",
        "CloseSessionResponse",
        "DeleteSessionRequest",
        "DeleteSessionResponse",
    ),
    "prompts": ("PromptRequest", "PromptResponse", "CancelNotification"),
    "tools": ("ToolCall", "ToolCallUpdate"),
    "updates": ("SessionNotification",),
    "permissions": ("RequestPermissionRequest", "RequestPermissionResponse"),
    "files": (
        "ReadTextFileRequest",
        "ReadTextFileResponse",
        "WriteTextFileRequest",
        "WriteTextFileResponse",
    ),
    "terminals": (
        "CreateTerminalRequest",
        "CreateTerminalResponse",
        "TerminalOutputRequest",
        "TerminalOutputResponse",
        "WaitForTerminalExitRequest",
        "WaitForTerminalExitResponse",
        "KillTerminalRequest",
        "KillTerminalResponse",
        "ReleaseTerminalRequest",
        "ReleaseTerminalResponse",
    ),
    "cancellation": ("CancelRequestNotification",),
}
UNSTABLE_ROOTS = (
    "ForkSessionRequest",
    "ForkSessionResponse",
    "ArchiveSessionRequest",
    "UnarchiveSessionRequest",
    "SessionStatusRequest",
    "SetSessionTitleRequest",
    "AuthStatusRequest",
    "ListProvidersRequest",
    "SetProviderRequest",
    "DisableProviderRequest",
    "MessageMcpRequest",
    "MessageMcpNotification",
)
"""What is taken from the unstable schema, into a file of its own."""

UNSTABLE_PARTS = ("McpServer", "McpServerAcp", "McpServerAcpId")
"""What stable definitions refer to and is taken from the unstable schema all the same."""

LEFT_OUT = frozenset(
    {
        "SystemPrompt",
        "SessionConfigOption",
        "ConfigOptionUpdate",
        "CompactionUpdate",
        "CompactionSummaryChunk",
    }
)
"""Definitions that nothing uses yet; a reference to one becomes any object."""

MAY_BE_MISSING = {("NewSessionRequest", "mcpServers"), ("LoadSessionRequest", "mcpServers")}
"""Fields that the schema requires and known clients leave out: as if nothing were in them."""

SCHEMA = Path(__file__).with_name("v1.schema.json")
UNSTABLE = Path(__file__).with_name("v1.schema.unstable.json")
TARGET = Path(__file__).parents[2] / "acp_server" / "schema"

_WIDTH = 100
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_MARKERS = {
    "x-deserialize-default-on-error": "ON_ERROR",
    "x-deserialize-default-on-null": "ON_NULL",
    "x-deserialize-skip-invalid-items": "SKIP_INVALID",
}
_META = "dict[str, Any] | None"

Schema = Mapping[str, Any]


class Generator:
    """Turns definitions into source; ``homes`` tells in which file each name stands."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.definitions = definitions
        self.homes: dict[str, str] = {}

    def files(self) -> dict[str, str]:
        """Return the text of every generated file by its module name."""
        return {domain: self.file(domain, roots) for domain, roots in ROOTS.items()}

    def file(self, domain: str, roots: Iterable[str]) -> str:
        """Return the text of one file, with what no earlier file has."""
        blocks: list[str] = []
        for root in roots:
            for name in self._reachable(root):
                if name not in self.homes:
                    self.homes[name] = domain
                    blocks += self._definition(name)
        body = _spaced(blocks)
        head = f'"""Types of the protocol: {domain}. Made by ``tests/schema/generate.py``."""'
        return f"{head}\n\n{self._imports(domain, body)}\n{body}"

    def _reachable(self, name: str) -> Iterator[str]:
        """Yield ``name`` and all named types it needs, needed ones first."""
        schema = self.definitions[name]
        for needed in dict.fromkeys(_references(schema)):
            if not self._is_inline(needed):
                yield from self._reachable(needed)
        yield name

    def _is_inline(self, name: str) -> bool:
        """Return whether a reference becomes plain types where it stands."""
        return name in LEFT_OUT or not (
            "properties" in self.definitions[name]
            or self.definitions[name].get("type") == "object"
            or _constants(self.definitions[name])
            or _variants(self.definitions[name])
        )

    # Definitions

    def _definition(self, name: str) -> list[str]:
        schema = self.definitions[name]
        if constants := _constants(schema):
            return [_enumeration(name, constants)]
        if variants := _variants(schema):
            return self._union(name, variants)
        return [self._class(name, "TypedDict", _purpose(name, schema), schema)]

    def _class(self, name: str, bases: str, purpose: str, schema: Schema) -> str:
        required = schema.get("required", ())
        lines = [f"class {name}({bases}):", f'    """{purpose}"""', ""]
        for key, value in schema.get("properties", {}).items():
            needed = key in required and (name, key) not in MAY_BE_MISSING
            lines.append(_annotation(key, self._field(value, needed)))
        return "\n".join(lines).rstrip()

    def _field(self, schema: Schema, required: bool) -> str:
        hint = self._hint(schema)
        markers = [name for mark, name in _MARKERS.items() if schema.get(mark)]
        if hint == _META and markers == ["ON_ERROR"]:
            hint = "Meta"
        elif markers:
            hint = f"Annotated[{hint}, {', '.join(markers)}]"
        return hint if required else f"NotRequired[{hint}]"

    def _union(self, name: str, variants: list[Schema]) -> list[str]:
        blocks, members = [], []
        for variant in variants:
            base = _reference(variant)
            if base in LEFT_OUT:
                continue
            if "properties" not in variant:
                members.append(str(base))
                continue
            tag = next(iter(variant["properties"].values()))["const"]
            member = f"{_pascal(tag)}{name}"
            members.append(member)
            bases = f"{base}, TypedDict" if base else "TypedDict"
            purpose = f"One kind of ``{name}``: ``{tag}``."
            blocks.append(self._class(member, bases, purpose, variant))
        return [*blocks, _assigned_union(name, members)]

    # Hints

    def _hint(self, schema: Schema) -> str:
        if target := _reference(schema):
            return self._named(target)
        if "anyOf" in schema:
            return " | ".join(self._hint(member) for member in schema["anyOf"])
        kinds = schema.get("type")
        if kinds is None:
            return "Any"
        listed = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self._kind(kind, schema) for kind in listed)

    def _kind(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            return f"list[{self._hint(schema['items'])}]"
        if kind == "object":
            values = schema.get("additionalProperties", True)
            return f"dict[str, {'Any' if values is True else self._hint(values)}]"
        if "const" in schema:
            return f"Literal[{_quoted(schema['const'])}]"
        return _SCALARS[kind]

    def _named(self, name: str) -> str:
        if name in LEFT_OUT:
            return "dict[str, Any]"
        if not self._is_inline(name):
            return name
        schema = self.definitions[name]
        if "anyOf" not in schema:
            return self._hint(schema)
        hints = {self._hint(_open(member)) for member in schema["anyOf"]}
        return " | ".join(sorted(hints, key=lambda hint: (hint == "None", hint)))

    # Imports

    def _imports(self, domain: str, body: str) -> str:
        words = set(re.findall(r"\w+", re.sub(r'""".*?"""', "", body)))
        typing = ("Annotated", "Any", "Literal", "NotRequired", "TypedDict")
        lines = [_import("typing", [name for name in typing if name in words]), ""]
        elsewhere: dict[str, list[str]] = {}
        for name in sorted(words & self.homes.keys()):
            if self.homes[name] != domain:
                elsewhere.setdefault(self.homes[name], []).append(name)
        marks = [name for name in ("ON_ERROR", "ON_NULL", "SKIP_INVALID", "Meta") if name in words]
        elsewhere["markers"] = marks
        homes = filter(elsewhere.get, sorted(elsewhere))
        lines += [_import(f"acp_server.schema.{home}", elsewhere[home]) for home in homes]
        return "\n".join(lines).rstrip()


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _reference(schema: Schema) -> str | None:
    for member in (schema, *schema.get("allOf", ())):
        if "$ref" in member:
            return str(member["$ref"].rpartition("/")[2])
    return None


def _constants(schema: Schema) -> list[str]:
    """Return the values of a closed enumeration of strings."""
    members = schema.get("oneOf", [])
    return [member["const"] for member in members if "const" in member]


def _variants(schema: Schema) -> list[Schema]:
    """Return the members of a union of objects."""
    members = schema.get("oneOf") or schema.get("anyOf") or []
    return [m for m in members if m.get("type") == "object" or _reference(m)]


def _open(member: Schema) -> Schema:
    """Return a member of an open enumeration without its constant."""
    return {key: value for key, value in member.items() if key != "const"}


def _purpose(name: str, schema: Schema) -> str:
    method = schema.get("x-method")
    if not method:
        return f"``{name}`` of the schema."
    return f"{'Result' if name.endswith('Response') else 'Params'} of ``{method}``."


def _pascal(tag: str) -> str:
    return "".join(part.capitalize() for part in tag.split("_"))


def _quoted(value: str) -> str:
    return json.dumps(value)


def _enumeration(name: str, values: list[str]) -> str:
    listed = ", ".join(map(_quoted, values))
    line = f"{name} = Literal[{listed}]"
    return line if len(line) <= _WIDTH else f"{name} = Literal[\n    {listed}\n]"


def _annotation(key: str, hint: str) -> str:
    line = f"    {key}: {hint}"
    if len(line) <= _WIDTH:
        return line
    outer, _, inside = hint.partition("[")
    return f"    {key}: {outer}[\n        {inside[:-1]}\n    ]"


def _assigned_union(name: str, members: list[str]) -> str:
    line = f"{name} = {' | '.join(members)}"
    if len(line) <= _WIDTH:
        return line
    listed = "\n    | ".join(members)
    return f"{name} = (\n    {listed}\n)"


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _spaced(blocks: Iterable[str]) -> str:
    """Join blocks with two empty lines around classes and one between assignments."""
    text, after_class = "", False
    for block in blocks:
        is_class = block.startswith("class ")
        text += ("\n\n" if is_class or after_class else "\n") + block + "\n"
        after_class = is_class
    return text


def generate() -> dict[str, str]:
    """Return the generated files: module name to text."""
    stable, unstable = (json.loads(path.read_text(encoding="utf-8")) for path in (SCHEMA, UNSTABLE))
    newer = {name: unstable["$defs"][name] for name in UNSTABLE_PARTS}
    generator = Generator({**stable["$defs"], **newer})
    files = generator.files()
    generator.definitions = unstable["$defs"]
    return {**files, "unstable": generator.file("unstable", UNSTABLE_ROOTS)}


def main() -> None:
    """Write the generated files."""
    for name, text in generate().items():
        (TARGET / f"{name}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
