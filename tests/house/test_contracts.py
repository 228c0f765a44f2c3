"""Imports go down the floors only, and each kind of I/O has one door."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
API_MODES = ("chat_completions", "codex_responses", "anthropic_messages")
VENDORS = re.compile(
    r"openai|anthropic|claude|openrouter|deepseek|gemini|google|mistral|qwen|kimi|moonshot|ollama"
    r"|lmstudio|lm studio|azure|bedrock|minimax|z\.ai|zai\b|groq|nvidia|hugging ?face|copilot|vllm",
    re.IGNORECASE,
)
DOORS = {
    "httpx": "hermes_core/transport/",
    "httpx2": "hermes_core/transport/",
    "httpcore": "hermes_core/transport/",
    "http": "hermes_core/transport/",
    "socket": "hermes_core/transport/",
    "ssl": "hermes_core/transport/",
    "urllib.request": "hermes_core/transport/",
    "anthropic": "hermes_core/transport/",
    "openai": "hermes_core/transport/",
    "boto3": "hermes_core/transport/",
    "botocore": "hermes_core/transport/",
    "sqlite3": "hermes_core/sessions/",
    "subprocess": "hermes_core/local/",
    "multiprocessing": "hermes_core/local/",
    "pty": "hermes_core/local/",
    "ctypes": "hermes_core/local/",
    "psutil": "hermes_core/local/",
    "yaml": "hermes_core/local/",
    "dotenv": "hermes_core/local/",
}

STARTERS = re.compile(
    r"\b(create_subprocess_(exec|shell)|os\.(system|popen|fork|forkpty|spawn\w+|exec\w+|posix_spawnp?))\b"
)
"""What starts a process without the import of a module that has a door."""

TERMINAL_CLIENT = "acp_server/cli/client.py"
"""Starts the server that it talks to, on its own event loop, which the core does not have."""


def test_imports_keep_to_the_floors() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(lint), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "hermes_core/wire").glob("*.py")), ids=str)
def test_a_wire_names_no_vendor(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for mode in API_MODES:
        text = text.replace(mode, "")
    found = VENDORS.findall(text)
    assert not found, f"{path.name} names {found}; a quirk belongs into Compat, set by a profile"


def imported_names(text: str) -> set[str]:
    """Return the names of all modules that the source imports, anywhere in it.

    Of a dotted name, every beginning is one of them.
    """
    dotted: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            dotted |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            dotted |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in dotted]
    return {".".join(part[: end + 1]) for part in parts for end in range(len(part))}


@pytest.mark.parametrize(
    "text", ["import urllib.request", "from urllib import request", "from urllib.request import x"]
)
def test_an_import_is_found_however_it_is_written(text: str) -> None:
    assert "urllib.request" in imported_names(f"def f():\n    {text}\n")


@pytest.mark.parametrize(
    "path",
    sorted(p for f in ("acp_server", "hermes_core") for p in (ROOT / f).rglob("*.py")),
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_each_kind_of_io_has_one_door(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    names = imported_names(path.read_text(encoding="utf-8"))
    strayed = {n for n in names if n in DOORS and not place.startswith(DOORS[n])}
    assert not strayed, f"{place} imports {strayed}"


@pytest.mark.parametrize(
    "path",
    sorted(p for f in ("acp_server", "hermes_core") for p in (ROOT / f).rglob("*.py")),
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_processes_are_started_in_one_place(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    found = STARTERS.search(path.read_text(encoding="utf-8"))
    allowed = place.startswith("hermes_core/local/") or place == TERMINAL_CLIENT
    assert found is None or allowed, f"{place} has {found}"


def test_what_the_terminal_client_starts_is_found() -> None:
    assert STARTERS.search((ROOT / TERMINAL_CLIENT).read_text(encoding="utf-8"))
