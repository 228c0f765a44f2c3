"""Files stay small, and no rule of the house is switched off in a line."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("acp_server", "hermes_core")
EVERYWHERE = (*PACKAGES, "tests", "benchmarks")
LIMITS = {"hermes_core/agent/turn.py": 80}
LIMIT = 400


def sources(*folders: str) -> list[Path]:
    """Return the Python files under ``folders``, as paths relative to the root."""
    return sorted(p.relative_to(ROOT) for f in folders for p in (ROOT / f).rglob("*.py"))


@pytest.mark.parametrize("path", sources(*EVERYWHERE), ids=str)
def test_a_file_fits_on_a_few_screens(path: Path) -> None:
    lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    limit = LIMITS.get(path.as_posix(), LIMIT)
    assert lines <= limit, f"{path} has {lines} lines; cut it where the state changes owner"


def test_the_turn_stands_where_its_limit_says() -> None:
    for path in LIMITS:
        assert (ROOT / path).is_file()


@pytest.mark.parametrize("path", sources(*PACKAGES), ids=str)
def test_no_rule_is_switched_off_in_a_line(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    for mark in ("# noqa", "# ruff: noqa", "# pragma: no cover"):
        assert mark not in text, f"{path} switches a rule off with {mark!r}"


@pytest.mark.parametrize("path", sources(*PACKAGES), ids=str)
def test_only_the_console_prints(path: Path) -> None:
    if path.as_posix() == "acp_server/cli/console.py":
        return
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    prints = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not prints, f"{path} prints in lines {prints}; only acp_server/cli/console.py may"
