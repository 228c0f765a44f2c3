import asyncio
import json
import logging
import threading
from typing import Any, NotRequired, TypedDict

import pytest

from acp_server.rpc.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    RpcError,
)
from acp_server.rpc.reader import LINE_CAP
from acp_server.rpc.server import AcpServer
from tests.acp_server.rpc.harness import (
    EchoServer,
    Serve,
    Wire,
    code_of,
    notification,
    request,
)


@pytest.mark.parametrize(
    ("line", "code", "msg_id"),
    [
        (b"{nope", PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"\xff"}}', PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":NaN}}', PARSE_ERROR, None),
        (b"[" * 100_000, PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":' + b"1" * 5_000 + b',"method":"echo"}', PARSE_ERROR, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"echo"}]', INVALID_REQUEST, None),
        (b"[]", INVALID_REQUEST, None),
        (b"42", INVALID_REQUEST, None),
        (b"null", INVALID_REQUEST, None),
        (b'{"id":7,"method":"echo"}', INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":["echo"]}', INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":{},"method":"echo"}', INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":7}', INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', METHOD_NOT_FOUND, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"_own/ext"}', METHOD_NOT_FOUND, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"echo","params":[1]}', INVALID_PARAMS, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"echo","params":"x"}', INVALID_PARAMS, 7),
    ],
    ids=lambda value: repr(value)[:50] if isinstance(value, bytes) else "",
)
def test_each_fault_has_its_answer_and_the_server_goes_on(
    wire: Wire, line: bytes, code: int, msg_id: object
) -> None:
    wire.send(line + b"\n")
    answer = wire.receive()
    assert code_of(answer) == code
    assert answer["id"] == msg_id
    assert "data" not in answer["error"] or code == INVALID_PARAMS
    assert "Traceback" not in json.dumps(answer)
    assert wire.call("echo", {"still": "there"}, 2)["result"] == {"still": "there"}


def test_a_line_over_the_cap_is_refused_and_the_next_one_read(wire: Wire) -> None:
    block = b"x" * (1 << 20)
    for _ in range((LINE_CAP >> 20) + 2):
        wire.send(block)
    wire.send(b"\n")
    assert code_of(wire.receive()) == INVALID_REQUEST
    assert "result" in wire.call("echo")


def test_a_big_message_is_served(wire: Wire) -> None:
    text = "x" * (5 << 20)
    wire.send(request("echo", {"text": text}))
    assert wire.receive()["result"] == {"text": text}


@pytest.mark.parametrize(
    "msg_id",
    [0, 1, -5, 1.5, "a", "1", "", None, 2**63, int("7" * 400), "\u20ac"],
    ids=lambda value: repr(value)[:10],
)
def test_an_id_comes_back_as_it_was(wire: Wire, msg_id: object) -> None:
    answer = wire.call("echo", msg_id=msg_id)
    assert answer["id"] == msg_id
    assert type(answer["id"]) is type(msg_id)
    assert "result" in answer


def test_empty_lines_and_carriage_returns_are_harmless(wire: Wire) -> None:
    wire.send(b"\n  \n\r\n" + json.dumps(request("echo")).encode() + b"\r\n")
    assert "result" in wire.receive()


def test_strings_of_any_kind_come_through(wire: Wire) -> None:
    answer = wire.call("echo", {"a": "\ud800 \0 \x1b \u2028"})
    assert answer["result"] == {"a": "\ufffd \0 \x1b \u2028"}


def test_params_are_plain_whatever_their_keys(wire: Wire) -> None:
    params = {"_meta": {"zed.dev/x": 1}, "jsonrpc": "1.0", "n": {"jsonrpc": "2.0", "id": 3}}
    assert wire.call("echo", params)["result"] == params


def test_an_id_in_use_is_refused_and_the_first_request_goes_on(wire: Wire) -> None:
    wire.send(request("sleep", msg_id=5))
    assert code_of(wire.call("echo", msg_id=5)) == INVALID_REQUEST
    assert "result" in wire.call("echo", msg_id="5")
    wire.send(notification("$/cancel_request", {"requestId": 5}))
    answer = wire.receive()
    assert (answer["id"], code_of(answer)) == (5, REQUEST_CANCELLED)
    assert "result" in wire.call("echo", msg_id=5)


def test_a_request_before_initialize_is_refused() -> None:
    wire = Wire(EchoServer())
    assert code_of(wire.call("echo")) == INVALID_REQUEST
    wire.send(notification("note", {"too": "early"}))
    assert code_of(wire.call("no/such")) == METHOD_NOT_FOUND
    assert "result" in wire.call("initialize")
    assert "result" in wire.call("echo")
    wire.close()
    assert isinstance(wire.server, EchoServer)
    assert wire.server.heard == []


def test_requests_may_follow_initialize_at_once() -> None:
    wire = Wire(EchoServer())
    wire.send(request("initialize", msg_id=1))
    wire.send(request("echo", msg_id=2))
    assert [("result" in wire.receive()) for _ in range(2)] == [True, True]
    wire.close()


def test_notifications_get_no_answer(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    wire.send(notification("note", {"n": 1}))
    wire.send(notification("no/such"))
    wire.send(notification("$/own"))
    wire.send({**notification("note"), "params": [1]})
    wire.send(notification("echo"))  # a request without an id
    assert wire.call("echo", msg_id="next")["id"] == "next"
    assert server.heard == [{"n": 1}]


def test_answers_to_nothing_are_ignored(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for msg_id in (777, "unknown", None, [1]):
        wire.send({"jsonrpc": "2.0", "id": msg_id, "result": {}})
        wire.send({"jsonrpc": "2.0", "id": msg_id, "error": {"code": 1, "message": "no"}})
    wire.send({"id": 1, "result": {}})
    assert wire.call("echo", msg_id="next")["id"] == "next"
    assert caplog.text.count("answer to no open request") == 9


def test_a_cancelled_request_is_answered_so(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    wire.send(request("sleep", msg_id="a"))
    wire.send(notification("$/cancel_request", {"requestId": "a"}))
    answer = wire.receive()
    assert (answer["id"], code_of(answer)) == ("a", REQUEST_CANCELLED)
    assert server.cancelled.is_set()


@pytest.mark.parametrize("request_id", ["1", 1.0, None, [1], {}])
def test_a_cancel_fits_in_type_and_value(wire: Wire, request_id: object) -> None:
    wire.send(request("sleep", msg_id=1))
    wire.send(notification("$/cancel_request", {"requestId": request_id}))
    wire.send(notification("$/cancel_request", {}))
    wire.send({**notification("$/cancel_request"), "params": [1]})
    assert "result" in wire.call("echo", msg_id=2)
    wire.send(notification("$/cancel_request", {"requestId": 1}))
    assert wire.receive()["id"] == 1


def test_a_handler_may_answer_a_cancelled_request_its_own_way(serve: Serve) -> None:
    server = EchoServer()

    @server.method("prompt", None)
    async def prompt(params: dict[str, Any]) -> dict[str, Any]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return {"stopReason": "cancelled"}
        return {}

    wire = serve(server)
    wire.send(request("prompt"))
    wire.send(notification("$/cancel_request", {"requestId": 1}))
    assert wire.receive()["result"] == {"stopReason": "cancelled"}


def test_a_handler_begins_before_the_next_message_is_handled(serve: Serve) -> None:
    server = EchoServer()
    order: list[str] = []

    @server.method("prompt", None)
    async def prompt(params: dict[str, Any]) -> None:
        order.append("begun")
        await asyncio.sleep(0)
        order.append("later")

    @server.notification("cancel", None)
    async def cancel(params: dict[str, Any]) -> None:
        order.append("cancel")

    wire = serve(server)
    lines = [json.dumps(m).encode() for m in (request("prompt"), notification("cancel"))]
    wire.send(b"\n".join(lines) + b"\n")
    assert "result" in wire.receive()
    assert "result" in wire.call("echo")
    assert order.index("begun") < order.index("cancel")


class Item(TypedDict):
    command: str


class Params(TypedDict):
    cwd: str
    items: NotRequired[list[Item]]


def test_wrong_params_name_the_field(serve: Serve) -> None:
    server = EchoServer()

    @server.method("open", Params)
    async def open_it(params: Params) -> dict[str, Any]:
        return {"cwd": params["cwd"]}

    wire = serve(server)
    error = wire.call("open", {"cwd": "/", "items": [{"command": 5}]})["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"] == "items[0].command: string expected, got number."
    assert error["data"] == {"field": "items[0].command"}
    assert wire.call("open", {})["error"]["message"] == "cwd: missing."
    assert wire.call("open", {"cwd": "/", "extra": 1})["result"] == {"cwd": "/"}


def failing(error: Exception) -> EchoServer:
    server = EchoServer()

    @server.method("fail", None)
    async def fail(params: dict[str, Any]) -> None:
        server.after_reply(lambda: server.heard.append("after"))
        raise error

    return server


def test_an_error_of_a_handler_is_its_answer(serve: Serve) -> None:
    server = failing(RpcError(-32002, "There is no such session.", {"sessionId": "x"}))
    assert serve(server).call("fail")["error"] == {
        "code": -32002,
        "message": "There is no such session.",
        "data": {"sessionId": "x"},
    }
    assert server.heard == []


def test_an_unforeseen_error_is_short_and_logged(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    error = serve(failing(ValueError("a secret"))).call("fail")["error"]
    assert error["code"] == INTERNAL_ERROR
    assert "ValueError" in error["message"]
    assert "secret" not in json.dumps(error)
    assert "a secret" in caplog.text


def test_a_result_that_cannot_be_sent_is_an_error(serve: Serve) -> None:
    server = EchoServer()

    @server.method("odd", None)
    async def odd(params: dict[str, Any]) -> dict[str, Any]:
        return {"odd": object()}

    wire = serve(server)
    assert code_of(wire.call("odd")) == INTERNAL_ERROR
    assert "result" in wire.call("echo")


def test_an_error_that_cannot_be_sent_is_an_error(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    wire = serve(failing(RpcError(-32002, "Gone.", {"odd": object()})))
    assert code_of(wire.call("fail")) == INTERNAL_ERROR
    assert "result" in wire.call("echo")
    assert "not JSON serializable" in caplog.text


def test_no_result_is_an_empty_object(serve: Serve) -> None:
    server = EchoServer()

    @server.method("nothing", None)
    async def nothing(params: dict[str, Any]) -> None:
        pass

    assert serve(server).call("nothing")["result"] == {}


def test_what_comes_after_a_reply_comes_right_after_it(serve: Serve) -> None:
    server = EchoServer()

    @server.method("open", None)
    async def open_it(params: dict[str, Any]) -> dict[str, Any]:
        def announce() -> None:
            server.notify("told", {"n": 2})
            server.after_reply(lambda: server.heard.append("at once"))

        server.after_reply(lambda: 1 / 0)
        server.after_reply(announce)
        server.notify("told", {"n": 1})
        return {}

    wire = serve(server)
    wire.send(request("open"))
    first, answer, second = (wire.receive() for _ in range(3))
    assert first["params"] == {"n": 1}
    assert answer["id"] == 1
    assert second["params"] == {"n": 2}
    wire.call("echo")
    server.after_reply(lambda: server.heard.append("outside"))
    assert server.heard == ["at once", "outside"]


def test_handlers_of_many_requests_run_side_by_side(wire: Wire) -> None:
    for msg_id in range(20):
        wire.send(request("sleep", msg_id=msg_id))
    for msg_id in reversed(range(20)):
        wire.send(notification("$/cancel_request", {"requestId": msg_id}))
    assert {wire.receive()["id"] for _ in range(20)} == set(range(20))


def test_no_thread_is_used_for_handlers(serve: Serve) -> None:
    server = EchoServer()
    threads: set[int] = set()

    @server.method("where", None)
    async def where(params: dict[str, Any]) -> None:
        threads.add(threading.get_ident())

    wire = serve(server)
    for _ in range(3):
        wire.call("where")
    assert threads == {server._loop_thread}


def test_a_drip_of_bytes_makes_a_message(wire: Wire) -> None:
    for byte in json.dumps(request("echo")).encode() + b"\n":
        wire.send(bytes([byte]))
    assert "result" in wire.receive()


def test_registering_a_name_twice_is_refused() -> None:
    server = AcpServer()
    server.method("m", None)(EchoServer().echo)
    with pytest.raises(Exception, match="m"):
        server.method("m", None)(EchoServer().echo)
