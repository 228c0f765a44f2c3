"""The line of programs in a question holds what the shell would run, or is left out."""

from pathlib import Path

import pytest

from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rule, Rules
from hermes_core.ground.actions import Action
from hermes_core.local.workspace import Workspace


def shown(command: str, folder: Path) -> str:
    """Return the line of programs of a question."""
    judge = Judge(Workspace(folder), Rules(), folder / ".hermes")
    decision = judge.decide(Action("execute", command), "default")
    assert decision.verdict == "ask"
    lines = [line for line in decision.details if line.startswith("Programs: ")]
    return lines[0].removeprefix("Programs: ") if lines else ""


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("python3 -I -c 'x = `a b`'", "python3"),
        ("node -e 'console.log(`a ${b} c`)'", "node"),
        ("python3 - <<'E'\nprint(`1`)\nE", "python3"),
        ("perl -e 'print `date`'", "perl"),
        ("sed -i 's/`//' x", "sed"),
        ("git commit -m 'fix `foo` and \"bar\"'", "git"),
        ('git commit -m "use `date` here"', "date, git"),
        ("echo `date` > x", "date, echo"),
        ("case $x in a) touch y;; b) make;; esac", "touch, make"),
        ("case $x in (a) touch y;; (b|c) make;; esac", "touch, make"),
        ("for f in a b; do touch $f; done", "touch"),
        ("a=(one two $(date)); make", "date, make"),
        ("(( x > 1 )) && make", "make"),
        ("echo $((1+2)) $(( $(nproc) * 2 ))", "nproc, echo"),
        ("[[ -f x && -d y ]] && make", "make"),
        ("f() { curl x; }; f", "curl"),
        ("function g { curl x; }; g", "curl"),
        ("bash -c 'npm test; touch x'", "bash, npm, touch"),
        ("'my prog' x", "my prog"),
        ("$(which make) all", "which, make"),
        ("$CMD run; make", ""),
        ('"$EDITOR" x', ""),
        ("'' x; make", ""),
    ],
)
def test_only_names_of_programs_are_shown(command: str, programs: str, tmp_path: Path) -> None:
    assert shown(command, tmp_path) == programs


def test_what_code_runs_counts_for_denials_and_secrets(tmp_path: Path) -> None:
    rules = Rules()
    judge = Judge(Workspace(tmp_path), rules, tmp_path / ".hermes")
    code = Action("execute", "python3 -c 'os.system(\"cat .env\")'")
    assert judge.decide(code, "bypass").verdict == "ask"
    rules.add(Rule("deny", "program", "cat", str(tmp_path)))
    assert judge.decide(code, "bypass").verdict == "deny"
