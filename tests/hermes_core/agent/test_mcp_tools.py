"""An agent's MCP servers."""

import json
import queue
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_core.agent.heritage import Heritage
from hermes_core.agent.mcp_tools import McpTools
from hermes_core.ground.events import Event, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.workspace import Workspace
from tests.fakes import mcp_server

WITHOUT = """
import json, sys
from hermes_core import AIAgent
agent = AIAgent()
agent.mcp.start()
answer = agent.chat("hello")
agent.close()
print(json.dumps([bool(answer), sorted(sys.modules)]))
"""


def test_a_session_without_servers_loads_nothing_for_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=tmp_path,
        env={
            "HERMES_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "HERMES_INFERENCE_PROVIDER": "demo",
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "PATH": "/usr/bin:/bin",
            "SHLVL": "1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answered, loaded = json.loads(done.stdout.splitlines()[-1])
    assert answered
    assert not {"mcp", "mcp_types", "hermes_core.tools.bridges"} & set(loaded)


def test_children_have_the_tools_and_do_not_end_the_servers(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    server = McpServer("s", "stdio", sys.executable, (mcp_server.__file__,))
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SHLVL": "1"}
    place = Workspace(tmp_path / "work"), Config(home=tmp_path / "home", env=env)
    own = McpTools([server], place)
    shared = own.shared()
    assert shared.specs() == {}
    own.start()
    try:
        while any(one.state == "starting" for one in own.reports()):
            Interrupt().wait(0.01)
        assert "s__echo" in shared.specs()
        shared.close()
        assert own.reports()[0].state == "ready"
    finally:
        own.close()
    own.start()
    assert own.reports()[0].state == "closed"


@pytest.mark.parametrize("first", [True, False])
def test_a_failure_is_told_without_a_turn(tmp_path: Path, first: bool) -> None:
    (tmp_path / "work").mkdir()
    place = Workspace(tmp_path / "work"), Config(home=tmp_path / "home", env={"PATH": "/usr/bin"})
    own = McpTools([McpServer("s", "stdio", "no-such-program-at-all")], place)
    told: queue.Queue[Event] = queue.Queue()
    try:
        if first:
            own.announce(told.put)
        own.start()
        if not first:
            own.announce(told.put)
        event = told.get(timeout=30)
    finally:
        own.close()
    assert isinstance(event, StatusChanged)
    assert event.level == "warning"
    assert event.text.startswith("The MCP server s is not available")


def test_a_heritage_without_servers_has_no_tools() -> None:
    field = Heritage.__dataclass_fields__["mcp"]
    assert field.default_factory is McpTools
    assert McpTools().specs() == {}
    assert McpTools().reports() == []
    assert not McpTools().restart("s", Interrupt())
