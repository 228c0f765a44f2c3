"""``prompt``: what a model is sent before the conversation, and what each part of it costs."""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_core.agent.prompt.foreign import MARKED, marked_files
from hermes_core.agent.prompt.layer import about_tokens, layers_of
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.local.config import Config
from hermes_core.tools.visible import fence, one_line

_FILE = re.compile(r'^<project-instructions file="([^"\n]*)">$', re.MULTILINE)


def run_prompt(prompt: str, schemas: Sequence[dict[str, Any]], argument: str) -> str:
    """Run ``prompt ARGUMENT`` on what a session sends; raises ``HermesError``."""
    match argument.strip():
        case "":
            return f"{costs_text(prompt, schemas)} `/prompt full` shows the text."
        case "full" | "--full":
            return fence(prompt)
        case other:
            raise HermesError(f"{quoted(other)} is not understood. There is: `full`.")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one part of a request takes; ``total`` for a sum of parts above it."""

    name: str
    characters: int
    tokens: int
    total: bool = False


def costs(prompt: str, schemas: Sequence[dict[str, Any]]) -> list[Cost]:
    """Return what each layer of the prompt and each tool takes, with sums; tokens are a guess."""
    tools = [(f"tool {one_line(_name(one))}", _sent(one)) for one in schemas]
    told = "".join(text for _, text in tools)
    return [
        *(_cost(layer.name, layer.text) for layer in layers_of(prompt)),
        _cost("the prompt", prompt, total=True),
        *(_cost(name, text) for name, text in tools),
        _cost("the tools", told, total=True),
        _cost("together", prompt + told, total=True),
    ]


def costs_text(prompt: str, schemas: Sequence[dict[str, Any]]) -> str:
    """Return the costs as a Markdown table, with what is worth knowing about the parts."""
    rows = ["| Part | Characters | Tokens |", "|---|---:|---:|"]
    for cost in costs(prompt, schemas):
        name = f"**{cost.name}**" if cost.total else cost.name
        rows.append(f"| {name} | {cost.characters:,} | {cost.tokens:,} |")
    return "\n".join([*rows, "", *remarks(prompt)])


def remarks(prompt: str) -> Iterator[str]:
    """Yield in Markdown what is worth knowing about the parts of a prompt."""
    files = _FILE.findall(prompt)
    if files:
        yield f"Project files: {', '.join(f'`{one_line(name)}`' for name in files)}.\n"
    for name in marked_files(prompt):
        yield f"{MARKED.format(name=f'`{name}`')}\n"
    yield "Tokens are reckoned at one for every four bytes."


def new_prompt(config: Config, cwd: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return the prompt and the tools of a new session in ``cwd``; none is made.

    Raises ``HermesError``.
    """
    from hermes_core.agent.agent import AIAgent
    from hermes_core.sessions.store import FILE_NAME, Store

    with tempfile.TemporaryDirectory(prefix="hermes-prompt-") as folder:
        store = Store(Path(folder) / FILE_NAME)
        try:
            agent = AIAgent(cwd=cwd, config=config, store=store, clarify="ask", emit=lambda _: None)
            return agent.system_prompt, agent.tool_schemas
        finally:
            store.close()


def _cost(name: str, text: str, *, total: bool = False) -> Cost:
    return Cost(name, len(text), about_tokens(text), total)


def _sent(schema: dict[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("function", {}).get("name", "?"))
