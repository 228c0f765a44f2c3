"""History: committed when it happens, alternating in every request, repaired at load."""

import logging
from pathlib import Path

import pytest

from hermes_core.agent.alternation import PROCESS_ENDED, TURN_LOST
from hermes_core.ground.errors import HermesError, StoreError
from hermes_core.ground.events import ToolCallFinished, UserPrompted
from hermes_core.ground.events_json import from_json
from hermes_core.ground.messages import Message, tool_message, user_message
from tests.hermes_core.agent.doubles import Stage, assert_alternating, calls, says, tool_call


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def roles(stage: Stage) -> list[str]:
    return [message["role"] for message in stage.store.rows]


def test_the_prompt_and_its_display_are_one_commit_before_anything_is_shown(stage: Stage) -> None:
    stage.conversation.begin("hello", "m1")
    assert stage.store.commits == [
        ([user_message("hello")], [{"event": "UserPrompted", "text": "hello", "message_id": "m1"}])
    ]
    assert stage.screen.events == [UserPrompted("hello", "m1")]


def test_an_image_prompt_is_shown_as_its_text(stage: Stage) -> None:
    stage.conversation.begin(
        [
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ],
        "m1",
    )
    assert stage.screen.events == [UserPrompted("what is this?\n\n[image]", "m1")]


def test_a_result_and_the_end_of_its_card_are_one_commit(stage: Stage) -> None:
    stage.conversation.begin("a", "m")
    stage.conversation.append(calls(tool_call("1", "look")))
    event = ToolCallFinished("1", "look", "completed", "done")
    stage.conversation.append(tool_message("1", "look", "done"), event)
    messages, shown = stage.store.commits[-1]
    assert messages == [tool_message("1", "look", "done")]
    assert [from_json(row) for row in shown] == [event]
    assert stage.screen.events[-1] == event


def test_a_failed_commit_changes_neither_history_nor_screen(stage: Stage) -> None:
    stage.conversation.begin("a", "m")
    stage.store.broken = True
    with pytest.raises(StoreError):
        stage.conversation.append(says("b"))
    stage.store.broken = False
    assert stage.conversation.messages == [user_message("a")]
    stage.conversation.append(says("b"))
    assert stage.conversation.messages == stage.store.rows


def test_a_message_out_of_order_is_refused_and_not_stored(stage: Stage) -> None:
    stage.conversation.begin("a", "m")
    with pytest.raises(HermesError):
        stage.conversation.append(user_message("b"))
    with pytest.raises(HermesError):
        stage.conversation.append(tool_message("1", "look", "x"))
    assert roles(stage) == ["user"]


def test_the_model_is_not_asked_out_of_order(stage: Stage) -> None:
    with pytest.raises(HermesError):
        stage.conversation.request_messages()
    stage.conversation.begin("a", "m")
    stage.conversation.append(calls(tool_call("1", "look")))
    with pytest.raises(HermesError):
        stage.conversation.request_messages()


def test_a_note_is_part_of_one_request_and_never_stored(stage: Stage) -> None:
    stage.conversation.system_prompt = "system"
    stage.conversation.begin("a", "m")
    noted = stage.conversation.request_messages("[note]")
    assert noted[-1]["content"] == "a\n\n[note]"
    plain = stage.conversation.request_messages()
    assert plain == [{"role": "system", "content": "system"}, user_message("a")]
    assert stage.store.rows == [user_message("a")]


@pytest.mark.parametrize("ids", [("1", "1"), ("", ""), ("1", "")])
def test_repeated_and_blank_call_ids_are_made_unique(stage: Stage, ids: tuple[str, str]) -> None:
    stage.conversation.begin("a", "m")
    stored = stage.conversation.append(calls(*(tool_call(i, "look") for i in ids)))
    first, second = (call["id"] for call in stored["tool_calls"])
    assert first
    assert second
    assert first != second
    assert stage.store.rows[-1] == stored


def test_an_id_of_an_earlier_turn_is_not_used_again(stage: Stage) -> None:
    for _ in range(2):
        stage.conversation.begin("a", "m")
        stored = stage.conversation.append(calls(tool_call("call_0", "look")))
        call_id = stored["tool_calls"][0]["id"]
        stage.conversation.append(tool_message(call_id, "look", "x"))
        stage.conversation.append(says("b"))
    assert call_id != "call_0"
    again = stage.load()
    again.begin("a", "m")
    assert again.append(calls(tool_call("call_0", "look")))["tool_calls"][0]["id"] != "call_0"


def test_an_interrupted_turn_is_closed_and_the_next_one_is_valid(stage: Stage) -> None:
    stage.conversation.begin("a", "m")
    stage.conversation.append(calls(tool_call("1", "look"), tool_call("2", "look")))
    stage.conversation.append(tool_message("1", "look", "x"))
    assert stage.conversation.close("not run", "[stopped]")
    assert not stage.conversation.close("not run", "[stopped]")
    stage.conversation.begin("b", "m")
    assert_alternating(stage.conversation.request_messages())
    assert [m["content"] for m in stage.store.rows] == ["a", "", "x", "not run", "[stopped]", "b"]


def test_a_refused_turn_is_kept_but_not_sent_again(stage: Stage) -> None:
    stage.conversation.begin("first", "m")
    stage.conversation.append(says("answer"))
    stage.conversation.begin("bad", "m")
    stage.conversation.append(calls(tool_call("1", "look")))
    stage.conversation.append(tool_message("1", "look", "x"))
    stage.conversation.append(says("I will not", "content_filter"))
    for conversation in (stage.conversation, stage.load()):
        conversation.begin("next", "m")
        sent = conversation.request_messages()
        assert_alternating(sent)
        assert [m["content"] for m in sent[1:]] == ["first", "answer", "next"]
        stage.store.rows.pop()
    assert "bad" in [m["content"] for m in stage.store.rows]


KILLED: list[list[Message]] = [
    [user_message("a")],
    [user_message("a"), calls(tool_call("1", "act"), tool_call("2", "act"))],
    [
        user_message("a"),
        calls(tool_call("1", "act"), tool_call("2", "act")),
        tool_message("1", "act", "x"),
    ],
    [user_message("a"), calls(tool_call("1", "act")), tool_message("1", "act", "x")],
]


@pytest.mark.parametrize("rows", KILLED)
def test_after_a_kill_the_next_prompt_closes_what_was_open(
    tmp_path: Path, rows: list[Message]
) -> None:
    stage = Stage(tmp_path, history=rows)
    assert stage.store.commits == []
    stage.conversation.begin("b", "m")
    assert len(stage.store.commits) == 1
    sent = stage.conversation.request_messages()
    assert_alternating(sent)
    assert sent[-2]["content"] == TURN_LOST
    answered = {m["tool_call_id"]: m["content"] for m in sent if m["role"] == "tool"}
    assert all(text in ("x", PROCESS_ENDED) for text in answered.values())
    assert stage.load().messages == stage.conversation.messages


def test_a_broken_history_is_repaired_and_said_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [user_message("a"), user_message("b"), tool_message("9", "act", "x")]
    with caplog.at_level(logging.WARNING):
        stage = Stage(tmp_path, history=rows)
    assert stage.conversation.messages == [user_message("a\n\nb")]
    assert len(caplog.records) == 2
    stage.conversation.system_prompt = "s"
    assert_alternating(stage.conversation.request_messages())
