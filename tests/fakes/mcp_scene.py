"""The MCP servers of sessions in a folder of their own."""

import threading
from pathlib import Path
from typing import Any

from hermes_core.ground.asking import Questions
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.files import LocalFiles
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.workspace import Workspace
from hermes_core.tools.bridges.servers import Servers
from hermes_core.tools.registry import Output, ToolContext
from hermes_core.tools.seen import Seen


class Scene:
    """Sessions' servers in a folder of their own. questions: the person whom they may ask."""

    questions: Questions | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Servers] = []
        self.config = Config(
            home=folder / "hermes",
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "SHLVL": "1", "TOKEN": "t-0123456"},
        )
        self.workspace = Workspace(folder / "work")
        self.workspace.cwd.mkdir()

    def open(self, *servers: McpServer) -> Servers:
        asks = self.questions is not None
        made = Servers(servers, self.workspace, self.config, asks=asks)
        self.opened.append(made)
        made.start()
        while any(one.state == "starting" for one in made.reports()):
            threading.Event().wait(0.01)
        return made

    def call(
        self, servers: Servers, name: str, interrupt: Interrupt | None = None, **arguments: Any
    ) -> Output:
        context = self.context(interrupt)
        return servers.tools()[name].prepare(context, arguments).run(lambda _: None)

    def context(self, interrupt: Interrupt | None = None) -> ToolContext:
        return ToolContext(
            self.workspace,
            LocalFiles(),
            self.config,
            interrupt or Interrupt(),
            Seen(),
            "task",
            self.config.home,
            "call-1",
            questions=self.questions,
        )
