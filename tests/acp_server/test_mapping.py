"""Events to protocol updates, questions to requests, errors to answers."""

from typing import Any, get_args

import pytest

from acp_server import mapping
from acp_server.mapping import failure_of, permission_answer, permission_request, to_updates
from hermes_core.ground.actions import Action, Answer
from hermes_core.ground.content import Diff, Image, Location, PlanEntry, Text
from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    NoCredentials,
    RateLimited,
    ServerError,
)
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    Compacted,
    CompactionStarted,
    PlanChanged,
    ReasoningDelta,
    Rewound,
    ShownEvent,
    StatusChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallGenerating,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UsageUpdated,
    UserPrompted,
    UserSteered,
)

EVENTS: list[Any] = [
    UserPrompted("hello", "m0"),
    UserSteered("left", "m0"),
    TextDelta("hi", "m1"),
    ReasoningDelta("hmm", "m2"),
    ToolCallStarted("c1", "terminal", "ls -l", "execute", {"command": "ls -l"}),
    ToolCallRunning("c1"),
    ToolCallProgress("c1", (Text("total 0"),)),
    ToolCallFinished("c1", "terminal", "completed", "total 0"),
    PlanChanged((PlanEntry("read", "in_progress", "high"),)),
    UsageUpdated(10, 1000),
    UsageUpdated(10, 1000, 0.012),
    StatusChanged("warning", "the provider is busy"),
    CompactionStarted("k1", "Making room."),
    Compacted("k1", "completed", "Made room.", 900, 90, "## Goal", "s9"),
    TurnInterrupted(),
]


def walk(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(found for item in inner for found in walk(item))]


def question(**changes: Any) -> ApprovalRequested:
    fields: dict[str, Any] = {
        "call_id": "c1",
        "title": "rm -r build",
        "kind": "execute",
        "action": Action("execute", "rm -r build", key="rm"),
        "reason": "Commands ask.",
        "arguments": {"command": "rm -r build"},
        "content": (Text("rm -r build"),),
        "locations": (Location("/w/build"),),
    }
    return ApprovalRequested(**(fields | changes))


def test_every_event_is_either_shown_or_known_to_be_silent() -> None:
    silent = {StepStarted, StepFinished, ToolCallGenerating, StatusChanged, Rewound}
    compaction = {CompactionStarted, Compacted}
    of_children = {ChildStarted, ChildShown, ChildFinished}
    assert set(mapping._SHOWN) | silent | of_children | compaction == set(get_args(ShownEvent))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("notices", [True, False])
def test_nothing_is_ever_null(event: Any, notices: bool) -> None:
    updates = to_updates(event, notices=notices, replaying=True)
    assert len(updates) == 1
    assert None not in walk(updates)


def test_chunks_carry_the_id_of_their_message() -> None:
    assert to_updates(TextDelta("hi", "m1")) == [
        {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "hi"},
            "messageId": "m1",
        }
    ]
    assert to_updates(ReasoningDelta("hmm", "m2"))[0]["sessionUpdate"] == "agent_thought_chunk"


def test_the_users_own_message_is_sent_in_a_replay_only() -> None:
    event = UserPrompted("hello", "m0")
    assert to_updates(event) == []
    assert to_updates(event, replaying=True)[0]["sessionUpdate"] == "user_message_chunk"


def test_what_steers_a_turn_is_told_when_it_arrives_and_replayed_as_a_message() -> None:
    event = UserSteered("left!", "m0")
    (notice,) = to_updates(event, notices=True)
    assert notice == {"sessionUpdate": "notice", "severity": "info", "title": mapping.STEERED}
    (message,) = to_updates(event, replaying=True)
    assert message["sessionUpdate"] == "user_message_chunk"
    assert message["content"]["text"] == "left!"


def test_an_interruption_is_marked_in_a_replay_only() -> None:
    assert to_updates(TurnInterrupted()) == []
    shown = to_updates(TurnInterrupted(), replaying=True)[0]
    assert shown["content"]["text"].strip() == mapping.INTERRUPTED


def test_a_started_call_has_all_that_a_card_needs() -> None:
    event = ToolCallStarted(
        "c1",
        "patch",
        "Edit a.py",
        "edit",
        {"path": "a.py"},
        (Diff("/w/a.py", "old", "new"), Diff("/w/b.py", None, "fresh")),
        (Location("/w/a.py", 3), Location("/w/b.py")),
    )
    assert to_updates(event) == [
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "c1",
            "title": "Edit a.py",
            "name": "patch",
            "kind": "edit",
            "status": "pending",
            "rawInput": {"path": "a.py"},
            "content": [
                {"type": "diff", "path": "/w/a.py", "oldText": "old", "newText": "new"},
                {"type": "diff", "path": "/w/b.py", "newText": "fresh"},
            ],
            "locations": [{"path": "/w/a.py", "line": 3}, {"path": "/w/b.py"}],
        }
    ]


def test_a_card_is_never_without_a_title_and_its_title_is_one_line() -> None:
    bare = ToolCallStarted("c1", "terminal", "", "execute", {})
    assert to_updates(bare)[0]["title"] == "terminal"
    long = ToolCallStarted("c1", "terminal", "ls\n  -l", "execute", {})
    assert to_updates(long)[0]["title"] == "ls -l"


def test_a_running_call_is_in_progress_and_progress_replaces_what_it_showed() -> None:
    assert to_updates(ToolCallRunning("c1"))[0]["status"] == "in_progress"
    progress = to_updates(ToolCallProgress("c1", (Text("line"),)))[0]
    assert progress["status"] == "in_progress"
    assert progress["content"] == [{"type": "content", "content": {"type": "text", "text": "line"}}]
    assert "content" not in to_updates(ToolCallProgress("c1", ()))[0]


def test_a_finished_call_brings_its_output() -> None:
    event = ToolCallFinished(
        "c1", "patch", "completed", "Edited.", (Diff("/w/a", "o", "n"),), (Location("/w/a"),)
    )
    assert to_updates(event) == [
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "c1",
            "status": "completed",
            "content": [{"type": "diff", "path": "/w/a", "oldText": "o", "newText": "n"}],
            "locations": [{"path": "/w/a"}],
            "rawOutput": "Edited.",
        }
    ]


def test_an_image_is_shown_as_long_as_it_is_there() -> None:
    images = (Image("image/png", "AAAA", 3), Image("image/png", "", 900_000))
    finished = ToolCallFinished("c1", "s__shot", "completed", "", images)
    first, second = (one["content"] for one in to_updates(finished)[0]["content"])
    assert first == {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    assert second == {"type": "text", "text": "[an image, image/png, 900,000 bytes]"}


def test_a_failed_call_shows_why_even_without_content_of_its_own() -> None:
    failed = to_updates(ToolCallFinished("c1", "read_file", "failed", "No such file"))[0]
    assert failed["status"] == "failed"
    assert failed["content"][0]["content"]["text"] == "No such file"


def test_a_plan_is_whole() -> None:
    shown = to_updates(PlanChanged((PlanEntry("a", "completed", "low"), PlanEntry("b"))))[0]
    assert shown["entries"] == [
        {"content": "a", "priority": "low", "status": "completed"},
        {"content": "b", "priority": "medium", "status": "pending"},
    ]


def test_a_status_is_a_notice_only_for_a_client_that_announced_notices() -> None:
    event = StatusChanged("warning", "the provider is busy")
    assert to_updates(event, notices=True) == [
        {"sessionUpdate": "notice", "severity": "warning", "title": "the provider is busy"}
    ]
    assert to_updates(event)[0]["sessionUpdate"] == "agent_thought_chunk"
    again = to_updates(event, notices=True, replaying=True)[0]
    assert again["sessionUpdate"] == "agent_thought_chunk"


def test_a_compaction_is_a_status_for_a_client_that_knows_of_none() -> None:
    begun = CompactionStarted("k1", "Making room.")
    done = Compacted("k1", "completed", "Made room.", 900, 90, "## Goal")
    failed = Compacted("k1", "failed", "No room.", 900, 900)
    assert to_updates(begun)[0]["sessionUpdate"] == "agent_thought_chunk"
    shown = [to_updates(event, notices=True)[0] for event in (begun, done, failed)]
    assert [(s["severity"], s["title"]) for s in shown] == [
        ("info", "Making room."),
        ("info", "Made room."),
        ("warning", "No room."),
    ]
    again = to_updates(done, notices=True, replaying=True)[0]
    assert again["content"]["text"] == "Made room.\n"


@pytest.mark.parametrize("replaying", [True, False])
def test_a_compaction_is_an_entry_of_its_own_where_that_was_announced(replaying: bool) -> None:
    def shown(event: Any) -> Any:
        (update,) = to_updates(event, compaction=True, replaying=replaying)
        assert update.pop("sessionUpdate") == "compaction_update"
        assert update.pop("compactionId") == "k1"
        return update

    assert shown(CompactionStarted("k1", "Making room.")) == {"status": "in_progress"}
    assert shown(Compacted("k1", "completed", "Made room.", 900, 90, "## Goal")) == {
        "status": "completed",
        "summary": [{"type": "text", "text": "Made room.\n\n## Goal"}],
        "_meta": {"hermes": {"beforeTokens": 900, "afterTokens": 90}},
    }
    assert shown(Compacted("k1", "failed", "No room.", 900, 900)) == {
        "status": "failed",
        "error": "No room.",
    }
    assert shown(Compacted("k1", "cancelled", "Stopped.", 900, 900)) == {"status": "cancelled"}


@pytest.mark.parametrize("notices", [True, False])
def test_an_error_is_a_piece_of_the_answer(notices: bool) -> None:
    shown = to_updates(StatusChanged("error", "no answer"), notices=notices)[0]
    assert shown["sessionUpdate"] == "agent_message_chunk"
    assert "no answer" in shown["content"]["text"]


def test_a_question_repeats_what_its_card_shows() -> None:
    params = permission_request(question(), "s1")
    assert params["sessionId"] == "s1"
    call = params["toolCall"]
    assert (call["title"], call["kind"], call["status"]) == ("rm -r build", "execute", "pending")
    assert call["rawInput"] == {"command": "rm -r build"}
    assert [part["content"]["text"] for part in call["content"]] == ["rm -r build", "Commands ask."]
    assert call["locations"] == [{"path": "/w/build"}]
    assert None not in walk(params)


def test_options_say_what_they_cover_and_no_kind_comes_twice() -> None:
    scoped = question(always="`rm` in this workspace", never="this exact command")
    options = permission_request(scoped, "s1")["options"]
    assert [(option["kind"], option["name"]) for option in options] == [
        ("allow_once", "Allow once"),
        ("allow_always", "Always allow `rm` in this workspace"),
        ("reject_once", "Reject"),
        ("reject_always", "Always reject this exact command"),
    ]
    assert [option["optionId"] for option in options] == [option["kind"] for option in options]
    bare = permission_request(question(), "s1")["options"]
    assert [option["kind"] for option in bare] == ["allow_once", "reject_once"]


def selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


@pytest.mark.parametrize("option", get_args(Answer))
def test_an_option_that_was_offered_is_the_answer(option: Answer) -> None:
    assert permission_answer(selected(option), question(always="a", never="b")) == option


@pytest.mark.parametrize("option", ["allow_always", "reject_always"])
def test_an_option_that_was_not_offered_is_a_rejection(option: str) -> None:
    assert permission_answer(selected(option), question()) == "reject_once"


@pytest.mark.parametrize(
    "result",
    [
        None,
        "allow_once",
        {},
        {"outcome": "allow_once"},
        {"outcome": {"outcome": "cancelled"}},
        {"outcome": {"outcome": "cancelled", "optionId": "allow_once"}},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": None}},
        {"outcome": {"outcome": "selected", "optionId": ["allow_once"]}},
        {"outcome": {"outcome": "selected", "optionId": "allow everything"}},
    ],
)
def test_anything_else_is_a_rejection(result: object) -> None:
    assert permission_answer(result, question(always="a")) == "reject_once"


def test_errors_say_what_happened_in_one_line_and_keep_the_rest_as_data() -> None:
    failure = failure_of(RateLimited("Too many requests.\nTry again in 9 s.", retry_after=9.0))
    assert failure.code == -32603
    assert failure.message == "Too many requests. Try again in 9 s."
    assert failure.data == {
        "details": "Too many requests.\nTry again in 9 s.",
        "kind": "RateLimited",
        "retryAfter": 9.0,
    }
    assert "retryAfter" not in failure_of(ServerError("down")).data
    assert len(failure_of(ServerError("x" * 5000)).message) <= 200


@pytest.mark.parametrize("error", [AuthFailed("refused"), NoCredentials("no key")])
def test_credentials_have_the_code_of_the_protocol(error: Exception) -> None:
    assert failure_of(error).code == -32000


def test_an_unforeseen_error_keeps_its_text_to_the_log() -> None:
    failure = failure_of(ValueError("secret internals"))
    assert failure.code == -32603
    assert "secret internals" not in str(failure.to_json())
    assert failure_of(ConfigError("config.yaml:3: model.default is a list")).code == -32603


def test_keys_do_not_leave_in_an_error() -> None:
    failure = failure_of(AuthFailed("bad key sk-abcdefghijklmnopqrstuvwx"))
    assert "sk-abcdefghijklmnop" not in str(failure.to_json())


def test_a_cost_is_shown_only_where_it_is_known() -> None:
    (plain,) = to_updates(UsageUpdated(10, 1000))
    assert "cost" not in plain
    (priced,) = to_updates(UsageUpdated(10, 1000, 0.012))
    assert priced["cost"] == {"amount": 0.012, "currency": "USD"}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"outcome": {"outcome": "selected"}, "_meta": {"reason": " too wide "}}, "too wide"),
        ({"outcome": {"outcome": "selected", "_meta": {"reason": "no"}}}, "no"),
        ({"outcome": {"outcome": "cancelled"}, "_meta": {"reason": 3}}, ""),
        ({"outcome": None, "_meta": None}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_why_a_call_was_rejected_may_be_said_with_the_answer(result: Any, words: str) -> None:
    assert mapping.permission_words(result) == words
