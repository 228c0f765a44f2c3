from typing import Any

import pytest

from hermes_core.ground.messages import (
    Message,
    Part,
    ToolCall,
    beside_text,
    is_empty,
    system_message,
    text_of,
    tool_message,
    unanswered_calls,
    user_message,
)


def call(call_id: str) -> ToolCall:
    return {"id": call_id, "type": "function", "function": {"name": "read_file", "arguments": ""}}


def test_constructors_give_the_openai_shape() -> None:
    assert system_message("be brief") == {"role": "system", "content": "be brief"}
    assert user_message("hello") == {"role": "user", "content": "hello"}
    assert tool_message("c1", "read_file", "text") == {
        "role": "tool",
        "tool_call_id": "c1",
        "name": "read_file",
        "content": "text",
    }


def test_text_of_joins_text_parts_and_leaves_images_out() -> None:
    message = user_message(
        [
            {"type": "text", "text": "look: "},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            {"type": "text", "text": "nice"},
        ]
    )
    assert text_of(message) == "look: nice"


def test_what_is_beside_the_text_is_counted_by_kind() -> None:
    image: Part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    sound: Part = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}
    assert (
        beside_text([{"type": "text", "text": "a"}]) == beside_text("a") == beside_text(None) == ""
    )
    assert beside_text([image, sound, image]) == "[2 images] [sound]"


def test_text_of_a_message_without_content_is_empty() -> None:
    assert text_of({"role": "assistant", "content": None}) == ""


@pytest.mark.parametrize(
    ("more", "empty"),
    [
        ({"content": ""}, True),
        ({"content": None}, True),
        ({"content": " \n"}, True),
        ({"content": "", "finish_reason": "stop", "reasoning": "hm"}, True),
        ({"content": "a"}, False),
        ({"content": "", "finish_reason": "length"}, False),
        ({"content": "", "finish_reason": "content_filter"}, False),
        ({"content": "", "tool_calls": [{"id": "1"}]}, False),
    ],
)
def test_an_answer_is_empty_that_says_and_calls_nothing_for_no_reason(
    more: Any, empty: bool
) -> None:
    assert is_empty({"role": "assistant", **more}) is empty


def test_unanswered_calls_are_those_without_a_tool_message_in_order() -> None:
    messages: list[Message] = [
        {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b"), call("c")]},
        tool_message("b", "read_file", ""),
    ]
    assert [c["id"] for c in unanswered_calls(messages)] == ["a", "c"]


def test_a_conversation_without_calls_has_none_unanswered() -> None:
    assert unanswered_calls([user_message("x"), {"role": "assistant", "content": "y"}]) == []
