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
    "anthropic": "hermes_core/transport/",
    "openai": "hermes_core/transport/",
    "sqlite3": "hermes_core/sessions/",
    "subprocess": "hermes_core/local/",
    "ctypes": "hermes_core/local/",
    "psutil": "hermes_core/local/",
    "yaml": "hermes_core/local/",
    "dotenv": "hermes_core/local/",
}


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


def imported_names(path: Path) -> set[str]:
    """Return the top-level names of all modules that the file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize(
    "path",
    sorted(p for f in ("acp_server", "hermes_core") for p in (ROOT / f).rglob("*.py")),
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_each_kind_of_io_has_one_door(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    strayed = {n for n in imported_names(path) if n in DOORS and not place.startswith(DOORS[n])}
    assert not strayed, f"{place} imports {strayed}"
