"""MCP servers that the client serves itself."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.mcp_line import Heard, McpAnswer
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.channel import MOST_NOTES
from hermes_core.tools.bridges.offers import identity
from hermes_core.tools.bridges.servers import Servers
from tests.fakes import mcp_server
from tests.fakes.mcp_line import FakeLine, Serve, newer, older
from tests.fakes.mcp_scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    for servers in made.opened:
        servers.close()


def own(line: FakeLine | None, **more: Any) -> McpServer:
    return McpServer("s", "acp", server_id="id-1", line=line, **more)


def failing(answer: McpAnswer | None) -> FakeLine:
    return FakeLine(lambda *_: answer)


def state(servers: Servers) -> str:
    return servers.reports()[0].state


def failed(scene: Scene, server: McpServer) -> Servers:
    servers = scene.open(server)
    while state(servers) != "failed":
        threading.Event().wait(0.01)
    return servers


@pytest.mark.parametrize("serve", [older(), newer()], ids=["older", "newer"])
def test_tools_of_either_age_are_offered_and_called(scene: Scene, serve: Serve) -> None:
    line = FakeLine(serve)
    servers = scene.open(own(line))
    assert list(servers.tools()) == [f"s__{tool['name']}" for tool in mcp_server.USUAL]
    assert "\nhello\n" in scene.call(servers, "s__echo", text="hello").text
    assert {server for server, _ in line.asked} == {"id-1"}
    assert line.asked[-1] == ("id-1", "tools/call")


def test_one_that_knows_no_handshake_is_not_asked_for_one(scene: Scene) -> None:
    line = FakeLine(newer())
    scene.open(own(line))
    assert [method for _, method in line.asked] == ["server/discover", "tools/list"]


def test_a_handshake_has_no_second_half(scene: Scene) -> None:
    line = FakeLine(older())
    scene.open(own(line))
    asked = [method for _, method in line.asked]
    assert asked == ["server/discover", "initialize", "tools/list"]


def test_progress_comes_before_the_answer(scene: Scene) -> None:
    servers = scene.open(own(FakeLine(newer())))
    shown: list[str] = []
    told = threading.Event()

    def show(content: Any) -> None:
        shown.append(str(content))
        told.set()

    prepared = servers.tools()["s__slowly"].prepare(scene.context(), {})
    assert "done" in prepared.run(show).text
    assert told.wait(30)
    assert "half (1 of 2)" in shown[0]


def test_an_interrupt_gives_the_request_up_and_not_the_server(scene: Scene) -> None:
    line = FakeLine(newer())
    servers = scene.open(own(line))
    interrupt = Interrupt()
    threading.Timer(0.1, interrupt.set).start()
    with pytest.raises(Interrupted):
        scene.call(servers, "s__hang", interrupt)
    while not line.given_up:
        threading.Event().wait(0.01)
    assert line.given_up == ["tools/call"]
    line.open[0](McpAnswer("result", mcp_server.text("too late")))
    assert "\nx\n" in scene.call(servers, "s__echo", text="x").text


def test_a_call_has_a_time_limit(scene: Scene) -> None:
    line = FakeLine(newer())
    servers = scene.open(own(line, timeout=0.2))
    with pytest.raises(ToolError, match=r"did not answer within 0\.2 s"):
        scene.call(servers, "s__hang")
    assert set(line.limits) == {0.2}
    while not line.given_up:
        threading.Event().wait(0.01)
    assert "x" in scene.call(servers, "s__echo", text="x").text


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (McpAnswer("lost", message="Unknown server"), "line to it is closed (Unknown server)"),
        (McpAnswer("nonsense"), "it answered with what is no answer of an MCP server"),
        (McpAnswer("result", {"x": 1}), "it answered with what is no answer of an MCP server"),
        (McpAnswer("result"), "it answered with what is no answer of an MCP server"),
        (McpAnswer("error", code=-32601, message="no such thing"), "no such thing"),
        (McpAnswer("silent", message="nothing"), "nothing"),
    ],
)
def test_what_cannot_be_used_is_told(scene: Scene, answer: McpAnswer, problem: str) -> None:
    servers = failed(scene, own(failing(answer)))
    (report,) = servers.reports()
    assert problem in report.problem
    (notice,) = servers.take_notices()
    assert "The MCP server s is not available" in notice
    assert "\n" not in notice


def test_one_that_never_answers_fails_at_its_time_limit(scene: Scene) -> None:
    line = failing(None)
    (report,) = failed(scene, own(line, connect_timeout=0.3)).reports()
    assert report.problem.startswith("it did not answer within 0.3 s")
    assert line.given_up == ["server/discover"]


def test_without_a_line_it_is_told(scene: Scene) -> None:
    (report,) = failed(scene, own(None)).reports()
    assert report.problem == "there is no connection to the editor that serves it"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (McpAnswer("error", code=-32602, message="no"), "refused: no"),
        (McpAnswer("nonsense"), "failed: it answered with what is no answer"),
        (McpAnswer("result", {"content": 5}), "failed: it answered with what is no answer"),
        (McpAnswer("silent", message="nothing"), "did not answer within"),
    ],
)
def test_a_call_that_comes_to_nothing_breaks_nothing(
    scene: Scene, answer: McpAnswer, told: str
) -> None:
    line = FakeLine(newer())
    servers = scene.open(own(line))
    line.serve, good = (lambda *_: answer), line.serve
    with pytest.raises(ToolError, match=told):
        scene.call(servers, "s__echo", text="x")
    line.serve = good
    assert state(servers) == "ready"
    assert "\nx\n" in scene.call(servers, "s__echo", text="x").text


def test_a_line_that_is_lost_is_opened_once_more(scene: Scene) -> None:
    line = FakeLine(newer())
    good = line.serve
    lost = McpAnswer("lost", message="Unknown server")
    servers = scene.open(own(line))
    line.serve = lambda *_: lost
    with pytest.raises(ToolError, match="broke during the call: it may have run"):
        scene.call(servers, "s__echo", text="x")
    line.serve = good
    assert "\nback\n" in scene.call(servers, "s__echo", text="back").text
    line.serve = lambda *_: lost
    with pytest.raises(ToolError, match="broke"):
        scene.call(servers, "s__echo", text="x")
    with pytest.raises(ToolError, match="cannot be used"):
        scene.call(servers, "s__echo", text="x")
    assert state(servers) == "failed"


def test_at_the_end_all_is_given_up_and_nothing_taken(scene: Scene) -> None:
    line = FakeLine(newer())
    servers = scene.open(own(line))
    calling = threading.Thread(target=_fails, args=(scene, servers))
    calling.start()
    while not line.open:
        threading.Event().wait(0.01)
    servers.close()
    calling.join(30)
    assert not calling.is_alive()
    while not line.given_up:
        threading.Event().wait(0.01)
    assert line.given_up == ["tools/call"]
    line.open[0](McpAnswer("result", mcp_server.text("too late")))
    for heard in line.heard:
        heard("notifications/progress", {})
    assert state(servers) == "closed"


def test_a_flood_of_notes_is_bounded_and_holds_nothing_up(scene: Scene) -> None:
    usual, shown = newer(), []

    def flood(method: str, params: dict[str, Any], heard: Heard) -> McpAnswer | None:
        token = params["_meta"].get("progressToken", 0)
        for number in range(MOST_NOTES * 20):
            heard("notifications/progress", {"progressToken": token, "progress": number})
            heard("tools/call", {})
        return usual(method, params, heard)

    servers = scene.open(own(FakeLine(flood)))
    prepared = servers.tools()["s__echo"].prepare(scene.context(), {"text": "x"})
    assert "\nx\n" in prepared.run(shown.append).text
    assert 0 < len(shown) <= MOST_NOTES


def test_always_holds_for_the_name_whatever_its_id_is() -> None:
    one, other = McpServer("s", "acp", server_id="1"), McpServer("s", "acp", server_id="2")
    assert identity(one) == identity(other)
    assert identity(one) != identity(McpServer("s", "http"))


def _fails(scene: Scene, servers: Servers) -> None:
    with pytest.raises(ToolError):
        scene.call(servers, "s__hang")
