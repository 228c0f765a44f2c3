"""A session as Markdown, to be read: what was shown, in order, with its tools and its cost."""

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hermes_core.ground.content import CardContent, Diff
from hermes_core.ground.events import (
    PlanChanged,
    ReasoningDelta,
    ShownEvent,
    StatusChanged,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnInterrupted,
    UserPrompted,
)
from hermes_core.ground.events_json import from_json
from hermes_core.sessions.lineage import addressed, children, generations
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.usage import Used, usage_of

_FENCE = re.compile(r"`{3,}")
_MARKS = {"completed": "x", "in_progress": "-", "pending": " "}


def transcript(store: Store, session_id: str) -> str:
    """Return a session as Markdown; ``""`` if there is none of that id. Raises ``StoreError``."""
    session_id = addressed(store, session_id)
    row = store.session(session_id)
    if row is None:
        return ""
    parts = [
        f"# {row.title or 'Untitled session'}",
        _about(row),
        _lineage(store, row),
        _usage(usage_of(store, session_id)),
        *_shown(store.shown(session_id)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def told_usage(used: Used) -> str:
    """Return tokens, calls and cost in words."""
    counts = used.usage
    words = [f"{counts.input:,} tokens read"]
    if counts.cached:
        words[0] += f" ({counts.cached:,} from a cache)"
    words.append(f"{counts.output:,} written")
    if counts.reasoning:
        words[-1] += f" ({counts.reasoning:,} of them reasoning)"
    words.append(f"{used.calls:,} call{'' if used.calls == 1 else 's'}")
    if used.unpriced and not used.cost:
        words.append("price not known")
    else:
        words.append(f"${used.cost:.4f}")
        if used.unpriced:
            words[-1] += f" and {used.unpriced:,} without a known price"
    return ", ".join(words)


def _about(row: SessionRow) -> str:
    lines = [f"- Session: `{row.id}`", f"- Folder: `{row.cwd}`"]
    lines += [f"- Further folder: `{path}`" for path in row.additional]
    if row.model:
        lines.append(f"- Model: `{row.model}`" + (f" of {row.provider}" if row.provider else ""))
    lines.append(f"- Begun {_time(row.created)}, last changed {_time(row.updated)}")
    return "\n".join(lines)


def _lineage(store: Store, row: SessionRow) -> str:
    lines = [
        f"- `{one.id}`: {one.relation} from `{one.parent}` on {_time(one.created)}"
        for one in (*generations(store, row.id), *children(store, row.id))
        if one.parent
    ]
    return "\n".join(["Lineage:", "", *lines]) if lines else ""


def _usage(every: Sequence[Used]) -> str:
    lines = [
        f"- `{used.model}` of {used.provider}{f', {used.task}' if used.task else ''}: "
        f"{told_usage(used)}"
        for used in every
    ]
    return "\n".join(["Used:", "", *lines]) if lines else ""


def _shown(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a block of Markdown for each thing shown; pieces of one text become one block."""
    gathered: list[TextDelta | ReasoningDelta] = []
    for row in rows:
        event = from_json(row)
        if isinstance(event, TextDelta | ReasoningDelta):
            if gathered and (type(event), event.message_id) != (
                type(gathered[0]),
                gathered[0].message_id,
            ):
                yield _said(gathered)
                gathered = []
            gathered.append(event)
            continue
        block = _block(event) if event is not None else ""
        if block:
            if gathered:
                yield _said(gathered)
                gathered = []
            yield block
    if gathered:
        yield _said(gathered)


def _said(pieces: Sequence[TextDelta | ReasoningDelta]) -> str:
    text = "".join(piece.text for piece in pieces).strip()
    if isinstance(pieces[0], TextDelta):
        return f"## Hermes\n\n{text}" if text else ""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _block(event: ShownEvent) -> str:
    show = _BLOCKS.get(type(event))
    return show(event) if show else ""


def _prompted(event: UserPrompted) -> str:
    return f"## User\n\n{event.text.strip()}"


def _started(event: ToolCallStarted) -> str:
    arguments = fenced(json.dumps(event.arguments, indent=1, ensure_ascii=False), "json")
    return "\n\n".join([f"### {' '.join(event.title.split()) or event.name}", arguments])


def _finished(event: ToolCallFinished) -> str:
    parts = [diff for part in event.content if (diff := _diff(part))]
    output = fenced(event.output) if event.output.strip() else ""
    return "\n\n".join(part for part in (f"`{event.name}` {event.status}", *parts, output) if part)


def _plan(event: PlanChanged) -> str:
    lines = [f"- [{_MARKS.get(one.status, ' ')}] {one.content}" for one in event.entries]
    return "\n".join(["### Plan", "", *lines])


def _status(event: StatusChanged) -> str:
    return f"*{event.level}: {' '.join(event.text.split())}*"


def _interrupted(_event: TurnInterrupted) -> str:
    return "*Interrupted by the user.*"


def _diff(part: CardContent) -> str:
    if not isinstance(part, Diff):
        return ""
    lines = difflib.unified_diff(
        (part.old or "").splitlines(), part.new.splitlines(), part.path, part.path, lineterm=""
    )
    return fenced("\n".join(lines), "diff")


def fenced(text: str, language: str = "") -> str:
    """Return ``text`` as a block of code that nothing in it can end."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


_BLOCKS: dict[type, Callable[[Any], str]] = {
    UserPrompted: _prompted,
    ToolCallStarted: _started,
    ToolCallFinished: _finished,
    PlanChanged: _plan,
    StatusChanged: _status,
    TurnInterrupted: _interrupted,
}
