"""Bash itself, with stubs for programs, sees what the judge saw."""

import os
import subprocess
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hermes_core.approval.commands import CommandVerdict
from tests.fakes.command_mutations import mutations

BUILTINS = frozenset(
    {"cd", "echo", "printf", "test", "[", "true", "false", "pwd", "type", "command", "umask"}
    | {"times", ":"}
)
STUB = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" "$STUB_END" >> "$STUB_LOG"
exit "$STUB_EXIT"
"""
DRIVER = """
number=0
while IFS= read -r -d '' command; do
  export STUB_LOG="$LOGS/$number"
  ( eval "$command" ) </dev/null >/dev/null 2>"$LOGS/$number.err"
  number=$((number + 1))
done
"""
END = "end of the arguments"


def seen(
    commands: list[str], proj: Path, work: Path, names: set[str], status: int
) -> list[Counter[tuple[str, ...]]]:
    """Return what stubs, which all exit with ``status``, were called with, by command."""
    stubs, logs = work / "stubs", work / f"logs{status}"
    stubs.mkdir(exist_ok=True)
    logs.mkdir()
    for name in names:
        stub = stubs / name
        if not stub.exists():
            stub.write_text(STUB)
            stub.chmod(0o755)
    env = {
        "PATH": str(stubs),
        "LOGS": str(logs),
        "STUB_EXIT": str(status),
        "STUB_END": END,
        "LC_ALL": "C",
    }
    data = b"".join(command.encode() + b"\0" for command in commands)
    bash = ["/bin/bash", "--noprofile", "--norc", "-c", DRIVER]
    subprocess.run(bash, input=data, cwd=proj, env=env, check=True, timeout=100)
    return [calls(logs / str(number)) for number in range(len(commands))]


def calls(log: Path) -> Counter[tuple[str, ...]]:
    if not log.exists():
        return Counter()
    text = os.fsdecode(log.read_bytes())
    ends = text.split(f"\0{END}\0")
    return Counter(tuple(call.split("\0")) for call in ends if call)


def programs(verdict: CommandVerdict) -> Counter[tuple[str, ...]]:
    return Counter(argv for argv in verdict.programs if argv[0] not in BUILTINS)


def disagreements(commands: list[str], ground: Any, work: Path) -> list[tuple[str, Any, Any]]:
    verdicts = [ground.judge(command) for command in commands]
    expected = [programs(verdict) for verdict in verdicts]
    names = {argv[0] for counter in expected for argv in counter}
    succeeding = seen(commands, ground.proj, work, names, 0)
    failing = seen(commands, ground.proj, work, names, 1)
    found = []
    for place, command in enumerate(commands):
        both = succeeding[place] | failing[place]
        extra = both - expected[place]
        missing = expected[place] - both
        strict = not any(mark in command for mark in ("||", "&&", "<"))
        if extra or (missing and strict):
            found.append((command, dict(extra), dict(missing)))
    return found


@pytest.mark.timeout(300)
def test_bash_runs_what_the_judge_saw(
    ground: Any, rows: list[dict[str, str]], tmp_path: Path
) -> None:
    commands = [row["cmd"] for row in rows if row["expect"] == "safe"]
    assert disagreements(commands, ground, tmp_path) == []
    errors = "".join(path.read_text() for path in (tmp_path / "logs0").glob("*.err"))
    assert "command not found" not in errors


@pytest.mark.timeout(300)
def test_bash_agrees_on_mutated_commands(
    ground: Any, rows: list[dict[str, str]], tmp_path: Path
) -> None:
    seeds = [row["cmd"] for row in rows if row["expect"] == "safe" and "sleep" not in row["cmd"]]
    safe = (text for text in mutations(seeds, seed=1) if ground.judge(text).verdict == "safe")
    commands = list(dict.fromkeys(islice(safe, 2_000)))[:1_500]
    assert len(commands) == 1_500
    assert disagreements(commands, ground, tmp_path) == []


def test_the_oracle_sees_a_difference(ground: Any, tmp_path: Path) -> None:
    (found,) = seen(["ls {a,b}; 'l's \"$HOME\""], ground.proj, tmp_path, {"ls"}, 0)
    assert found == Counter({("ls", "a", "b"): 1, ("ls", ""): 1})
