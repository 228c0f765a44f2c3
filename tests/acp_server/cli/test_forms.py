"""Which of the agent's questions are put to the person at the terminal."""

from typing import Any

import pytest

from acp_server.cli.forms import ATTEMPTS, OPEN, SEND, WHY, asks_why, filled, question_of
from acp_server.mapping import reason_form

ASKED = {"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "make test"}}


def test_the_question_why_is_known() -> None:
    assert asks_why(reason_form(ASKED))


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"properties": []},
        {"properties": {"answer": {}, "reason": {}}},
        {"properties": {"reason": {"type": "string", "title": "Reason"}}},
        {"properties": {"reason": WHY}},
    ],
)
def test_other_questions_are_put(schema: Any) -> None:
    assert not asks_why({"requestedSchema": schema})


class Person:
    """Answers what is asked in order; keeps what was said and offered."""

    def __init__(self, *answers: str | None) -> None:
        self._answers = list(answers)
        self.said: list[str] = []
        self.offered: list[list[str]] = []

    async def fill(self, choices: list[str], words: bool) -> str | None:
        self.offered.append(choices)
        answer = self._answers.pop(0)
        assert answer is None or words or answer in choices
        return answer

    def say(self, text: str) -> None:
        self.said.append(text)


def form(required: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return {"mode": "form", "message": "m", "requestedSchema": schema}


FULL = form(
    ("size", "count"),
    size={"type": "string", "enum": ["s", "l"]},
    count={"type": "integer", "maximum": 5},
    share={"type": "number"},
    sure={"type": "boolean", "title": "Sure?"},
    tags={"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
    note={"type": "string", "maxLength": 3, "default": "x"},
)


async def test_every_kind_of_field_is_filled_in() -> None:
    person = Person("l", "3", "1.5", "No", "1, 3", "abc", SEND)
    content = {"size": "l", "count": 3, "share": 1.5, "sure": False, "tags": ["a", "c"]}
    assert await filled(FULL, person) == {
        "action": "accept",
        "content": {**content, "note": "abc"},
    }
    assert any("suggested: x" in line for line in person.said)
    assert person.offered[-1] == [SEND]


async def test_what_is_not_required_may_stay_empty() -> None:
    person = Person("s", "1", "", "Leave it empty", "", " ", SEND)
    assert (await filled(FULL, person))["content"] == {"size": "s", "count": 1}


@pytest.mark.parametrize(
    "answers",
    [
        (None,),
        ("s", None),
        ("s", "6", "x", "", "1"),
        ("s", "1", "", "Yes", "0", "9", "a,b"),
        ("s", "1", "", "Yes", "", "", None),
    ],
)
async def test_nothing_is_sent_that_was_not_answered_to_the_end(
    answers: tuple[str | None, ...],
) -> None:
    assert await filled(FULL, Person(*answers)) == {"action": "decline"}


async def test_a_line_that_is_not_taken_may_be_typed_again() -> None:
    wanted = form(("n",), n={"type": "integer"})
    person = Person(*["x"] * (ATTEMPTS - 1), "4")
    assert await filled(wanted, person) == {"action": "accept", "content": {"n": 4}}


async def test_many_choices_are_numbered() -> None:
    names = [f"c{n}" for n in range(12)]
    wanted = form(("one",), one={"type": "string", "enum": names})
    person = Person("12")
    assert await filled(wanted, person) == {"action": "accept", "content": {"one": "c11"}}
    assert "  12  c11" in person.said


async def test_a_form_without_fields_is_agreed_to() -> None:
    assert await filled(form(), Person(SEND)) == {"action": "accept", "content": {}}
    assert await filled(form(), Person(None)) == {"action": "decline"}


@pytest.mark.parametrize(
    "params",
    [
        {"mode": "_novel", "message": "m"},
        {"mode": "form", "message": "m"},
        form(password={"type": "string"}),
        form(a={"type": "object"}),
    ],
)
async def test_what_cannot_be_shown_is_declined(params: dict[str, Any]) -> None:
    assert await filled(params, Person()) == {"action": "decline"}


async def test_a_page_is_shown_whole_and_hides_nothing() -> None:
    page = {"mode": "url", "message": "a\u202eb\nc", "url": "https://a.example/x\u202e"}
    assert question_of(page) == "a\\u202eb\nc\nhttps://a.example/x\\u202e"
    assert await filled(page, Person(OPEN)) == {"action": "accept"}
    assert await filled(page, Person(None)) == {"action": "decline"}
