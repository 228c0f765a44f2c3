"""``/mcp``."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hermes_core.commands.mcp import NONE, address_of, run_mcp
from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.servers import Report

READY = Report(
    McpServer("one", "stdio", "npx", ("x",)), "ready", "", (("one__t", "Does.\nMore"),), 0
)
BAD = Report(McpServer("two", "http", url="https://x/?k=1", saved=True), "failed", "no", (), 0)


class Mcp:
    """The servers of a session that are as they are."""

    def __init__(self, *reports: Report) -> None:
        self._reports = list(reports)
        self.restarted: list[str] = []

    def reports(self) -> list[Report]:
        return self._reports

    def restart(self, name: str, _: Interrupt) -> bool:
        self.restarted.append(name)
        return name in [one.server.name for one in self._reports]


def seat(mcp: Mcp) -> Seat:
    return cast(Seat, SimpleNamespace(agent=SimpleNamespace(mcp=mcp), interrupt=Interrupt()))


def test_nothing_is_said_to_be_nothing() -> None:
    assert run_mcp(seat(Mcp()), "") == NONE


def test_servers_are_listed_with_what_is_wrong() -> None:
    text = run_mcp(seat(Mcp(READY, BAD)), "")
    assert "- **one** (ready, 1 tool) `npx x`, from the editor" in text
    assert "- **two** (not available: no) `https://x/`, from config.yaml" in text


def test_one_is_shown_with_its_tools_and_started_anew() -> None:
    mcp = Mcp(READY)
    assert "  - `one__t`: Does." in run_mcp(seat(mcp), "one")
    run_mcp(seat(mcp), "restart one")
    assert mcp.restarted == ["one"]


@pytest.mark.parametrize("argument", ["three", "restart three"])
def test_an_unknown_one_is_told_with_those_that_there_are(argument: str) -> None:
    with pytest.raises(HermesError, match="There are: one"):
        run_mcp(seat(Mcp(READY)), argument)


def test_an_address_has_no_query() -> None:
    server: Any = McpServer("s", "sse", url="https://x.example/sse?key=secret")
    assert address_of(server) == "https://x.example/sse"
