"""Between the core's terms and those of the Agent Client Protocol, in both directions. Pure.

What a person is told besides the answer (``StatusChanged``): an error is a piece of the answer, so
that nobody overlooks it. Anything less is a notice while it happens, for a client that announced
``session.notices``; for others, and in a replay, it is a thought, so that it stays apart from what
the model said.

No value is ever null: several clients refuse a null where the protocol allows one. Arrays in a
``tool_call_update`` replace what the card showed, so an empty one is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acp_server.schema.errors import AUTH_REQUIRED, INTERNAL_ERROR, RpcError
from acp_server.session_info import info_update
from acp_server.terminals import CardEvent, console_of, with_console
from hermes_core.ground.actions import Answer
from hermes_core.ground.content import CardContent, Diff, Image, Location, Text
from hermes_core.ground.errors import AuthFailed, HermesError, NoCredentials, ProviderError
from hermes_core.ground.events import (
    ApprovalRequested,
    Compacted,
    CompactionStarted,
    PlanChanged,
    ReasoningDelta,
    ShownEvent,
    StatusChanged,
    TextDelta,
    TitleChanged,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UsageUpdated,
    UserPrompted,
    UserSteered,
)
from hermes_core.ground.secrets import REDACTOR

Json = dict[str, Any]

INTERRUPTED = "Interrupted by the user."
STEERED = "Your message reaches the model with this step."

_SHORT = 200
_LONGEST_WORDS = 2_000
_ANSWERS: dict[str, Answer] = {
    "allow_once": "allow_once",
    "allow_always": "allow_always",
    "reject_once": "reject_once",
    "reject_always": "reject_always",
}


def to_updates(
    event: ShownEvent,
    *,
    notices: bool = False,
    compaction: bool = False,
    terminals: bool = False,
    replaying: bool = False,
) -> list[Json]:
    """Return the ``session/update`` payloads that show ``event``; most events are none or one.

    notices, compaction: whether the client announced ``session.notices``, ``session.compaction``.
    terminals: whether it shows the output of commands from ``_meta``.
    replaying: whether a stored session is shown again; only then are the user's own messages and
    the mark of an interrupted turn sent, which a client of a running turn has already.
    """
    if isinstance(event, StatusChanged):
        return [_status(event, notices and not replaying)]
    if isinstance(event, UserPrompted | TurnInterrupted) and not replaying:
        return []
    if isinstance(event, UserSteered) and not replaying:
        return [_status(StatusChanged("info", STEERED), notices)]
    if isinstance(event, CompactionStarted | Compacted):
        return [_compaction(event) if compaction else _told(event, notices and not replaying)]
    show = _SHOWN.get(type(event))
    if show is None:
        return []
    update = show(event)
    if isinstance(event, CardEvent) and (console := console_of(event.content)):
        others = _contents([part for part in event.content if part is not console])
        how = {"announced": terminals, "replaying": replaying}
        update = with_console(update, event, console, others, **how)
    return [update]


def mode_update(mode: str) -> Json:
    """Return the update that tells the session's new mode."""
    return {"sessionUpdate": "current_mode_update", "currentModeId": mode}


def commands_update(commands: Sequence[tuple[str, str, str]]) -> Json:
    """Return the update that lists slash commands: (name, description, hint or "") each."""
    listed = []
    for name, description, hint in commands:
        command: Json = {"name": name, "description": description}
        if hint:
            command["input"] = {"hint": hint}
        listed.append(command)
    return {"sessionUpdate": "available_commands_update", "availableCommands": listed}


def failed_call(call_id: str, text: str) -> Json:
    """Return the update that ends a tool call which nobody waits for any more."""
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call_id,
        "status": "failed",
        "content": [_text_content(text)],
        "rawOutput": text,
    }


def compaction_update(compaction_id: str, status: str) -> Json:
    """Return the update that tells how far the shortening of a conversation is."""
    return {
        "sessionUpdate": "compaction_update",
        "compactionId": compaction_id,
        "status": status,
    }


def permission_request(event: ApprovalRequested, session_id: str) -> Json:
    """Return the params of ``session/request_permission`` for ``event``.

    The tool call repeats title, kind, input, content and locations, since some clients show
    nothing but this request. There is at most one option of a kind.
    """
    content = _contents(event.content)
    if event.reason:
        content.append(_text_content(event.reason))
    call: Json = {
        "toolCallId": event.call_id,
        "title": one_line(event.title),
        "kind": event.kind,
        "status": "pending",
        "rawInput": event.arguments,
    }
    _add_arrays(call, content, event.locations)
    return {"sessionId": session_id, "toolCall": call, "options": _options(event)}


def permission_answer(result: object, event: ApprovalRequested) -> Answer:
    """Return what the client's answer means; anything but an option of ``event`` rejects."""
    outcome = result.get("outcome") if isinstance(result, Mapping) else None
    if not isinstance(outcome, Mapping) or outcome.get("outcome") != "selected":
        return "reject_once"
    option = outcome.get("optionId")
    offered = {one["optionId"] for one in _options(event)}
    return _ANSWERS[option] if isinstance(option, str) and option in offered else "reject_once"


def was_rejected(result: object) -> bool:
    """Return whether a person chose to reject, rather than to give no answer."""
    outcome = result.get("outcome") if isinstance(result, Mapping) else None
    option = outcome.get("optionId") if isinstance(outcome, Mapping) else None
    return option in ("reject_once", "reject_always")


def permission_words(result: object) -> str:
    """Return what the person said with the answer: ``reason`` in a ``_meta`` of it, or ``""``."""
    outcome = result.get("outcome") if isinstance(result, Mapping) else None
    for told in (result, outcome):
        meta = told.get("_meta") if isinstance(told, Mapping) else None
        reason = meta.get("reason") if isinstance(meta, Mapping) else None
        if isinstance(reason, str) and reason.strip():
            return reason.strip()[:_LONGEST_WORDS]
    return ""


def reason_form(asked: Mapping[str, Any]) -> Json:
    """Return the params of ``elicitation/create`` that ask why a question was rejected."""
    call = asked["toolCall"]
    return {
        "sessionId": asked["sessionId"],
        "toolCallId": call["toolCallId"],
        "mode": "form",
        "message": f"Why not? (You may leave this.) {one_line(call['title'], _SHORT)}",
        "requestedSchema": {
            "type": "object",
            "properties": {"reason": {"type": "string", "title": "What to do instead"}},
        },
    }


def reason_of(result: object) -> str:
    """Return what the person answered to ``reason_form``, ``""`` for nothing."""
    if not isinstance(result, Mapping) or result.get("action") != "accept":
        return ""
    content = result.get("content")
    return permission_words({"_meta": content}) if isinstance(content, Mapping) else ""


def failure_of(error: BaseException) -> RpcError:
    """Return the error answer for what ended a turn or refused a request.

    The message is one short line. Credentials are -32000, so that a client offers to log in; all
    else is -32603. ``data`` has ``details`` (the whole text), ``kind`` (the error's class) and
    ``retryAfter`` (seconds).
    """
    kind = type(error).__name__
    if not isinstance(error, HermesError):
        details = "Hermes hit an internal error; its log file says more."
        return RpcError(INTERNAL_ERROR, "Internal error", {"details": details, "kind": kind})
    text = REDACTOR.redact(str(error)) or kind
    data: Json = {"details": text, "kind": kind}
    if isinstance(error, ProviderError) and error.retry_after is not None:
        data["retryAfter"] = error.retry_after
    code = AUTH_REQUIRED if isinstance(error, AuthFailed | NoCredentials) else INTERNAL_ERROR
    return RpcError(code, one_line(text, _SHORT), data)


def one_line(text: str, limit: int = 0) -> str:
    """Return ``text`` on one line; with a ``limit``, cut to so many characters."""
    line = " ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if not limit or len(line) <= limit else line[: limit - 1] + "…"


def _chunk(kind: str, text: str, message_id: str = "") -> Json:
    update: Json = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    if message_id:
        update["messageId"] = message_id
    return update


def _status(event: StatusChanged, notices: bool) -> Json:
    text = REDACTOR.redact(event.text)
    if event.level == "error":
        return _chunk("agent_message_chunk", f"\n\n{text}\n")
    if notices:
        return {"sessionUpdate": "notice", "severity": event.level, "title": one_line(text) or "?"}
    return _chunk("agent_thought_chunk", f"{text}\n")


def _told(event: CompactionStarted | Compacted, notices: bool) -> Json:
    failed = isinstance(event, Compacted) and event.status == "failed"
    return _status(StatusChanged("warning" if failed else "info", event.text), notices)


def _compaction(event: CompactionStarted | Compacted) -> Json:
    update = compaction_update(event.compaction_id, "in_progress")
    if isinstance(event, CompactionStarted):
        return update
    update["status"] = event.status
    text = REDACTOR.redact(event.text)
    if event.status == "failed":
        update["error"] = one_line(text)
    elif event.status == "completed":
        parts = [text, REDACTOR.redact(event.summary)]
        update["summary"] = [{"type": "text", "text": "\n\n".join(filter(None, parts))}]
        sizes = {"beforeTokens": event.before_tokens, "afterTokens": event.after_tokens}
        update["_meta"] = {"hermes": sizes}
    return update


def _text(event: TextDelta) -> Json:
    return _chunk("agent_message_chunk", event.text, event.message_id)


def _reasoning(event: ReasoningDelta) -> Json:
    return _chunk("agent_thought_chunk", event.text, event.message_id)


def _prompted(event: UserPrompted | UserSteered) -> Json:
    return _chunk("user_message_chunk", event.text, event.message_id)


def _interrupted(event: TurnInterrupted) -> Json:
    not_run = f" Not run: {'; '.join(map(one_line, event.not_run))}." if event.not_run else ""
    return _chunk("agent_thought_chunk", f"{INTERRUPTED}{not_run}\n")


def _started(event: ToolCallStarted) -> Json:
    update: Json = {
        "sessionUpdate": "tool_call",
        "toolCallId": event.call_id,
        "title": one_line(event.title) or event.name,
        "name": event.name,
        "kind": event.kind,
        "status": "pending",
        "rawInput": event.arguments,
    }
    _add_arrays(update, _contents(event.content), event.locations)
    return update


def _running(event: ToolCallRunning) -> Json:
    return _call_update(event.call_id, "in_progress")


def _progress(event: ToolCallProgress) -> Json:
    update = _call_update(event.call_id, "in_progress")
    _add_arrays(update, _contents(event.content), ())
    return update


def _finished(event: ToolCallFinished) -> Json:
    update = _call_update(event.call_id, event.status)
    content = _contents(event.content)
    if not content and event.status == "failed":
        content = [_text_content(event.output)]
    _add_arrays(update, content, event.locations)
    update["rawOutput"] = event.output
    return update


def _call_update(call_id: str, status: str) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": status}


def _plan(event: PlanChanged) -> Json:
    entries = [
        {"content": entry.content, "priority": entry.priority, "status": entry.status}
        for entry in event.entries
    ]
    return {"sessionUpdate": "plan", "entries": entries}


def _usage(event: UsageUpdated) -> Json:
    used, size = max(event.used, 0), max(event.size, 0)
    update: Json = {"sessionUpdate": "usage_update", "used": used, "size": size}
    if event.cost is not None:
        update["cost"] = {"amount": round(event.cost, 6), "currency": "USD"}
    return update


def _title(event: TitleChanged) -> Json:
    return info_update(event.title, event.updated)


def _add_arrays(update: Json, content: list[Json], locations: Sequence[Location]) -> None:
    if content:
        update["content"] = content
    if locations:
        update["locations"] = [_location(location) for location in locations]


def _location(location: Location) -> Json:
    return {"path": location.path} | ({} if location.line is None else {"line": location.line})


def _contents(parts: Sequence[CardContent]) -> list[Json]:
    return [_one_content(part) for part in parts if isinstance(part, Diff | Text) or part.text]


def _one_content(part: CardContent) -> Json:
    if isinstance(part, Diff):
        return _diff(part)
    if isinstance(part, Image) and part.data:
        image = {"type": "image", "mimeType": part.mime_type, "data": part.data}
        return {"type": "content", "content": image}
    return _text_content(part.text)


def _text_content(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}


def _diff(diff: Diff) -> Json:
    shown: Json = {"type": "diff", "path": diff.path, "newText": diff.new}
    if diff.old is not None:
        shown["oldText"] = diff.old
    return shown


def _options(event: ApprovalRequested) -> list[Json]:
    names: dict[Answer, str] = {"allow_once": "Allow once"}
    if event.always:
        names["allow_always"] = f"Always allow {one_line(event.always)}"
    names["reject_once"] = "Reject"
    if event.never:
        names["reject_always"] = f"Always reject {one_line(event.never)}"
    return [_option(kind, event.labels.get(kind, name)) for kind, name in names.items()]


def _option(kind: Answer, name: str) -> Json:
    return {"optionId": kind, "name": name, "kind": kind}


_SHOWN: dict[type, Callable[[Any], Json]] = {
    UserPrompted: _prompted,
    UserSteered: _prompted,
    TextDelta: _text,
    ReasoningDelta: _reasoning,
    ToolCallStarted: _started,
    ToolCallRunning: _running,
    ToolCallProgress: _progress,
    ToolCallFinished: _finished,
    PlanChanged: _plan,
    UsageUpdated: _usage,
    TitleChanged: _title,
    TurnInterrupted: _interrupted,
}
