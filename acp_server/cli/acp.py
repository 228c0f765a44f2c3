"""``hermes acp``: the server that editors start."""

import sys

from acp_server.cli.console import is_terminal, remark

HINT = (
    "hermes acp speaks the Agent Client Protocol on stdin and stdout; an editor starts it.",
    "In a terminal, `hermes chat` talks to the same agent. Ctrl-D ends this.",
)


def run_acp(provider: str | None, model: str | None, *, debug: bool) -> int:
    """Serve until the client is gone; return the exit code."""
    if is_terminal(sys.stdin):
        for line in HINT:
            remark(line)
    from acp_server.server import serve

    return serve(provider=provider, model=model, debug=debug)
