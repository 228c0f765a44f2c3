"""The server as it is put together."""

import subprocess
import sys
from pathlib import Path

from acp_server.server import build_server

ROOT = Path(__file__).parents[2]
HEAVY = ["anthropic", "dotenv", "httpx", "json_repair", "openai", "pathspec"]
HEAVY += ["prompt_toolkit", "psutil", "rich", "sqlite3", "yaml"]


def test_it_serves_the_methods_that_are_announced() -> None:
    server = build_server()
    assert set(server.protocol.fm.features) == {
        "auth/status",
        "authenticate",
        "logout",
        "providers/disable",
        "providers/list",
        "providers/set",
        "initialize",
        "mcp/message",
        "session/cancel",
        "session/list",
        "session/load",
        "session/new",
        "session/prompt",
        "session/set_mode",
        "session/resume",
        "session/close",
        "session/delete",
        "session/fork",
        "session/archive",
        "session/unarchive",
        "session/status",
        "session/set_title",
        "session/set_config_option",
    }


def test_only_initialize_may_come_first() -> None:
    assert build_server().protocol.early == {"initialize"}


def test_nothing_heavy_is_loaded_to_answer_initialize() -> None:
    code = (
        "import sys; from acp_server.server import build_server; build_server();"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
