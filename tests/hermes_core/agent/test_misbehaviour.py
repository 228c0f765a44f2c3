"""Answers that are none: told apart, held back, joined."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.agent.misbehaviour import ASKS, PATIENCE, Draft, continued, fault_of
from hermes_core.ground.events import ReasoningDelta, TextDelta
from hermes_core.ground.messages import Message, text_of
from tests.hermes_core.agent.doubles import Screen, calls, says, tool_call

LOOK = tool_call("1", "look")


def thought(finish_reason: str = "stop", **more: Any) -> Message:
    message: Any = {**says("", finish_reason), "reasoning": "Hm.", **more}
    return message


@pytest.mark.parametrize(
    ("answer", "before", "fault"),
    [
        (says("hello"), "", None),
        (says(""), "", "empty"),
        (says(" \n"), "", "empty"),
        (says(""), "hello", None),
        (thought(), "", "thought"),
        ({**says(""), "reasoning_details": [1]}, "", "thought"),
        (calls(LOOK), "", None),
        (says("hel", "length"), "", "cut_text"),
        (says("", "length"), "", "cut_thought"),
        (thought("length"), "", "cut_thought"),
        (calls(LOOK, finish_reason="length"), "", "cut_call"),
        (calls(LOOK, text="I", finish_reason="length"), "", "cut_call"),
        (says("", "content_filter"), "", None),
    ],
)
def test_faults(answer: Message, before: str, fault: str | None) -> None:
    assert fault_of(answer, before) == fault


def test_another_maker_s_reasoning_is_not_joined() -> None:
    first: Message = {**says("a "), "reasoning": "r", "reasoning_details": [1], "origin": "x"}
    second: Message = {**says("b"), "reasoning": "s", "reasoning_details": [2], "origin": "y"}
    whole = continued(first, second)
    assert (whole["content"], whole["reasoning"], whole["reasoning_details"]) == ("a b", "s", [2])
    assert whole["origin"] == "y"


def test_records_keep_their_places_in_the_joined_text() -> None:
    first: Message = {
        **says("ab"),
        "reasoning_details": [1, 2],
        "reasoning_places": [[0, 0], [1, 0]],
    }
    second: Message = {**calls(LOOK, text="c"), "reasoning_details": [3]}
    whole = continued(first, second)
    assert whole["reasoning_details"] == [1, 2, 3]
    assert whole["reasoning_places"] == [[0, 0], [1, 0], [2, 0]]
    plain = continued({**says(""), "reasoning_details": [1]}, second)
    assert "reasoning_places" not in plain


def test_a_thought_that_was_cut_off_leaves_no_record() -> None:
    draft = Draft()
    assert draft.take(thought("length", reasoning_details=[{"cut": 1}])) is None
    whole = draft.take(says("so"))
    assert whole == {**says("so"), "reasoning": "Hm."}


@pytest.mark.parametrize("fault", list(PATIENCE))
def test_patience_ends_and_comes_back_with_an_answer(fault: Any) -> None:
    bad = {
        "empty": says(""),
        "thought": thought(),
        "cut_text": says("x", "length"),
        "cut_call": calls(LOOK, finish_reason="length"),
        "cut_thought": thought("length"),
    }[fault]
    draft = Draft()
    for _ in range(2):
        for _ in range(PATIENCE[fault]):
            assert draft.take(bad) is None
            assert draft.note == ASKS[fault]
        assert draft.take(bad) is not None
        assert (draft.note, draft.longer, draft.partial) == ("", 1, None)


def test_the_next_answer_may_be_longer_where_one_was_cut_off() -> None:
    draft = Draft()
    longer = []
    for _ in range(4):
        draft.take(says("x", "length"))
        longer.append(draft.longer)
    assert longer == [2, 4, 8, 8]
    other = Draft()
    other.take(says(""))
    assert other.longer == 1


def test_the_pieces_of_an_answer_are_shown_as_one_message() -> None:
    draft, screen = Draft(), Screen()
    draft.voice(screen)(TextDelta("one ", "a"))
    draft.take(says("one ", "length"))
    tell = draft.voice(screen)
    tell(ReasoningDelta("Hm.", "b"))
    tell(TextDelta("two", "b"))
    draft.take(says("two"))
    draft.voice(screen)(TextDelta("new", "c"))
    assert [event.message_id for event in screen.of(TextDelta, ReasoningDelta)] == [
        "a",
        "b",
        "a",
        "c",
    ]


ANSWERS = st.one_of(
    st.sampled_from(["", "a", "b "]).map(lambda text: says(text, "length")),
    st.sampled_from(["", "c"]).map(says),
    st.just(thought()),
    st.just(calls(LOOK, text="d", finish_reason="length")),
)


@given(st.lists(ANSWERS, max_size=30))
def test_no_text_is_lost_or_doubled_and_every_row_of_faults_ends(answers: list[Message]) -> None:
    draft = Draft()
    given_text = told = ""
    asked = 0
    for answer in answers:
        given_text += text_of(answer)
        whole = draft.take(answer)
        asked = 0 if whole else asked + 1
        assert asked <= sum(PATIENCE.values())
        if whole:
            told += text_of(whole)
    assert told + draft.text == given_text
