import json
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import pytest

from hermes_core.approval.rules import FILE_NAME, Kind, Rule, Rules
from hermes_core.commands.approvals import (
    check_command,
    check_lines,
    rule_text,
    run_approvals,
    verdict_text,
)
from hermes_core.ground.errors import HermesError
from tests.hermes_core.commands.seats import said, seat_in

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "me"
    project = home / "project"
    project.mkdir(parents=True)
    (project / "a.txt").write_text("a\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HERMES_HOME", str(home / ".hermes"))
    return project


def test_lines_are_judged_one_by_one(user: Path) -> None:
    lines = [
        json.dumps({"cmd": "cat a.txt"}),
        json.dumps({"cmd": "cat a.txt", "cwd": "/"}),
        "",
        json.dumps({"cmd": "reboot", "cwd": str(user)}),
        '{"cmd": "ls \\udcff"}',
        "no JSON",
        "[1]",
        '{"cmd": 5}',
    ]
    answers = [json.loads(line) for line in check_lines(lines, user)]
    verdicts = ["safe", "ask", "forbid", "ask", "ask", "ask", "ask"]
    assert [answer["verdict"] for answer in answers] == verdicts
    assert answers[0]["programs"] == [["cat", "a.txt"]]
    assert answers[2]["rule"] == "power-off"
    assert "0xFF" in answers[3]["reasons"][0]


def test_a_verdict_is_told_in_words(user: Path) -> None:
    text = verdict_text(check_command("curl 'a b' | sh", user))
    assert text.startswith("ask: ")
    assert "  curl 'a b'\n  sh\n" in text
    assert text.endswith("It reaches the network.")


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    rules = Rules(tmp_path / "me/.hermes")
    for rule in (
        Rule("allow", "program", "git commit", "/w", "changes the repository", "2026-01-02"),
        Rule("deny", "command", "make `all`\n", "/w", "", "2026-01-03"),
    ):
        rules.add(rule)
    return rules


class Agent:
    second_opinion = False

    def choose_second_opinion(self, wanted: bool) -> None:
        self.second_opinion = wanted


def test_the_second_opinion_is_switched_and_told() -> None:
    agent = Agent()
    seat = seat_in(Path("/w"), cast("AIAgent", agent))
    assert said(seat, "/approvals second-opinion").startswith("No model looks")
    assert said(seat, "/approvals second-opinion ON").startswith("A model looks")
    assert agent.second_opinion
    assert said(seat, "/approvals second-opinion").startswith("A model looks")
    assert "is `on` or `off`" in said(seat, "/approvals second-opinion maybe")
    assert agent.second_opinion
    assert said(seat, "/approvals second-opinion off").startswith("No model looks")


@pytest.mark.parametrize("argument", ["", "list"])
def test_rules_are_listed_with_their_numbers(rules: Rules, user: Path, argument: str) -> None:
    lines = run_approvals(rules, argument, user).splitlines()
    assert lines[:2] == [
        "1. always allow `git commit` where it changes the repository, in `/w` (since 2026-01-02)",
        "2. always reject the command ``make `all` \u21b5 ``, in `/w` (since 2026-01-03)",
    ]
    assert "revoke NUMBER" in lines[-1]


def test_without_rules_that_is_said(user: Path, tmp_path: Path) -> None:
    assert run_approvals(Rules(tmp_path / "new"), "", user).startswith("There are no rules")


def test_what_is_said_to_run_unasked_tells_of_a_second_opinion(rules: Rules, user: Path) -> None:
    for argument in ("", "check ls"):
        assert "A model looks" not in run_approvals(rules, argument, user)
        assert "A model looks" in run_approvals(rules, argument, user, looked_at=True)
    assert "A model looks" not in run_approvals(rules, "check make", user, looked_at=True)


def test_what_does_not_count_is_named(rules: Rules, user: Path) -> None:
    path = user.parent / ".hermes" / FILE_NAME
    path.write_text(path.read_text() + "  - nonsense\u202e\n", encoding="utf-8")
    shown = run_approvals(rules, "list", user)
    assert "2. always reject" in shown
    assert "These do not count:" in shown
    assert "'nonsense\\u202e' is no rule" in shown


def test_a_rule_is_revoked_by_its_number(rules: Rules, user: Path) -> None:
    said = run_approvals(rules, "revoke 1", user)
    assert said.startswith("Revoked: always allow `git commit`")
    assert [rule.what for rule in rules.all()] == ["make `all`\n"]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("revoke", "by its number"),
        ("revoke one", "'one' is no number"),
        ("revoke -1", "'-1' is no number"),
        ("revoke \u0661", "is no number"),
        ("revoke 0", "no rule 0: they are numbered from 1 to 2"),
        ("revoke 3", "no rule 3: they are numbered from 1 to 2"),
        ("revoke " + "9" * 5000, "no rule 999999999"),
        ("revoke 1 2", "'1 2' is no number"),
        ("forget 1", "not understood"),
        ("check", "not understood"),
        ("secondopinion on", "second-opinion on"),
    ],
)
def test_what_cannot_be_done_is_explained(
    rules: Rules, user: Path, argument: str, said: str
) -> None:
    with pytest.raises(HermesError, match=said):
        run_approvals(rules, argument, user)
    assert len(rules.all()) == 2


def test_a_command_can_be_judged_in_a_session(rules: Rules, user: Path) -> None:
    assert run_approvals(rules, "check cat a.txt", user).startswith("safe: ")


def test_what_runs_unasked_in_a_sandbox_alone_is_told_as_such(user: Path, rules: Rules) -> None:
    def said(command: str) -> str:
        return run_approvals(rules, f"check {command}", user)

    assert "Where no sandbox holds commands" in said("find . -name x")
    assert "sandbox" not in said("ls")
    assert "sandbox" not in said("make")


def test_a_rule_about_a_harmless_command_tells_how_long_it_holds() -> None:
    text = rule_text(Rule("allow", "command", "cat a", "/w", effect="only reads"))
    assert text == "always allow the command `cat a`, while it only reads, in `/w`"


def test_every_kind_of_rule_has_its_words() -> None:
    for kind in get_args(Kind):
        text = rule_text(Rule("allow", kind, "WHAT", "/w"))
        assert text.startswith("always allow ")
        assert "WHAT" in text
