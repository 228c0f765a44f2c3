"""``/tools``: what the model is offered, and what telling it of that takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_core.agent.compression.tokens import schema_tokens, text_tokens
from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.tools.visible import fence, one_line

_SHORT = 90


def run_tools(seat: Seat, argument: str) -> str:
    """List the tools, or show all that the model is told of one. Raises ``HermesError``."""
    schemas = seat.agent.tool_schemas
    if not argument:
        return tools_text(schemas)
    for schema in schemas:
        if _about(schema).get("name") == argument.strip("`"):
            return _one(schema)
    known = ", ".join(f"`{_about(schema).get('name', '?')}`" for schema in schemas) or "none"
    raise HermesError(f"There is no tool {quoted(argument)}. There are: {known}.")


def tools_text(schemas: Sequence[Mapping[str, Any]]) -> str:
    """Return the tools as a Markdown table with their sizes; tokens are estimates."""
    if not schemas:
        return "The model is offered no tools."
    rows = ["| Tool | Tokens | What for |", "|---|---:|---|"]
    for schema in schemas:
        about = _about(schema)
        name, told = one_line(str(about.get("name", "?"))), _first(about.get("description"))
        rows.append(f"| `{name}` | {_size(schema):,} | {told} |")
    total = schema_tokens(schemas)
    rows.append(f"| **{len(schemas)} together** | **{total:,}** | |")
    return "\n".join([*rows, "", "`/tools NAME` shows all that the model is told of one."])


def _one(schema: Mapping[str, Any]) -> str:
    about = _about(schema)
    name = one_line(str(about.get("name", "?")))
    shown = json.dumps(about.get("parameters", {}), indent=2, ensure_ascii=False)
    text = f"{about.get('description', '')}\n\n{shown}"
    return f"`{name}`, about {_size(schema):,} tokens:\n\n{fence(text)}"


def _about(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    function = schema.get("function")
    return function if isinstance(function, Mapping) else {}


def _size(schema: Mapping[str, Any]) -> int:
    return text_tokens(json.dumps(schema))


def _first(description: object) -> str:
    """Return the first sentence of a description, as one cell of a table."""
    line = " ".join(str(description or "").split()).partition(". ")[0].rstrip(".")
    line = line if len(line) <= _SHORT else line[: _SHORT - 1].rstrip() + "…"
    return one_line(line).replace("|", "\\|")
