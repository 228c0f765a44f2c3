"""Whose session an update is for, and what is still open of children."""

from typing import Any

from acp_server.emitter import Emitter
from acp_server.mapping import Json
from acp_server.permissions import Permissions
from acp_server.replay import UNFINISHED, replay
from acp_server.subagents import Unfinished, View, addressed, card_id, question
from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import PlanEntry, Text
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    Event,
    PlanChanged,
    ReasoningDelta,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    UserPrompted,
)
from hermes_core.ground.events_json import to_json
from hermes_core.ground.interrupt import Interrupt

CARD, SESSIONS = View(), View(subagents=True)
GIVE = ToolCallStarted("give", "delegate_task", "Delegate: Look", "other", {})
BEGUN = ChildStarted("kid", "give", "Look", "look\naround")
CALL = ToolCallStarted("c", "terminal", "ls", "execute", {"command": "ls"})
DONE = ToolCallFinished("c", "terminal", "completed", "done")
ENDED = ChildFinished("kid", "give", "Look", "end_turn", "Seen.")


def kid(event: Any, *, asked: bool = False) -> ChildShown:
    return ChildShown("kid", event, asked)


def kinds(found: list[tuple[str, Json]]) -> list[tuple[str, str]]:
    return [(session, update["sessionUpdate"]) for session, update in found]


def test_where_children_are_not_shown_only_cards_asked_about_are() -> None:
    for event in (
        BEGUN,
        ENDED,
        kid(CALL),
        kid(TextDelta("hi", "m")),
        kid(ReasoningDelta("h", "m")),
    ):
        assert addressed(event, "s1", CARD) == []
    assert addressed(kid(TextDelta("hi", "m"), asked=True), "s1", CARD) == []
    ((session, update),) = addressed(kid(CALL, asked=True), "s1", CARD)
    assert (session, update["sessionUpdate"]) == ("s1", "tool_call")
    assert update["toolCallId"] == card_id("kid", "c") == "kid:c"
    ((_, update),) = addressed(kid(ChildShown("deep", DONE, True), asked=True), "s1", CARD)
    assert update["toolCallId"] == "deep:c"


def test_a_child_is_announced_on_its_parents_session() -> None:
    ((session, update),) = addressed(BEGUN, "s1", SESSIONS)
    assert session == "s1"
    assert update == {
        "sessionUpdate": "subagent_update",
        "sessionId": "kid",
        "title": "Look",
        "description": "look around",
        "capabilities": {"cancel": {}},
        "state": {"state": "running"},
    }
    ((_, again),) = addressed(BEGUN, "s1", View(subagents=True, replaying=True))
    assert again.keys() == {"sessionUpdate", "sessionId", "title", "description"}


def test_a_child_is_shown_in_its_own_session() -> None:
    shown = [kid(UserPrompted("look", "m0")), kid(TextDelta("hi", "m1")), kid(CALL)]
    found = [one for event in shown for one in addressed(event, "s1", SESSIONS)]
    assert kinds(found) == [
        ("kid", "session_message"),
        ("kid", "agent_message_chunk"),
        ("kid", "tool_call"),
    ]
    assert found[0][1]["senderSessionId"] == "s1"
    assert found[0][1]["recipientSessionId"] == "kid"
    assert found[2][1]["toolCallId"] == "c"
    assert addressed(kid(CALL, asked=True), "s1", SESSIONS) == []


def test_a_childs_child_belongs_to_it() -> None:
    begun = kid(ChildStarted("deep", "give", "Deep", "dig"))
    found = addressed(begun, "s1", SESSIONS) + addressed(
        kid(ChildShown("deep", CALL)), "s1", SESSIONS
    )
    assert kinds(found) == [("kid", "subagent_update"), ("deep", "tool_call")]


def test_every_end_of_a_child_has_its_reason() -> None:
    ((_, update),) = addressed(ENDED, "s1", SESSIONS)
    assert update["state"] == {"state": "idle", "stopReason": "end_turn"}
    failed = ChildFinished("kid", "give", "Look", "error", error="No\nkey.")
    ((_, update),) = addressed(failed, "s1", SESSIONS)
    assert update["state"] == {
        "state": "idle",
        "stopReason": "error",
        "error": {"code": -32603, "message": "No key."},
    }


def asked_by(child: str) -> ApprovalRequested:
    return ApprovalRequested("c", "ls", "execute", NOTHING, "", {"command": "ls"}, child=child)


def test_a_question_goes_where_its_card_is() -> None:
    for child, subagents, place in (
        ("", False, ("s1", "c")),
        ("", True, ("s1", "c")),
        ("kid", False, ("s1", "kid:c")),
        ("kid", True, ("kid", "c")),
    ):
        params = question(asked_by(child), "s1", subagents=subagents)
        assert (params["sessionId"], params["toolCall"]["toolCallId"]) == place


def test_the_permissions_of_a_session_ask_for_its_children() -> None:
    sent: list[str] = []

    def ask(_method: str, params: Json, *, timeout: float | None) -> Any:
        sent.append(params["sessionId"])
        raise ConnectionError(timeout)

    for subagents in (False, True):
        Permissions(ask, "s1", lambda _: None, subagents=subagents)(asked_by("kid"))
    assert sent == ["s1", "kid"]


def test_what_is_unfinished_ends_in_order() -> None:
    unfinished = Unfinished()
    events = [GIVE, BEGUN, kid(CALL), kid(ChildStarted("deep", "c", "Deep", "dig"))]
    for event in events:
        for session, update in addressed(event, "s1", SESSIONS):
            unfinished.note(session, update)
    ended = list(unfinished.end("stopped", "cancelled"))
    assert [(s, u.get("toolCallId") or u["sessionId"]) for s, u in ended] == [
        ("s1", "give"),
        ("kid", "c"),
        ("kid", "deep"),
        ("s1", "kid"),
    ]
    assert ended[2][1]["state"] == {"state": "idle", "stopReason": "cancelled"}
    assert list(unfinished.end("stopped")) == []


class Wire:
    def __init__(self) -> None:
        self.sent: list[tuple[str, Json]] = []

    def __call__(self, _method: str, params: Json, **_more: Any) -> bool:
        self.sent.append((params["sessionId"], params["update"]))
        return True


def test_the_emitter_ends_children_with_their_cards() -> None:
    wire = Wire()
    emitter = Emitter(wire, "s1", SESSIONS)
    emitter.begin(Interrupt())
    for event in (GIVE, BEGUN, kid(CALL), ToolCallProgress("give", (Text("working"),))):
        emitter(event)
    assert kinds(wire.sent) == [
        ("s1", "tool_call"),
        ("s1", "subagent_update"),
        ("kid", "tool_call"),
    ]
    emitter(ENDED)
    assert kinds(wire.sent[3:]) == [("kid", "tool_call_update"), ("s1", "subagent_update")]
    emitter.end()
    assert kinds(wire.sent[5:]) == [("s1", "tool_call_update")]
    emitter(kid(TextDelta("late", "m")))
    assert len(wire.sent) == 6


def test_without_the_announcement_the_card_grows_instead() -> None:
    wire = Wire()
    emitter = Emitter(wire, "s1")
    emitter.begin(Interrupt())
    events: list[Event] = [
        GIVE,
        BEGUN,
        kid(CALL),
        ToolCallProgress("give", (Text("working"),)),
        kid(CALL, asked=True),
        kid(ToolCallRunning("c"), asked=True),
    ]
    for event in events:
        emitter(event)
    emitter.end()
    assert [(s, u["toolCallId"], u["status"]) for s, u in wire.sent] == [
        ("s1", "give", "pending"),
        ("s1", "give", "in_progress"),
        ("s1", "kid:c", "pending"),
        ("s1", "kid:c", "in_progress"),
        ("s1", "give", "failed"),
        ("s1", "kid:c", "failed"),
    ]


def logs(**events: list[Any]) -> Any:
    return lambda session: [to_json(event) for event in events.get(session, [])]


def test_a_replay_shows_children_where_they_began() -> None:
    log = logs(
        s1=[UserPrompted("go", "m"), GIVE, BEGUN, kid(CALL, asked=True), ENDED],
        kid=[UserPrompted("look", "m0"), CALL, DONE, TextDelta("Seen.", "m1")],
    )
    assert kinds(list(replay(log, "s1", SESSIONS))) == [
        ("s1", "user_message_chunk"),
        ("s1", "tool_call"),
        ("s1", "subagent_update"),
        ("kid", "session_message"),
        ("kid", "tool_call"),
        ("kid", "tool_call_update"),
        ("kid", "agent_message_chunk"),
        ("s1", "subagent_update"),
        ("s1", "tool_call_update"),
    ]
    flat = list(replay(log, "s1"))
    assert [(u["sessionUpdate"], u.get("toolCallId")) for _, u in flat] == [
        ("user_message_chunk", None),
        ("tool_call", "give"),
        ("tool_call", "kid:c"),
        ("tool_call_update", "give"),
        ("tool_call_update", "kid:c"),
    ]


def test_a_replay_lets_children_of_a_killed_process_rest_without_a_reason() -> None:
    log = logs(s1=[GIVE, BEGUN], kid=[CALL])
    found = list(replay(log, "s1", SESSIONS))
    assert kinds(found)[-3:] == [
        ("s1", "tool_call_update"),
        ("kid", "tool_call_update"),
        ("s1", "subagent_update"),
    ]
    assert found[-2][1]["rawOutput"] == UNFINISHED
    assert found[-1][1]["state"] == {"state": "idle"}


def test_a_plan_is_operated_on_where_that_was_announced_in_children_too() -> None:
    entry = PlanEntry("read")
    view = View(subagents=True, plan_operations=True)
    assert kinds(addressed(PlanChanged((entry,)), "s1", view)) == [("s1", "plan_update")]
    assert kinds(addressed(PlanChanged(()), "s1", view)) == [("s1", "plan_removed")]
    assert kinds(addressed(PlanChanged((entry,)), "s1", View())) == [("s1", "plan")]
    inside = kid(PlanChanged((entry,)))
    assert kinds(addressed(inside, "s1", view)) == [("kid", "plan_update")]
