"""What was once allowed for good asks no more, and allows nothing else."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.approval import commands as module
from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Action, Mode
from hermes_core.local.workspace import Workspace
from tests.hermes_core.approval.conftest import DATA, Ground, Trusting

MODES: tuple[Mode, ...] = ("default", "accept_edits")


def labelled() -> list[str]:
    """Return every command of the corpora that is no raw bytes."""
    rows: list[str] = []
    for path in sorted(DATA.glob("commands*.jsonl")):
        rows += [json.loads(line)["cmd"] for line in path.read_text().splitlines() if line]
    return [row for row in dict.fromkeys(rows) if not re.search("[\ud800-\udfff]", row)]


@pytest.fixture
def judged(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """The ground, whose judge trusts whatever program is installed."""
    monkeypatch.setenv("HOME", str(ground.home))
    monkeypatch.setattr(module, "SearchPath", lambda *_: Trusting())
    return ground


def judge_of(ground: Ground, rules: Rules) -> Judge:
    return Judge(Workspace(ground.proj), rules, ground.home / ".hermes")


def test_each_rule_that_is_offered_answers_its_command_from_then_on(
    judged: Ground, tmp_path: Path
) -> None:
    offered = 0
    for number, command in enumerate(labelled()):
        action = Action("execute", command)
        # Most are kept in memory, for the sake of time; each eighth one comes back from a file.
        home = tmp_path / str(number) if number % 8 == 0 else None
        rules = Rules(home)
        judge = judge_of(judged, rules)
        before = judge.decide(action, "default")
        if before.verdict != "ask":
            continue
        assert judge.remember(action, allow=True) == "", command
        rules = Rules(home) if home else rules
        assert bool(rules.all()) == bool(before.always), command
        if not before.always:
            continue
        offered += 1
        later = judge_of(judged, rules)
        for mode in MODES:
            assert later.decide(action, mode).verdict == "allow", command
        assert later.decide(action, "plan").verdict == "deny", command
        assert not later.decide(action, "default").unasked, command
    assert offered > 300


def test_all_rules_together_allow_nothing_that_is_forbidden_or_delicate(
    judged: Ground,
) -> None:
    rules = Rules()
    fresh = judge_of(judged, Rules())
    asked = [one for one in labelled() if fresh.decide(Action("execute", one), "default").always]
    for command in asked:
        judge_of(judged, rules).remember(Action("execute", command), allow=True)
    later = judge_of(judged, rules)
    for command in labelled():
        action = Action("execute", command)
        before, now = fresh.decide(action, "default"), later.decide(action, "default")
        if before.verdict == "deny":
            assert now.verdict == "deny", command
        if before.verdict == "ask" and not before.always:
            assert now.verdict == "ask", command


def test_each_denial_refuses_its_command_from_then_on(judged: Ground) -> None:
    for command in labelled():
        action = Action("execute", command)
        rules = Rules()
        if judge_of(judged, rules).decide(action, "default").never:
            judge_of(judged, rules).remember(action, allow=False)
            assert judge_of(judged, rules).decide(action, "bypass").verdict == "deny", command


@pytest.mark.parametrize(
    ("allowed", "same", "other"),
    [
        ("touch a", ["touch b", "touch src/c"], ["touch ../x", "touch .env", "touch AGENTS.md"]),
        ("git add .", ["git add src"], ["git add .env", "git commit -m x", "git push"]),
        ("git push", [], ["git push --force", "git -c x=y push", "git push; make"]),
        ("python3 x.py", [], ["python3 y.py", "python3 x.py a", "python3 x.py; ls"]),
        ("make build", [], ["make", "make test", "make build X=1"]),
        ("npm run build", [], ["npm run test"]),
        ("bash x.sh", [], ["bash y.sh"]),
        ("touch $X", [], ["touch a", "touch $Y"]),
    ],
)
def test_a_rule_covers_what_its_words_say(
    judged: Ground, allowed: str, same: list[str], other: list[str]
) -> None:
    rules = Rules()
    judge_of(judged, rules).remember(Action("execute", allowed), allow=True)
    judge = judge_of(judged, rules)
    for command in (allowed, *same):
        assert judge.decide(Action("execute", command), "default").verdict == "allow", command
    for command in other:
        assert judge.decide(Action("execute", command), "default").verdict != "allow", command
    elsewhere = replace(judged, proj=judged.home / "other")
    there = judge_of(elsewhere, rules)
    assert there.decide(Action("execute", allowed), "default").verdict != "allow"
