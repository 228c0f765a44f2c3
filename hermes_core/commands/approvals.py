"""``approvals``: what the approval engine says of a command. Nothing is run."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hermes_core.approval.commands import DEFAULT_PATH, CommandVerdict, judge_command
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import hermes_home
from hermes_core.local.workspace import Workspace

_WORDS = {
    "safe": "It runs without a question.",
    "ask": "A person has to see it first.",
    "forbid": "It is refused in every mode.",
}


def check_command(command: str, cwd: Path) -> CommandVerdict:
    """Judge a command as a session in the folder ``cwd`` would, with this process's PATH."""
    try:
        own = hermes_home()
    except ConfigError:
        own = None
    path = os.environ.get("PATH") or DEFAULT_PATH
    return judge_command(command, Workspace(cwd), own=own, path=path)


def check_lines(lines: Iterable[str], cwd: Path) -> Iterator[str]:
    """Judge one JSON object a line, with ``cmd`` and perhaps ``cwd``; yield one JSON object each.

    Lone surrogates in ``cmd`` stand for raw bytes. A line that is no such object asks.
    """
    for line in lines:
        if line.strip():
            yield json.dumps(_answer(line, cwd))


def verdict_object(verdict: CommandVerdict) -> dict[str, Any]:
    """Return a verdict as an object for JSON."""
    return {
        "verdict": verdict.verdict,
        "reasons": list(verdict.reasons),
        "programs": [list(argv) for argv in verdict.programs],
        "rule": verdict.rule,
        "writes": list(verdict.writes),
        "network": verdict.network,
        "scope": str(verdict.scope) if verdict.scope else "",
    }


def verdict_text(verdict: CommandVerdict) -> str:
    """Return a verdict in words."""
    rule = f" ({verdict.rule})" if verdict.rule else ""
    lines = [f"{verdict.verdict}{rule}: {_WORDS[verdict.verdict]}"]
    lines += [f"- {reason}" for reason in verdict.reasons]
    if verdict.programs:
        lines.append("It would run:")
        lines += [f"  {shlex.join(argv)}" for argv in verdict.programs]
    if verdict.network:
        lines.append("It reaches the network.")
    return "\n".join(lines)


def _answer(line: str, cwd: Path) -> dict[str, Any]:
    try:
        given = json.loads(line)
        command, folder = given["cmd"], given.get("cwd") or ""
        if not isinstance(command, str) or not isinstance(folder, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = "The line is no JSON object whose `cmd` is a text."
        return verdict_object(CommandVerdict("ask", (reason,), unclear=True))
    return verdict_object(check_command(command, cwd / folder))
