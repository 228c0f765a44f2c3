"""A client that serves MCP servers itself, as the core meets it: by a line."""

from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.ground.mcp_line import Heard, McpAnswer
from tests.fakes import mcp_server

NEW = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "public",
}
"""What a server of MCP 2026-07-28 says of itself."""

Serve = Callable[[str, dict[str, Any], Heard], McpAnswer | None]


class FakeLine:
    """Answers at once, on the thread that asks, by ``serve``; where that gives None, never.

    asked: server and method of each request. open: what has had no answer; given_up: methods.
    """

    def __init__(self, serve: Serve) -> None:
        self.serve = serve
        self.asked: list[tuple[str, str]] = []
        self.heard: list[Heard] = []
        self.limits: list[float] = []
        self.open: list[Callable[[McpAnswer], None]] = []
        self.given_up: list[str] = []

    def ask(
        self,
        server_id: str,
        method: str,
        params: Mapping[str, Any] | None,
        *,
        timeout: float,
        heard: Heard,
        answered: Callable[[McpAnswer], None],
    ) -> Callable[[], None]:
        self.asked.append((server_id, method))
        self.limits.append(timeout)
        self.heard.append(heard)
        answer = self.serve(method, dict(params or {}), heard)
        if answer is None:
            self.open.append(answered)
        else:
            answered(answer)
        return lambda: self.given_up.append(method)


def older(**plan: Any) -> Serve:
    """Return what the server of ``mcp_server`` answers, which shakes hands first."""
    server = mcp_server.Server(plan)

    def serve(method: str, params: dict[str, Any], heard: Heard) -> McpAnswer | None:
        del heard
        return _answer(server.result(method, params))

    return serve


def newer(**plan: Any) -> Serve:
    """Return the same for a server of MCP 2026-07-28, which knows no handshake.

    Its tool ``slowly`` tells of its progress.
    """
    server = mcp_server.Server(plan)

    def serve(method: str, params: dict[str, Any], heard: Heard) -> McpAnswer | None:
        if method == "server/discover":
            return McpAnswer("result", NEW)
        if method == "initialize":
            return McpAnswer("error", code=-32601, message="no such method")
        meta = params["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        if params.get("name") == "slowly":
            token = meta["progressToken"]
            step = {"progressToken": token, "progress": 1, "total": 2, "message": "half"}
            heard("notifications/progress", step)
            return McpAnswer("result", {**mcp_server.text("done"), "resultType": "complete"})
        return _answer(
            server.result(method, params), resultType="complete", ttlMs=0, cacheScope="private"
        )

    return serve


def _answer(result: dict[str, Any] | None, **more: Any) -> McpAnswer | None:
    if result is None:
        return None
    if "code" in result:
        return McpAnswer("error", code=result["code"], message=result["message"])
    return McpAnswer("result", {**more, **result})
