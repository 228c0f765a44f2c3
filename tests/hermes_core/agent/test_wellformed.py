"""Messages of any origin in our shape."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.agent.wellformed import well_formed
from hermes_core.ground.messages import Message, tool_message, user_message
from tests.hermes_core.agent.doubles import MemoryStore, Stage, assert_alternating, calls, tool_call
from tests.hermes_core.agent.histories import (
    RAW,
    assert_chat_accepts,
    assert_messages_accepts,
    assert_responses_accepts,
    requests_of,
)

SOUND = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


@pytest.mark.parametrize(
    "message",
    [
        user_message("a"),
        user_message([{"type": "text", "text": "a"}]),
        {"role": "user", "content": [IMAGE, SOUND]},
        tool_message("1", "look", "done"),
        calls(tool_call("1", "look", "{broken")),
        {"role": "assistant", "content": None, "tool_calls": [tool_call("1", "look")]},
        {"role": "assistant", "content": "a", "reasoning": "r", "reasoning_places": [[1, 0]]},
    ],
)
def test_what_is_in_our_shape_stays_as_it_is(message: Message) -> None:
    whole, notes = well_formed(message)
    assert whole == message
    assert notes == []


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        (None, None),
        ("text", None),
        ({}, None),
        ({"role": "system", "content": "s"}, None),
        ({"role": ["user"], "content": "s"}, None),
        ({"role": "user"}, {"role": "user", "content": None}),
        ({"role": "user", "content": 7}, {"role": "user", "content": "7"}),
        (
            {
                "role": "user",
                "content": [
                    "a",
                    {"type": "input_text", "text": "b"},
                    {"x": 1},
                    IMAGE,
                    {"type": "input_audio", "input_audio": {"data": "AA=="}, "text": "c"},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "text", "text": "b"},
                    IMAGE,
                ],
            },
        ),
        (
            {"role": "user", "content": "a", "tool_calls": [], "reasoning": 1},
            {"role": "user", "content": "a"},
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    None,
                    {"function": {"name": "look", "arguments": {"path": "a"}}},
                    {"id": 3, "function": {"name": 4}},
                ],
            },
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [tool_call("", "look", {"path": "a"})],
            },
        ),
        (
            {"role": "assistant", "content": "a", "tool_calls": {"x": 1}, "reasoning_places": [1]},
            {"role": "assistant", "content": "a"},
        ),
    ],
)
def test_what_is_not_is_brought_into_it(message: Any, whole: Message | None) -> None:
    got, notes = well_formed(message)
    assert got == whole
    assert notes


@given(st.lists(RAW, max_size=12))
def test_any_history_becomes_one_that_the_three_wires_take(raw: list[Any]) -> None:
    stage = Stage(Path("/"))
    stage.store.rows.extend(raw)
    conversation = stage.load()
    conversation.begin("and now", "m")
    assert_alternating(conversation.request_messages("[a note]"))
    chat, messages, responses = requests_of(conversation.request_messages())
    assert_chat_accepts(chat)
    assert_messages_accepts(messages)
    assert_responses_accepts(responses)


@given(st.lists(RAW, max_size=12))
def test_what_was_put_right_is_right_when_it_is_read_again(raw: list[Any]) -> None:
    stage = Stage(Path("/"))
    stage.store.rows.extend(raw)
    first = stage.load().messages
    stage.store.rows[:] = json.loads(json.dumps(first))
    assert stage.load().messages == first


def test_a_repair_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(Path("/"), history=[user_message("a"), user_message("b")])
    assert isinstance(stage.store, MemoryStore)
    assert "history repaired: merged two user messages" in caplog.text
