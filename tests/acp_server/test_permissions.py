"""Questions: one at a time, each with its own answer, rejected unless clearly allowed."""

import concurrent.futures
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from acp_server.permissions import Permissions
from acp_server.rpc.errors import INTERNAL_ERROR, ConnectionClosed, RpcError
from hermes_core.ground.actions import Action
from hermes_core.ground.events import ApprovalRequested, Event, TextDelta


class Client:
    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, Any], Future[dict[str, Any]]]] = []

    def ask(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> Future[dict[str, Any]]:
        assert method == "session/request_permission"
        assert timeout is None
        future: Future[dict[str, Any]] = Future()
        self.asked.append((params, future))
        return future

    def choose(self, place: int, option: str) -> None:
        self.asked[place][1].set_result({"outcome": {"outcome": "selected", "optionId": option}})


def question(call_id: str) -> ApprovalRequested:
    return ApprovalRequested(
        *(call_id, "ls", "execute", Action("execute", "ls"), "", {"command": "ls"}),
        always="this exact command",
    )


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def shown() -> list[Event]:
    return []


@pytest.fixture
def permissions(client: Client, shown: list[Event]) -> Permissions:
    return Permissions(client.ask, "s1", shown.append)


def test_all_events_are_handed_on(permissions: Permissions, shown: list[Event]) -> None:
    permissions(TextDelta("a", "m1"))
    asked = question("c1")
    permissions(asked)
    assert shown == [TextDelta("a", "m1"), asked]


def test_the_answer_reaches_its_question(permissions: Permissions, client: Client) -> None:
    event = question("c1")
    permissions(event)
    assert client.asked[0][0]["toolCall"]["toolCallId"] == "c1"
    client.choose(0, "allow_always")
    assert event.reply.result(timeout=0) == "allow_always"


def test_a_second_question_waits_for_the_first(permissions: Permissions, client: Client) -> None:
    first, second = question("c1"), question("c2")
    permissions(first)
    permissions(second)
    assert len(client.asked) == 1
    client.choose(0, "reject_once")
    assert len(client.asked) == 2
    client.choose(1, "allow_once")
    assert first.reply.result(timeout=0) == "reject_once"
    assert second.reply.result(timeout=0) == "allow_once"


@pytest.mark.parametrize(
    "error", [RpcError(INTERNAL_ERROR, "no"), ConnectionClosed(INTERNAL_ERROR, "gone")]
)
def test_an_error_is_a_rejection(
    permissions: Permissions, client: Client, error: Exception
) -> None:
    event = question("c1")
    permissions(event)
    client.asked[0][1].set_exception(error)
    assert event.reply.result(timeout=0) == "reject_once"


def test_a_question_that_cannot_be_sent_is_a_rejection_and_the_next_is_asked(
    client: Client, shown: list[Event]
) -> None:
    def broken(*_: Any, **__: Any) -> Future[dict[str, Any]]:
        raise RuntimeError("the loop has ended")

    permissions = Permissions(broken, "s1", shown.append)
    for call_id in ("c1", "c2"):
        event = question(call_id)
        permissions(event)
        assert event.reply.result(timeout=0) == "reject_once"


def test_a_withdrawn_question_is_withdrawn_from_the_client_and_stays_unanswered(
    permissions: Permissions, client: Client
) -> None:
    first, second = question("c1"), question("c2")
    permissions(first)
    permissions(second)
    first.reply.cancel()
    assert client.asked[0][1].cancelled()
    with pytest.raises(concurrent.futures.InvalidStateError):
        client.choose(0, "allow_once")
    assert first.reply.cancelled()
    assert client.asked[1][0]["toolCall"]["toolCallId"] == "c2"


def test_a_question_withdrawn_while_it_waits_is_never_asked(
    permissions: Permissions, client: Client
) -> None:
    first, second, third = question("c1"), question("c2"), question("c3")
    for event in (first, second, third):
        permissions(event)
    second.reply.cancel()
    client.choose(0, "allow_once")
    assert [params["toolCall"]["toolCallId"] for params, _ in client.asked] == ["c1", "c3"]


def test_the_next_question_waits_until_it_is_known_what_the_answer_settles(
    permissions: Permissions, client: Client
) -> None:
    first, second, third = question("c1"), question("c2"), question("c3")
    taken: Future[None] = Future()
    first = replace(first, taken=taken)
    for event in (first, second, third):
        permissions(event)
    client.choose(0, "allow_always")
    assert len(client.asked) == 1
    second.reply.set_result("allow_once")
    taken.set_result(None)
    assert [params["toolCall"]["toolCallId"] for params, _ in client.asked] == ["c1", "c3"]


def test_a_question_that_a_rule_answers_is_withdrawn_from_the_client(
    permissions: Permissions, client: Client
) -> None:
    event = question("c1")
    permissions(event)
    event.reply.set_result("allow_once")
    assert client.asked[0][1].cancelled()
