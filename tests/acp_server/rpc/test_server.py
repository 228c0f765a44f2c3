"""What goes to the client, and the life of a connection within one process."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from acp_server.rpc.errors import ConnectionClosed, RequestTimeout, RpcError
from acp_server.rpc.server import AcpServer
from hermes_core.ground.interrupt import Interrupt
from tests.acp_server.rpc.harness import WATCHDOG, EchoServer, Serve, Wire, notification, request

CANCEL = "$/cancel_request"


class AskingServer(EchoServer):
    """``ask`` sends its params as a request to the client and answers with the result."""

    def __init__(self, timeout: float | None = None) -> None:
        super().__init__()
        self.timeout = timeout
        self.error: BaseException | None = None
        self.method("ask", None)(self.ask)

    async def ask(self, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self.request("client/ask", params, timeout=self.timeout)
        except BaseException as error:
            self.error = error
            raise


def asked(wire: Wire) -> str:
    """Have the server ask the client; return the id of its request."""
    wire.send(request("ask", {"q": 1}, "asking"))
    question = wire.receive()
    assert question["method"] == "client/ask"
    assert question["params"] == {"q": 1}
    return str(question["id"])


def test_an_answer_resolves_its_own_request(serve: Serve) -> None:
    wire = serve(AskingServer())
    wire.send(request("ask", {"q": 1}, "one"))
    first = wire.receive()
    wire.send(request("ask", {"q": 2}, "two"))
    second = wire.receive()
    wire.send({"jsonrpc": "2.0", "id": second["id"], "result": {"to": second["params"]}})
    assert wire.receive() == {"jsonrpc": "2.0", "id": "two", "result": {"to": {"q": 2}}}
    wire.send({"jsonrpc": "2.0", "id": first["id"], "result": {"to": first["params"]}})
    assert wire.receive() == {"jsonrpc": "2.0", "id": "one", "result": {"to": {"q": 1}}}


def test_null_counts_as_an_empty_result(serve: Serve) -> None:
    wire = serve(AskingServer())
    wire.send({"jsonrpc": "2.0", "id": asked(wire), "result": None})
    assert wire.receive()["result"] == {}


def test_an_error_answer_raises(serve: Serve) -> None:
    wire = serve(AskingServer())
    error = {"code": -32002, "message": "No such file.", "data": {"path": "/a"}}
    wire.send({"jsonrpc": "2.0", "id": asked(wire), "error": error})
    assert wire.receive()["error"] == error


def test_a_result_that_is_no_object_raises(serve: Serve) -> None:
    wire = serve(AskingServer())
    wire.send({"jsonrpc": "2.0", "id": asked(wire), "result": [1]})
    assert "no object" in wire.receive()["error"]["message"]


def test_a_second_answer_is_ignored(serve: Serve) -> None:
    wire = serve(AskingServer())
    msg_id = asked(wire)
    for number in (1, 2):
        wire.send({"jsonrpc": "2.0", "id": msg_id, "result": {"n": number}})
    assert wire.receive()["result"] == {"n": 1}
    assert "result" in wire.call("echo")


def test_a_request_without_an_answer_times_out_and_is_cancelled(serve: Serve) -> None:
    server = AskingServer(timeout=0.01)
    wire = serve(server)
    msg_id = asked(wire)
    answers = [wire.receive(), wire.receive()]
    assert notification(CANCEL, {"requestId": msg_id}) in answers
    assert any("did not answer client/ask" in str(answer.get("error")) for answer in answers)
    assert isinstance(server.error, RequestTimeout)
    wire.send({"jsonrpc": "2.0", "id": msg_id, "result": {}})  # too late
    assert "result" in wire.call("echo")
    assert server.protocol._request_futures == {}
    assert server.protocol._result_types == {}


def test_cancelling_the_asker_cancels_its_request(serve: Serve) -> None:
    wire = serve(AskingServer())
    msg_id = asked(wire)
    wire.send(notification(CANCEL, {"requestId": "asking"}))
    answers = [wire.receive(), wire.receive()]
    assert notification(CANCEL, {"requestId": msg_id}) in answers
    assert any(answer.get("id") == "asking" for answer in answers)
    wire.send({"jsonrpc": "2.0", "id": msg_id, "result": {}})
    assert "result" in wire.call("echo")


def test_an_answer_in_time_leaves_nothing_behind(serve: Serve) -> None:
    server = AskingServer(timeout=3600)
    wire = serve(server)
    wire.send({"jsonrpc": "2.0", "id": asked(wire), "result": {}})
    assert wire.receive()["id"] == "asking"
    assert server.protocol._request_futures == {}
    assert server._loop is not None

    def pending() -> int:
        return sum(not timer.cancelled() for timer in vars(server._loop)["_scheduled"])

    assert wire.call("echo")["id"] == 1
    assert pending() == 0


def from_thread(work: Callable[[], Any]) -> Any:
    """Run ``work`` on another thread and return its result."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(WATCHDOG)


def test_a_thread_may_ask(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    future = server.request_from_thread("client/ask", {"q": 1}, timeout=WATCHDOG)
    wire.send({"jsonrpc": "2.0", "id": wire.receive()["id"], "result": {"a": 1}})
    assert future.result(WATCHDOG) == {"a": 1}


def test_a_thread_may_give_up(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    future = server.request_from_thread("client/ask", {}, timeout=None)
    msg_id = wire.receive()["id"]
    assert future.cancel()
    assert wire.receive() == notification(CANCEL, {"requestId": msg_id})
    with pytest.raises(CancelledError):
        future.result(0)


def test_a_threads_request_times_out(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    future = server.request_from_thread("client/ask", {}, timeout=0.01)
    msg_id = wire.receive()["id"]
    assert wire.receive() == notification(CANCEL, {"requestId": msg_id})
    with pytest.raises(RequestTimeout):
        future.result(WATCHDOG)


def test_a_request_that_cannot_be_encoded_leaves_nothing_behind(serve: Serve) -> None:
    server = EchoServer()
    serve(server)
    with pytest.raises(TypeError):
        server.request_from_thread("client/ask", {"x": object()}, timeout=None)
    assert server.protocol._request_futures == {}


def chunk(text: str) -> dict[str, Any]:
    return {"sessionId": "s", "update": {"content": {"type": "text", "text": text}}}


def test_streamed_text_arrives_whole_and_in_order(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    texts = [f"{number} " for number in range(3_000)]

    def stream() -> None:
        for text in texts:
            assert server.notify("session/update", chunk(text), merge_key="s m")
        assert server.notify("session/update", {"end": True})

    thread = threading.Thread(target=stream)
    thread.start()
    came = ""
    while "end" not in (params := wire.receive()["params"]):
        assert params["sessionId"] == "s"
        came += params["update"]["content"]["text"]
    assert came == "".join(texts)
    thread.join(WATCHDOG)


def test_a_cancel_is_heard_while_the_client_does_not_read(serve: Serve) -> None:
    server = EchoServer()
    interrupt = Interrupt()
    flooding = threading.Event()

    @server.notification("session/cancel", None)
    async def cancel(params: dict[str, Any]) -> None:
        interrupt.set()

    def flood() -> None:
        flooding.set()
        while server.notify("session/update", chunk("word " * 100), interrupt=interrupt):
            pass

    wire = serve(server)
    thread = threading.Thread(target=flood)
    thread.start()
    assert flooding.wait(WATCHDOG)
    assert server._outbox is not None
    while not interrupt._listeners:  # until the flood has to wait
        pass
    wire.send(notification("session/cancel"))
    thread.join(WATCHDOG)
    assert not thread.is_alive()
    assert interrupt.is_set()


def test_nothing_is_sent_without_a_connection() -> None:
    server = AcpServer()
    assert server.notify("session/update", chunk("x"), merge_key="k") is False
    assert server.notify("session/update", {}) is False


# The end of a connection


def test_at_the_end_of_input_all_that_came_before_is_handled(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    wire.send(notification("note", {"n": 1}))
    wire.send(b'{"jsonrpc": "2.0", "method": "note"')
    wire.end()
    assert server.heard == [{"n": 1}]


def test_shutdown_stops_what_runs(serve: Serve) -> None:
    server = AskingServer()
    order: list[str] = []

    @server.on_shutdown
    async def save() -> None:
        order.append("open" if server.protocol._request_futures else "failed")
        await asyncio.sleep(0.01)
        order.append("saved")

    @server.on_shutdown
    async def broken() -> None:
        raise RuntimeError("broken")

    wire = serve(server)
    wire.send(request("sleep", msg_id="a"))
    asked(wire)
    wire.end()
    assert order == ["open", "saved"]
    assert server.cancelled.is_set()
    assert isinstance(server.error, ConnectionClosed)
    answers = {answer["id"]: answer for answer in (wire.receive(), wire.receive())}
    assert set(answers) == {"a", "asking"}


def test_after_the_end_requests_fail_at_once(serve: Serve) -> None:
    server = EchoServer()
    serve(server).end()
    future = server.request_from_thread("client/ask", {}, timeout=5.0)
    with pytest.raises(ConnectionClosed):
        future.result(0)
    assert server.notify("session/update", {}) is False
    server.stop()


def test_a_shutdown_hook_that_hangs_is_given_up(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_server.rpc.server.HOOK_SECONDS", 0.05)
    server = EchoServer()

    @server.on_shutdown
    async def hang() -> None:
        await asyncio.Event().wait()

    serve(server).end()


def test_stop_ends_the_connection_from_any_thread(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    from_thread(server.stop)
    wire.wait()


def test_a_client_that_no_longer_reads_ends_the_connection(serve: Serve) -> None:
    server = EchoServer()
    ended = threading.Event()

    @server.on_shutdown
    async def end() -> None:
        ended.set()

    wire = serve(server)
    wire.stop_reading()
    wire.send(request("echo"))
    wire.wait()
    assert ended.is_set()


def test_a_client_that_reads_nothing_does_not_hold_up_the_end(serve: Serve) -> None:
    server = EchoServer()
    wire = serve(server)
    for _ in range(10):
        wire.send(request("echo", {"pad": "x" * 100_000}))
    wire.end()


def test_messages_after_the_end_are_not_handled(serve: Serve) -> None:
    server = EchoServer()
    release = asyncio.Event()
    ending = threading.Event()

    @server.on_shutdown
    async def wait() -> None:
        ending.set()
        await release.wait()

    wire = serve(server)
    server.stop()
    assert ending.wait(WATCHDOG)
    wire.send(notification("note", {"too": "late"}))
    assert server._loop is not None
    server._loop.call_soon_threadsafe(release.set)
    wire.wait()
    assert server.heard == []


def test_an_rpc_error_is_what_all_failures_are() -> None:
    assert issubclass(RequestTimeout, RpcError)
    assert issubclass(ConnectionClosed, RpcError)
