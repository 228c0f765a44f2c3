"""``mcp/message``: what is sent, what answers come to, and who hears what a server tells."""

import asyncio
from concurrent.futures import Future
from typing import Any

import pytest

from acp_server.methods.mcp_messages import Line, Listeners, answer_of, hear, on_line
from acp_server.rpc.errors import RequestTimeout, RpcError
from hermes_core.ground.mcp_line import McpAnswer
from hermes_core.local.mcp_settings import McpServer

RESULT = {"tools": []}
ERROR = {"code": -32602, "message": "no", "data": [1]}


class Client:
    """Keeps requests open until a test ends them."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.limits: list[float | None] = []
        self.futures: list[Future[dict[str, Any]]] = []
        self.gone = False

    def ask(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "Future[dict[str, Any]]":
        if self.gone:
            raise OSError("gone")
        assert method == "mcp/message"
        self.sent.append(params)
        self.limits.append(timeout)
        future: Future[dict[str, Any]] = Future()
        self.futures.append(future)
        return future


class Scene:
    def __init__(self) -> None:
        self.client = Client()
        self.listeners = Listeners()
        self.line = Line(self.client.ask, self.listeners)
        self.log: list[Any] = []

    def ask(self, params: dict[str, Any] | None = None) -> Any:
        return self.line.ask(
            "s",
            "tools/list",
            params,
            timeout=5.0,
            heard=lambda method, told: self.log.append((method, told)),
            answered=self.log.append,
        )

    def note(self, **more: Any) -> dict[str, Any]:
        sent = self.client.sent[-1]
        named = {"serverId": sent["serverId"], "requestId": sent["requestId"]}
        return {**named, "method": "notifications/progress", **more}


@pytest.fixture
def scene() -> Scene:
    return Scene()


def ended(result: Any = None, error: Exception | None = None) -> "Future[dict[str, Any]]":
    future: Future[dict[str, Any]] = Future()
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
    return future


def test_a_request_names_server_and_itself(scene: Scene) -> None:
    scene.ask({"cursor": "2"})
    scene.ask()
    first, second = scene.client.sent
    assert first["requestId"] != second["requestId"]
    assert {**first, "requestId": ""} == {
        "serverId": "s",
        "requestId": "",
        "method": "tools/list",
        "params": {"cursor": "2"},
    }
    assert "params" not in second
    assert scene.client.limits == [5.0, 5.0]


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ({"result": RESULT}, McpAnswer("result", RESULT)),
        ({"result": RESULT, "error": ERROR, "more": 1}, McpAnswer("result", RESULT)),
        ({"error": ERROR}, McpAnswer("error", None, -32602, "no", [1])),
        ({"error": {"code": 1, "message": ""}}, McpAnswer("error", None, 1, "")),
    ],
)
def test_the_servers_own_answers_are_read(told: Any, answer: McpAnswer) -> None:
    assert answer_of(ended(told)) == answer


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"result": None},
        {"result": None, "error": ERROR},
        {"result": "x"},
        {"error": None},
        {"error": []},
        {"error": {}},
        {"error": {"code": True, "message": "x"}},
        {"error": {"code": 1.5, "message": "x"}},
        {"error": {"code": 1, "message": 2}},
    ],
)
def test_anything_else_is_nonsense(told: Any) -> None:
    assert answer_of(ended(told)).outcome == "nonsense"


def test_what_the_connection_says_is_no_word_of_the_server() -> None:
    assert answer_of(ended(error=RpcError(-33001, "Unknown server."))) == McpAnswer(
        "lost", message="Unknown server"
    )
    assert answer_of(ended(error=RpcError(-33001, " "))).message == "it said nothing more"
    assert answer_of(ended(error=RequestTimeout(-32603, "late"))).outcome == "silent"


async def test_notes_reach_the_one_who_asked_until_the_answer(scene: Scene) -> None:
    scene.ask()
    await hear(scene.listeners, scene.note(params={"progress": 1}))
    await hear(scene.listeners, scene.note(serverId="other"))
    await hear(scene.listeners, scene.note(requestId="other"))
    scene.client.futures[0].set_result({"result": RESULT})
    await asyncio.sleep(0)
    await hear(scene.listeners, scene.note())
    progress = ("notifications/progress", {"progress": 1})
    assert scene.log == [progress, McpAnswer("result", RESULT)]


async def test_what_came_before_an_answer_is_heard_before_it(scene: Scene) -> None:
    scene.ask()
    hearing = asyncio.ensure_future(hear(scene.listeners, scene.note()))
    scene.client.futures[0].set_result({"result": RESULT})
    await hearing
    assert scene.log == [("notifications/progress", None), McpAnswer("result", RESULT)]


def test_giving_up_tells_the_client_and_nobody_here(scene: Scene) -> None:
    give_up = scene.ask()
    give_up()
    assert scene.client.futures[0].cancelled()
    assert scene.log == []
    assert scene.listeners.find("s", scene.client.sent[0]["requestId"]) is None


def test_what_cannot_be_sent_is_lost(scene: Scene) -> None:
    scene.client.gone = True
    scene.ask()()
    assert scene.log == [McpAnswer("lost", message="the message could not be sent")]


def test_only_servers_of_the_clients_get_a_line(scene: Scene) -> None:
    own, web = McpServer("a", "acp", server_id="1"), McpServer("w", "http", url="https://x.example")
    one, two = on_line((own, web), scene.line)
    assert one.line is scene.line
    assert two is web
