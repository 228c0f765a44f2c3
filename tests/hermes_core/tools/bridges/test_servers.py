"""The servers of one session, spoken to for real."""

import json
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.servers import Servers
from hermes_core.transport import mcp_http
from tests.fakes import mcp_server
from tests.fakes.mcp_http import FakeMcp, endless
from tests.fakes.mcp_scene import Scene

SCRIPT = mcp_server.__file__
ODD = [
    {"name": "a b", "inputSchema": {"type": "object"}},
    {"name": "a!b", "inputSchema": {"type": "object"}},
    {"name": "t" * 200, "inputSchema": {"type": "object"}},
    {"name": "twice", "description": "first", "inputSchema": {"type": "object"}},
    {"name": "twice", "description": "second", "inputSchema": {"type": "object"}},
    {"name": "ctx", "inputSchema": {"type": "object", "properties": {"ctx": {}, "arguments": {}}}},
]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    for servers in made.opened:
        servers.close()


def program(name: str = "s", **plan: Any) -> McpServer:
    return McpServer(name, "stdio", sys.executable, (SCRIPT, json.dumps(plan)))


def web(fake: FakeMcp, **more: Any) -> McpServer:
    carrier: Any = "sse" if fake.url.endswith("sse") else "http"
    return McpServer("w", carrier, url=fake.url, **more)


def test_pages_of_tools_are_joined_in_their_order(scene: Scene) -> None:
    servers = scene.open(program(pages=True))
    assert list(servers.tools()) == [f"s__{tool['name']}" for tool in mcp_server.USUAL]


def test_odd_and_double_names_are_made_unique_and_reach_the_right_tool(scene: Scene) -> None:
    servers = scene.open(program(tools=ODD))
    names = list(servers.tools())
    assert len(names) == len(set(names)) == 5
    assert all(len(name) <= 64 for name in names)
    assert "a b {}" in scene.call(servers, names[0]).text
    assert "a!b {}" in scene.call(servers, names[1]).text
    assert names == list(servers.tools())
    assert servers.tools()["s__twice"].schema["function"]["description"] == "first"


def test_what_a_tool_says_of_itself_is_not_trusted(scene: Scene) -> None:
    hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
    bare = {"name": "look", "inputSchema": {"type": "object"}}
    servers = scene.open(program(tools=[{**bare, "annotations": hints}]))
    context = scene.context()
    prepared = servers.tools()["s__look"].prepare(context, {})
    judge = Judge(scene.workspace, Rules(), scene.config.home)
    verdicts = [judge.decide(prepared.action, mode).verdict for mode in get_args(Mode)]
    assert dict(zip(get_args(Mode), verdicts, strict=True)) == {
        "default": "ask",
        "accept_edits": "ask",
        "plan": "deny",
        "bypass": "allow",
    }


def test_arguments_may_have_any_name(scene: Scene) -> None:
    servers = scene.open(program(tools=ODD))
    answer = scene.call(servers, "s__ctx", ctx=1, arguments=2)
    assert '{"ctx": 1, "arguments": 2}' in answer.text


def test_too_many_tools_are_told(scene: Scene) -> None:
    many = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(130)]
    servers = scene.open(program(tools=many))
    assert len(servers.tools()) == 100
    (notice,) = servers.take_notices()
    assert "30 of them" in notice
    assert servers.take_notices() == []


def test_tools_that_come_later_are_offered_later(scene: Scene) -> None:
    more = {"name": "more", "inputSchema": {"type": "object"}}
    servers = scene.open(program(tools=[more]))
    scene.call(servers, "s__more")
    while "s__echo" not in servers.tools():
        threading.Event().wait(0.01)


def test_resources_have_two_tools_where_there_are_any(scene: Scene) -> None:
    assert "list_mcp_resources" not in scene.open(program()).tools()
    listed = [{"uri": "note:1", "name": "one"}]
    servers = scene.open(program(resources=listed))
    assert "note:1 (one)" in scene.call(servers, "list_mcp_resources", server="s").text
    read = scene.call(servers, "read_mcp_resource", server="s", uri="note:1")
    assert "what note:1 holds" in read.text
    with pytest.raises(ToolError, match="no such MCP server"):
        scene.call(servers, "list_mcp_resources", server="x")


def test_an_interrupt_ends_a_call_and_not_the_server(scene: Scene) -> None:
    servers = scene.open(program())
    interrupt = Interrupt()
    threading.Timer(0.1, interrupt.set).start()
    with pytest.raises(Interrupted):
        scene.call(servers, "s__hang", interrupt)
    assert "x" in scene.call(servers, "s__echo", text="x").text


def test_a_call_has_a_time_limit(scene: Scene) -> None:
    server = McpServer("s", "stdio", sys.executable, (SCRIPT, "{}"), timeout=0.2)
    servers = scene.open(server)
    with pytest.raises(ToolError, match=r"did not answer within 0\.2 s"):
        scene.call(servers, "s__hang")
    assert "x" in scene.call(servers, "s__echo", text="x").text


def test_a_server_that_broke_is_started_once_more(scene: Scene) -> None:
    servers = scene.open(program())
    for _ in range(2):
        with pytest.raises(ToolError, match="it may have run"):
            scene.call(servers, "s__crash")
    while servers.reports()[0].state == "ready":
        threading.Event().wait(0.01)
    with pytest.raises(ToolError, match="cannot be used: it ended"):
        scene.call(servers, "s__echo", text="x")
    assert "/mcp restart s" in servers.take_notices()[0]
    assert servers.restart("s", Interrupt())
    assert "x" in scene.call(servers, "s__echo", text="x").text


def test_what_goes_wrong_is_told_once_and_as_soon_as_it_is_known(scene: Scene) -> None:
    told: queue.Queue[str] = queue.Queue()
    servers = scene.open(program("bad", start="crash"), program("good"))
    servers.announce(told.put)
    assert "bad is not available: it ended" in told.get(timeout=30)
    servers.announce(told.put)
    assert servers.take_notices() == []
    for _ in range(2):
        with pytest.raises(ToolError, match="it may have run"):
            scene.call(servers, "good__crash")
    while servers.reports()[1].state == "ready":
        threading.Event().wait(0.01)
    with pytest.raises(ToolError, match="cannot be used"):
        scene.call(servers, "good__echo", text="x")
    assert "good is not available" in told.get(timeout=30)
    servers.close()
    assert told.empty()


def test_a_listener_that_hangs_or_fails_holds_nothing_up(scene: Scene) -> None:
    heard, gate = threading.Event(), threading.Event()

    def listen(_: str) -> None:
        heard.set()
        gate.wait()
        raise OSError

    servers = scene.open(program("bad", start="crash"), program("good"))
    servers.announce(listen)
    assert heard.wait(30)
    assert "x" in scene.call(servers, "good__echo", text="x").text
    gate.set()


def test_success_earns_another_start(scene: Scene) -> None:
    servers = scene.open(program())
    for _ in range(3):
        with pytest.raises(ToolError, match="it may have run"):
            scene.call(servers, "s__crash")
        assert "x" in scene.call(servers, "s__echo", text="x").text


@pytest.mark.parametrize("answer", [b"{nope", b"[1, 2]", b'{"jsonrpc": "2.0", "id": 1}'])
def test_nonsense_over_http_is_told_in_a_sentence(scene: Scene, answer: bytes) -> None:
    with endless({"content-type": "application/json"}, answer, once=True) as url:
        (told,) = scene.open(McpServer("w", "http", url=url, connect_timeout=60)).reports()
    assert told.problem == "it answered with what is no answer of an MCP server"


def test_lines_that_are_no_messages_are_told(scene: Scene) -> None:
    server = McpServer("s", "stdio", sys.executable, ("-c", "print('hello')"))
    (report,) = scene.open(server).reports()
    assert "what it wrote was no message of the protocol" in report.problem


def test_one_that_says_nothing_fails_at_its_time_limit(scene: Scene) -> None:
    args = (SCRIPT, json.dumps({"start": "silent"}))
    server = McpServer("s", "stdio", sys.executable, args, connect_timeout=0.5)
    (report,) = scene.open(server).reports()
    assert report.state == "failed"
    assert report.problem.startswith("it did not answer within 0.5 s")


def test_a_server_of_the_workspace_asks_and_is_held_to_what_was_seen(scene: Scene) -> None:
    own = scene.workspace.cwd / "server.py"
    own.write_text(Path(SCRIPT).read_text(encoding="utf-8"), encoding="utf-8")
    server = McpServer("s", "stdio", sys.executable, ("server.py",))
    servers = scene.open(server)
    assert servers.tools() == {}
    (asking,) = servers.settle(Interrupt())
    own.write_text("import nothing", encoding="utf-8")
    servers.allow([asking], Interrupt())
    (again,) = servers.asking()
    assert again.program.digest != asking.program.digest


@pytest.mark.parametrize("sse", [False, True])
def test_a_server_over_http_gets_its_headers(scene: Scene, sse: bool) -> None:
    with FakeMcp(sse=sse) as fake:
        saved = web(fake, headers=(("Authorization", "Bearer ${TOKEN}"),), saved=True)
        servers = scene.open(saved)
        assert "hi" in scene.call(servers, "w__echo", text="hi").text
        assert {one.get("authorization") for one in fake.headers} == {"Bearer t-0123456"}
        servers.close()


def test_what_the_editor_named_is_not_filled_in(scene: Scene) -> None:
    with FakeMcp() as fake:
        scene.open(web(fake, headers=(("X-Plain", "${TOKEN}"),)))
        assert {one.get("x-plain") for one in fake.headers} == {"${TOKEN}"}


def test_headers_never_follow_a_redirect(scene: Scene) -> None:
    with FakeMcp() as thief, FakeMcp(redirect=thief.url) as fake:
        (report,) = scene.open(web(fake, headers=(("Authorization", "Bearer x"),))).reports()
        assert report.state in ("failed", "broken")
        assert fake.headers
        assert thief.headers == []


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://mcp.example/mcp", "without TLS"),
        ("ftp://mcp.example/", "no address"),
        ("https://user:pass@mcp.example/", "user name or password"),
    ],
)
def test_an_address_that_may_not_be_one_is_told(scene: Scene, url: str, told: str) -> None:
    (report,) = scene.open(McpServer("w", "http", url=url)).reports()
    assert report.state == "failed"
    assert told in report.problem


def test_nobody_there_is_told(scene: Scene) -> None:
    with FakeMcp() as fake:
        pass
    (report,) = scene.open(web(fake)).reports()
    assert report.state == "failed"
    assert "connect" in report.problem.lower()


def test_one_over_http_that_goes_away_is_reached_again(scene: Scene) -> None:
    with FakeMcp() as fake:
        servers = scene.open(web(fake))
    with pytest.raises(ToolError, match="broke"):
        scene.call(servers, "w__echo", text="x")
    assert servers.reports()[0].state == "broken"


@pytest.mark.parametrize("start", [lambda s: s.start, lambda s: s.reports], ids=["start", "report"])
def test_servers_that_are_off_are_left_alone(
    scene: Scene, start: Callable[[Servers], Callable[[], Any]]
) -> None:
    server = McpServer("s", "stdio", "no-such", enabled=False)
    servers = scene.open(server)
    start(servers)()
    assert servers.reports()[0].state == "off"
    assert not servers.restart("s", Interrupt())
    assert servers.take_notices() == []


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_server_that_never_stops_sending_is_given_up(
    scene: Scene, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_http, "LONGEST_EVENT", 100_000)
    with endless({"content-type": kind}, b"x" * 5_000) as url:
        (told,) = scene.open(McpServer("w", "http", url=url, connect_timeout=60)).reports()
    assert told.state == "failed"
    assert "answer within" not in told.problem


def test_a_schema_without_an_end_fails_its_server_alone(scene: Scene) -> None:
    deep = '{"type": "object", "properties": {"a": ' * 150 + "{}" + "}}" * 150
    tool = {"name": "x", "inputSchema": json.loads(deep)}
    with FakeMcp(tools=[tool]) as bad, FakeMcp() as good:
        servers = scene.open(
            McpServer("bad", "http", url=bad.url), McpServer("good", "http", url=good.url)
        )
        states = [one.state for one in servers.reports()]
        names = list(servers.tools())
    assert states == ["failed", "ready"]
    assert names
    assert all(name.startswith("good__") for name in names)


def test_a_flood_of_odd_tools_is_offered_within_bounds(scene: Scene) -> None:
    tools = [{"name": f"\x1b[31m\n__{n}__", "inputSchema": {"type": "object"}} for n in range(3000)]
    tools[0]["description"] = "d" * 3_000_000
    with FakeMcp(tools=tools) as fake:
        servers = scene.open(McpServer("w", "http", url=fake.url))
        (told,) = servers.reports()
        offered = servers.tools()
    assert (len(offered), told.left_out) == (100, 2900)
    assert all(re.fullmatch(r"w__[A-Za-z0-9_-]{1,61}", name) for name in offered)
    assert all(name.count("__") == 1 for name in offered)
    assert max(len(json.dumps(one.schema)) for one in offered.values()) < 4_000
