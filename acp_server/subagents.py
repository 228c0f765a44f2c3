"""Whose session an update belongs to, where an agent has children. Pure.

A client that announced ``subagents`` sees each child as a session of its own: announced on its
parent's, then shown under its own id. For any other client the card of the call that made the
children tells how they are, and a call that one of them asks about is a card beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acp_server.mapping import (
    Json,
    compaction_update,
    failed_call,
    one_line,
    permission_request,
    to_updates,
)
from acp_server.schema.errors import INTERNAL_ERROR
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    ShownEvent,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    UserPrompted,
)
from hermes_core.ground.secrets import REDACTOR

Addressed = tuple[str, Json]
"""The id of a session, and an update for it."""

_CARDS = (ToolCallStarted, ToolCallRunning, ToolCallProgress, ToolCallFinished)
_SHORT = 200
_DESCRIPTION = 1_000


PLAN = "steps"
"""The id of the one plan that a session has."""


@dataclass(frozen=True, slots=True)
class View:
    """What a client is shown. notices, subagents, compaction: whether it announced them.

    terminals: whether it shows the output of commands from ``_meta``.

    replaying: whether a stored session is shown again.

    plan_operations: whether it takes changes of a plan by its id, and its end.
    """

    notices: bool = False
    subagents: bool = False
    replaying: bool = False
    compaction: bool = False
    terminals: bool = False
    plan_operations: bool = False


def addressed(event: ShownEvent, session_id: str, view: View) -> list[Addressed]:
    """Return the updates that show an event of the session, each with the session it is for."""
    shown = _addressed(event, session_id, view)
    return (
        [(place, _operation(update)) for place, update in shown] if view.plan_operations else shown
    )


def _operation(update: Json) -> Json:
    """Return an update of the whole plan as an operation on it: it is replaced, or gone."""
    if update["sessionUpdate"] != "plan":
        return update
    if not update["entries"]:
        return {"sessionUpdate": "plan_removed", "planId": PLAN}
    items = {"type": "items", "planId": PLAN, "entries": update["entries"]}
    return {"sessionUpdate": "plan_update", "plan": items}


def _addressed(event: ShownEvent, session_id: str, view: View) -> list[Addressed]:
    if isinstance(event, ChildStarted | ChildFinished):
        if not view.subagents:
            return []
        show = _begun(event, view) if isinstance(event, ChildStarted) else _ended(event)
        return [(session_id, show)]
    if isinstance(event, ChildShown):
        return _in_child(event, session_id, view) if view.subagents else _beside(event, session_id)
    updates = to_updates(
        event,
        notices=view.notices,
        compaction=view.compaction,
        terminals=view.terminals,
        replaying=view.replaying,
    )
    return [(session_id, update) for update in updates]


def question(event: ApprovalRequested, session_id: str, *, subagents: bool) -> Json:
    """Return the params that ask ``event``, in the session and on the card where it belongs."""
    if not event.child:
        return permission_request(event, session_id)
    if subagents:
        return permission_request(event, event.child)
    call_id = card_id(event.child, event.call_id)
    return permission_request(replace(event, call_id=call_id), session_id)


def card_id(child: str, call_id: str) -> str:
    """Return the id of a child's call among those of its parent's session."""
    return f"{child}:{call_id}"


class Unfinished:
    """Cards, children and compactions that were shown and have not ended, from the updates sent."""

    def __init__(self) -> None:
        self._cards: dict[tuple[str, str], None] = {}
        self._children: dict[str, str] = {}
        self._compactions: dict[str, str] = {}

    def note(self, session_id: str, update: Json) -> None:
        """Take note of an update that is sent."""
        kind = update["sessionUpdate"]
        if kind == "tool_call":
            self._cards[session_id, update["toolCallId"]] = None
        elif kind == "tool_call_update" and update["status"] in ("completed", "failed"):
            self._cards.pop((session_id, update["toolCallId"]), None)
        elif kind == "compaction_update":
            if update["status"] == "in_progress":
                self._compactions[update["compactionId"]] = session_id
            else:
                self._compactions.pop(update["compactionId"], None)
        elif kind == "subagent_update":
            self._children.setdefault(update["sessionId"], session_id)
            if update.get("state", {}).get("state") == "idle":
                self._children.pop(update["sessionId"])

    def parent(self, child: str) -> str:
        """Return the session that a child which has not ended was announced on, or ``""``."""
        return self._children.get(child, "")

    def before(self, update: Json, text: str) -> Iterator[Addressed]:
        """Yield what must come before ``update``: a child that rests has no open card."""
        if update["sessionUpdate"] == "subagent_update" and "stopReason" in update.get("state", {}):
            yield from self._end_cards(text, update["sessionId"])

    def end(self, text: str, stop_reason: str = "") -> Iterator[Addressed]:
        """Yield what ends all of it: cards as failed, then children, the youngest first."""
        yield from self._end_cards(text)
        while self._compactions:
            compaction, session_id = self._compactions.popitem()
            yield session_id, compaction_update(compaction, "cancelled")
        while self._children:
            child, parent = self._children.popitem()
            yield parent, _at_rest(child, stop_reason)

    def _end_cards(self, text: str, session_id: str | None = None) -> Iterator[Addressed]:
        for card in [card for card in self._cards if session_id in (None, card[0])]:
            del self._cards[card]
            yield card[0], failed_call(card[1], text)


def _in_child(event: ChildShown, session_id: str, view: View) -> list[Addressed]:
    shown = event.shown
    if event.asked:  # it comes among all the others too
        return []
    if isinstance(shown, UserPrompted):
        message: Json = {
            "sessionUpdate": "session_message",
            "messageId": shown.message_id,
            "senderSessionId": session_id,
            "recipientSessionId": event.child,
            "content": [{"type": "text", "text": shown.text}],
        }
        return [(event.child, message)]
    return addressed(shown, event.child, view)


def _beside(event: ChildShown, session_id: str) -> list[Addressed]:
    asked, child, shown = event.asked, event.child, event.shown
    while isinstance(shown, ChildShown):
        child, shown = shown.child, shown.shown
    if not asked or not isinstance(shown, _CARDS):
        return []
    shown = replace(shown, call_id=card_id(child, shown.call_id))
    return [(session_id, update) for update in to_updates(shown)]


def _begun(event: ChildStarted, view: View) -> Json:
    update: Json = {
        "sessionUpdate": "subagent_update",
        "sessionId": event.child,
        "title": one_line(event.title, _SHORT) or "Task",
        "description": one_line(event.task, _DESCRIPTION),
    }
    if not view.replaying:
        update["capabilities"] = {"cancel": {}}
        update["state"] = {"state": "running"}
    return update


def _ended(event: ChildFinished) -> Json:
    update = _at_rest(event.child, event.stop_reason)
    if event.stop_reason == "error":
        message = one_line(REDACTOR.redact(event.error), _SHORT) or "It failed."
        update["state"]["error"] = {"code": INTERNAL_ERROR, "message": message}
    return update


def _at_rest(child: str, stop_reason: str) -> Json:
    state = {"state": "idle"} | ({"stopReason": stop_reason} if stop_reason else {})
    return {"sessionUpdate": "subagent_update", "sessionId": child, "state": state}
