"""``/context``: what fills the model's window, as a picture and in numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hermes_core.agent.compression.tokens import (
    OVERHEAD,
    message_tokens,
    part_tokens,
    schema_tokens,
    text_tokens,
)
from hermes_core.agent.prompt.layer import layers_of
from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.messages import Message

CELLS = 100
ROW = 50
FREE = "·"

_KINDS = {
    "S": "system prompt",
    "P": "project instructions",
    "K": "skills",
    "M": "memory",
    "T": "tools",
    "Z": "summaries",
    "U": "your messages",
    "F": "files, images, sounds in them",
    "A": "answers",
    "H": "thinking",
    "C": "tool calls",
    "R": "tool results",
}
_LAYERS = {"project": "P", "skills": "K", "memory": "M", "user profile": "M"}


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills a window. parts: estimated tokens by letter, see ``_KINDS``.

    window: tokens, 0 if it is not known. reported: what the provider counted in the last request,
    0 before any. room_at: tokens above which room is made at the beginning of a turn.
    """

    parts: dict[str, int]
    window: int
    reported: int = 0
    room_at: int = 0

    @property
    def total(self) -> int:
        """All parts together."""
        return sum(self.parts.values())


def run_context(seat: Seat, _argument: str) -> str:
    """Show what the next request would hold."""
    agent = seat.agent
    try:
        runtime = seat.runtime()
        window, model = runtime.context_window, f"`{runtime.model}`"
    except ConfigError:
        window, model = 0, "no model (none is set up)"
    parts = parts_of_request(agent.system_prompt, agent.tool_schemas, agent.messages)
    reported = agent.in_context
    room_at = int(window * seat.config().compression_threshold)
    return context_text(Filled(parts, window, reported, room_at), model)


def parts_of_request(
    prompt: str, schemas: Sequence[dict[str, object]], messages: Iterable[Message]
) -> dict[str, int]:
    """Return the estimated tokens of each part of a request, by its letter."""
    parts = dict.fromkeys(_KINDS, 0)
    for layer in layers_of(prompt):
        parts[_LAYERS.get(layer.name, "S")] += text_tokens(layer.text)
    parts["T"] = schema_tokens(schemas)
    for message in messages:
        _count(message, parts)
    return parts


def context_text(filled: Filled, model: str) -> str:
    """Return the picture and the numbers as Markdown."""
    window, total = filled.window, filled.total
    of = f" of {window:,} tokens ({total / window:.0%})" if window else " tokens"
    lines = [f"The next request to {model} takes about {total:,}{of}.", "", "```"]
    lines += [*_picture(filled), *([""] if window else []), *_rows(filled), "```", ""]
    if filled.reported:
        lines.append(f"The provider counted {filled.reported:,} tokens in the last request.")
    if 0 < filled.room_at < window:
        lines.append(
            f"Above {filled.room_at:,} the conversation is summarised; so does `/compress`."
        )
    lines.append("The parts are reckoned at a token for every four bytes.")
    return "\n".join(lines)


def _count(message: Message, parts: dict[str, int]) -> None:
    if message.get("made"):
        parts["Z"] += message_tokens(message)
    elif message["role"] == "user":
        extra = _beside(message)
        parts["F"] += extra
        parts["U"] += message_tokens(message) - extra
    elif message["role"] == "tool":
        parts["R"] += message_tokens(message)
    else:
        whole = message_tokens(message)
        said = message_tokens({"role": "assistant", "content": message["content"]})
        asked: Message = {
            "role": "assistant",
            "content": None,
            "tool_calls": message.get("tool_calls", []),
        }
        calls = message_tokens(asked) - OVERHEAD
        parts["A"] += said
        parts["C"] += calls
        parts["H"] += whole - said - calls


def _beside(message: Message) -> int:
    """Return the tokens of what was put beside a message's words."""
    content = message["content"]
    count = 0
    for part in content if isinstance(content, list) else ():
        if part["type"] != "text" or "attachment" in part:
            count += part_tokens(part)
    return count


def _picture(filled: Filled) -> list[str]:
    """Return lines of cells, each a hundredth of the window, with the letter of what fills it."""
    if not filled.window:
        return []
    cells, reached = "", 0
    for letter, tokens in filled.parts.items():
        reached += tokens
        cells += letter * (min(CELLS, round(reached * CELLS / filled.window)) - len(cells))
    cells = cells.ljust(CELLS, FREE)
    return [cells[at : at + ROW] for at in range(0, CELLS, ROW)]


def _rows(filled: Filled) -> list[str]:
    shown = [(letter, _KINDS[letter], n) for letter, n in filled.parts.items() if n]
    if filled.window:
        shown.append((FREE, "free", max(filled.window - filled.total, 0)))
    rows = []
    for letter, name, tokens in shown:
        share = f"{tokens / filled.window:7.1%}" if filled.window else ""
        rows.append(f"{letter} {name:<26}{tokens:>11,}{share}")
    return rows
