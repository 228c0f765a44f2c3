"""The order of roles: what may follow what, and how a broken history is put right."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.agent.alternation import (
    NO_ANSWER,
    NO_PROMPT,
    PROCESS_ENDED,
    TURN_LOST,
    Alternation,
    closing,
    repair,
)
from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message, text_of, tool_message, user_message


def said(text: str = "ok", *call_ids: str) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if call_ids:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for i in call_ids
        ]
    return message


def result(call_id: str, text: str = "done") -> Message:
    return tool_message(call_id, "look", text)


def followed(messages: list[Message]) -> Alternation:
    order = Alternation()
    for message in messages:
        order = order.then(message)
    return order


def test_a_history_in_order_is_accepted() -> None:
    order = followed(
        [user_message("a"), said("", "1", "2"), result("2"), result("1"), said(), user_message("b")]
    )
    assert order.awaits_model
    assert not order.awaits_user


@pytest.mark.parametrize(
    "messages",
    [
        [said()],
        [result("1")],
        [{"role": "system", "content": "s"}],
        [user_message("a"), user_message("b")],
        [user_message("a"), said(), said()],
        [user_message("a"), said("", "1"), user_message("b")],
        [user_message("a"), said("", "1"), said()],
        [user_message("a"), said("", "1"), result("2")],
        [user_message("a"), said("", "1"), result("1"), result("1")],
        [user_message("a"), said("", "1"), result("1"), user_message("b")],
    ],
)
def test_a_message_out_of_order_is_refused(messages: list[Message]) -> None:
    with pytest.raises(HermesError):
        followed(messages)


def test_closing_answers_open_calls_and_says_how_the_turn_ended() -> None:
    order = followed([user_message("a"), said("", "1", "2"), result("1")])
    added = closing(order, "not run", "[stopped]")
    assert added == [result("2", "not run"), said("[stopped]")]
    for message in added:
        order = order.then(message)
    assert order.awaits_user
    assert closing(order, "x", "y") == []


def test_closing_an_unanswered_prompt() -> None:
    assert closing(followed([user_message("a")]), "x", "[stopped]") == [said("[stopped]")]
    assert closing(Alternation(), "x", "y") == []


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        (
            [user_message("a"), said("", "1", "2"), result("1"), said("b")],
            [
                user_message("a"),
                said("", "1", "2"),
                result("1"),
                result("2", PROCESS_ENDED),
                said("b"),
            ],
        ),
        (
            [user_message("a"), said("", "1"), user_message("b")],
            [
                user_message("a"),
                said("", "1"),
                result("1", PROCESS_ENDED),
                said(TURN_LOST),
                user_message("b"),
            ],
        ),
        ([user_message("a"), user_message("b")], [user_message("a\n\nb")]),
        ([user_message("a"), said("b"), said("c")], [user_message("a"), said("b\n\nc")]),
        ([user_message("a"), said("b"), said("", "1")], [user_message("a"), said("b", "1")]),
        ([user_message("a"), result("9"), said("b")], [user_message("a"), said("b")]),
        (
            [user_message("a"), said("", "1"), result("1"), result("1", "again"), said("b")],
            [user_message("a"), said("", "1"), result("1"), said("b")],
        ),
        (
            [said("hello"), user_message("a")],
            [user_message(NO_PROMPT), said("hello"), user_message("a")],
        ),
        ([{"role": "system", "content": "s"}, user_message("a")], [user_message("a")]),
        ([user_message("a"), said("")], [user_message("a"), said(NO_ANSWER)]),
        ([user_message("a"), {**said("b"), "tool_calls": []}], [user_message("a"), said("b")]),
    ],
)
def test_repair(broken: list[Message], mended: list[Message]) -> None:
    messages, notes = repair(broken)
    assert messages == mended
    assert notes


def test_calls_open_at_the_end_stay_open_for_closing() -> None:
    history = [user_message("a"), said("", "1")]
    assert repair(history) == (history, [])
    assert followed(history).open_calls[0]["id"] == "1"


def test_merging_keeps_parts_and_reasoning_in_order() -> None:
    image: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    messages, _ = repair([user_message([image]), user_message("text")])
    assert messages[0]["content"] == [image, {"type": "text", "text": "text"}]
    first: Message = {**said("b"), "reasoning": "r", "reasoning_details": [{"n": 1}]}
    second: Message = {**said("c"), "reasoning": "s", "reasoning_details": [{"n": 2}]}
    messages, _ = repair([user_message("a"), first, second])
    assert messages[1]["reasoning"] == "r\n\ns"
    assert messages[1]["reasoning_details"] == [{"n": 1}, {"n": 2}]


def test_merging_keeps_the_reasoning_of_one_maker() -> None:
    first: Message = {**said("b"), "reasoning": "r", "reasoning_details": [1], "origin": "x"}
    second: Message = {**said("c"), "reasoning": "s", "reasoning_details": [2], "origin": "y"}
    second["reasoning_places"] = [[1, 0]]
    messages, _ = repair([user_message("a"), first, second])
    assert messages[1]["origin"] == "y"
    assert messages[1]["reasoning"] == "s"
    assert messages[1]["reasoning_details"] == [2]
    assert "reasoning_places" not in messages[1]


IDS = st.sampled_from(["1", "2", "3"])
MESSAGES = st.one_of(
    st.text(max_size=3).map(user_message),
    st.tuples(st.text(max_size=3), st.lists(IDS, max_size=2, unique=True)).map(
        lambda parts: said(parts[0], *parts[1])
    ),
    IDS.map(result),
    st.just(Message(role="system", content="s")),
)


@given(st.lists(MESSAGES, max_size=14))
def test_a_mended_history_is_in_order_and_can_be_closed(messages: list[Message]) -> None:
    mended, notes = repair(messages)
    order = followed(mended)
    for message in closing(order, "not run", "[stopped]"):
        order = order.then(message)
    assert order.awaits_user
    assert bool(notes) == (mended != messages)


@given(st.lists(MESSAGES, max_size=14))
def test_mending_twice_changes_nothing_more(messages: list[Message]) -> None:
    mended, _ = repair(messages)
    assert repair(mended) == (mended, [])


@given(st.lists(MESSAGES, max_size=14))
def test_no_word_of_a_user_is_lost(messages: list[Message]) -> None:
    mended, _ = repair(messages)
    before = "".join(text_of(m) for m in messages if m["role"] == "user")
    after = "".join(text_of(m) for m in mended if m["role"] == "user").replace(NO_PROMPT, "")
    assert after.replace("\n", "") == before.replace("\n", "")
