"""What an interrupt stopped, as the next turn reads it."""

import pytest

from hermes_core.agent.interruption import CALL, CUT_SHORT, account_of
from hermes_core.ground.messages import Message, tool_message, user_message
from tests.hermes_core.agent.doubles import calls, says, tool_call

EARLIER: list[Message] = [
    user_message("before"),
    calls(tool_call("0", "look", {"path": "old"})),
    tool_message("0", "look", CALL),
    says("[stopped]"),
]
LOOK = tool_call("1", "look", {"path": "a.py"})
RUN = tool_call("2", "terminal", {"command": "make\n  test"})
ODD = tool_call("3", "odd", "{broken")


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        ([], "[The user interrupted this turn before its answer was whole; it is not kept.]"),
        (
            [calls(LOOK), tool_message("1", "look", "seen")],
            "[The user interrupted this turn before its answer was whole; it is not kept.]",
        ),
        (
            [calls(LOOK, RUN, ODD), tool_message("1", "look", "seen")],
            "[The user interrupted this turn. Not run: terminal make test; odd.]",
        ),
        (
            [
                calls(RUN, LOOK),
                tool_message("2", "terminal", "half\n[interrupted by the user]"),
                tool_message("1", "look", CALL),
            ],
            "[The user interrupted this turn. Stopped while running, so perhaps done in part:"
            " terminal make test. Not run: look a.py.]",
        ),
        (
            [calls(LOOK), tool_message("1", "look", CUT_SHORT)],
            "[The user interrupted this turn. Stopped while running, so perhaps done in part:"
            " look a.py.]",
        ),
    ],
)
def test_the_account_of_a_turn(turn: list[Message], text: str) -> None:
    assert account_of([*EARLIER, user_message("now"), *turn]).text() == text


def test_many_calls_and_long_ones_are_shortened() -> None:
    many = [tool_call(str(n), "look", {"path": "x" * 200}) for n in range(14)]
    account = account_of([user_message("now"), calls(*many)])
    assert len(account.not_run) == 11
    assert account.not_run[0] == f"look {'x' * 100}…"
    assert account.not_run[-1] == "and 4 more"


def test_no_history_at_all() -> None:
    assert account_of([]).answering
