"""Which of the agent's questions are put to the person at the terminal."""

from typing import Any

import pytest

from acp_server.cli.forms import asks_why
from acp_server.mapping import reason_form

ASKED = {"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "make test"}}


def test_the_question_why_is_known() -> None:
    assert asks_why(reason_form(ASKED))


@pytest.mark.parametrize(
    "schema", [None, {}, {"properties": []}, {"properties": {"answer": {}, "reason": {}}}]
)
def test_other_questions_are_put(schema: Any) -> None:
    assert not asks_why({"requestedSchema": schema})
