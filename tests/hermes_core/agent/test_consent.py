"""What a decision does, and what becomes of it when the world changes under it."""

from collections.abc import Callable
from concurrent.futures import InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import pytest

from hermes_core.agent.consent import BYPASSED, CHANGED, NOBODY, REJECTED
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.approval.git_settings import neutral_environment
from hermes_core.approval.rules import Rule, Rules
from hermes_core.ground.actions import Action, Answer
from hermes_core.ground.events import ApprovalRequested, StatusChanged, ToolCallStarted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.tools.registry import (
    Leave,
    Output,
    Prepared,
    Progress,
    ToolContext,
    bundled_tools,
    tool,
)
from tests.hermes_core.agent.doubles import HOME, Stage, calls, tool_call

TERMINAL = bundled_tools()["terminal"]
READ = bundled_tools()["read_file"]


def answering(answer: str) -> Callable[[Any], None]:
    return lambda question: question.reply.set_result(answer)


def run(stage: Stage, command: str, call_id: str = "1") -> str:
    """Have a command run; return what the model is told."""
    call = tool_call(call_id, "terminal", {"command": command})
    if not stage.store.rows:
        stage.conversation.append({"role": "user", "content": "go"})
    stage.conversation.append(calls(call))
    (outcome,) = run_tool_calls(
        [call], stage.tools, stage.conversation, stage.screen, stage.interrupt
    )
    return outcome.output.text


def test_a_harmless_command_runs_unasked_with_a_neutral_environment(tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    @tool(kind="execute", together="never")
    def terminal(_ctx: ToolContext, command: str) -> Prepared:
        """Tell the environment that a call is given."""
        leave = Leave()

        def look(_progress: Progress) -> Output:
            seen.update(leave.environment)
            return Output("looked")

        return Prepared(command, Action("execute", command), look, leave=leave)

    stage = Stage(tmp_path, terminal)
    assert run(stage, "git status") == "looked"
    assert seen["GIT_OPTIONAL_LOCKS"] == "0"
    assert seen == neutral_environment()
    assert stage.screen.of(ApprovalRequested) == []


def test_what_asks_runs_with_the_plain_environment(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL, answer=answering("allow_once"))
    assert run(stage, "env > made; grep -c GIT_CONFIG made").startswith("0\n")
    assert len(stage.screen.of(ApprovalRequested)) == 1


@pytest.mark.parametrize("answer", get_args(Answer))
def test_each_answer_does_what_it_says(tmp_path: Path, answer: Answer) -> None:
    stage = Stage(tmp_path, TERMINAL, answer=answering(answer))
    told = [run(stage, "touch made", "1"), run(stage, "touch made", "2")]
    allowed = answer.startswith("allow")
    assert (tmp_path / "made").exists() is allowed
    assert told[0].startswith("[no output" if allowed else REJECTED)
    assert len(stage.screen.of(ApprovalRequested)) == (1 if answer.endswith("always") else 2)
    if answer == "reject_always":
        assert "the user always rejects it" in told[1]


def test_an_always_that_was_not_offered_counts_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL, answer=answering("allow_always"))
    (tmp_path / ".env").write_text("A=1\n")
    for number in range(2):
        assert run(stage, "cat .env", str(number)).startswith("A=1")
    questions = stage.screen.of(ApprovalRequested)
    assert [question.always for question in questions] == ["", ""]
    assert stage.rules.all() == []


def test_what_changed_while_the_question_was_open_does_not_run(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    project = tmp_path / "project"
    for folder in (outside, project / "out"):
        folder.mkdir(parents=True)

    def swap(question: ApprovalRequested) -> None:
        (project / "out").rmdir()
        (project / "out").symlink_to(outside)
        question.reply.set_result("allow_always")

    stage = Stage(project, TERMINAL, answer=swap)
    assert run(stage, "touch out/made") == CHANGED
    assert list(outside.iterdir()) == []
    assert stage.rules.all() == []


def test_a_working_folder_swapped_under_the_question_runs_nothing(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()

    def swap(question: ApprovalRequested) -> None:
        project.rename(tmp_path / "away")
        project.symlink_to(other)
        question.reply.set_result("allow_once")

    told = run(Stage(project, TERMINAL, answer=swap), "touch made")
    assert told == CHANGED or "took its place" in told
    assert list(tmp_path.rglob("made")) == []


def test_answers_that_come_twice_or_late_change_nothing(tmp_path: Path) -> None:
    def twice(question: ApprovalRequested) -> None:
        question.reply.set_result("reject_once")
        with suppress(InvalidStateError):
            question.reply.set_result("allow_once")

    stage = Stage(tmp_path, TERMINAL, answer=twice)
    assert run(stage, "touch made") == REJECTED
    (question,) = stage.screen.of(ApprovalRequested)
    with suppress(InvalidStateError):
        question.reply.set_result("allow_once")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("answer", ["allow", "", None, True, ["allow_once"]])
def test_an_answer_that_is_none_rejects(tmp_path: Path, answer: Any) -> None:
    stage = Stage(tmp_path, TERMINAL, answer=answering(answer))
    assert run(stage, "touch made") == REJECTED
    assert not (tmp_path / "made").exists()


def test_without_anybody_to_ask_the_model_is_told_why(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL, can_ask=False)
    told = run(stage, "touch made")
    assert told == f"{NOBODY} Why it asks: touch writes files."


def test_no_answer_in_time_is_a_rejection_and_one_that_comes_late_runs_nothing(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, TERMINAL, timeout=0.01)
    told = run(stage, "touch made")
    assert told.startswith(REJECTED)
    assert "nobody answered within 0.01 s" in told
    (question,) = stage.screen.of(ApprovalRequested)
    assert question.reply.cancelled()
    with pytest.raises(InvalidStateError):
        question.reply.set_result("allow_once")
    assert not (tmp_path / "made").exists()


def test_a_title_says_what_runs_for_the_mode_alone(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL, mode="bypass")
    run(stage, "touch made", "1")
    run(stage, "ls", "2")
    titles = [card.title for card in stage.screen.of(ToolCallStarted)]
    assert titles == [f"{BYPASSED} touch made", "ls"]
    assert (tmp_path / "made").exists()


def test_in_plan_nothing_changes_and_the_model_is_told_why(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL, mode="plan", answer=answering("allow_once"))
    assert "in plan mode files are only read" in run(stage, "touch made", "1")
    assert run(stage, "ls", "2").startswith("[no output")
    assert stage.screen.of(ApprovalRequested) == []
    stage.mode = "default"
    assert run(stage, "touch made", "3").startswith("[no output")


def test_what_does_not_count_in_a_file_of_rules_is_told_once(tmp_path: Path) -> None:
    (tmp_path / ".hermes").mkdir()
    (tmp_path / ".hermes/approvals.yaml").write_text("rules: [nonsense\u202e]\n")
    stage = Stage(tmp_path, TERMINAL)
    stage.tools.consent.judge.rules = Rules(HOME, tmp_path)
    for number in range(3):
        run(stage, "ls", str(number))
    (warning,) = stage.screen.of(StatusChanged)
    assert warning.level == "warning"
    assert "nonsense\\u202e" in warning.text
    assert str(tmp_path / ".hermes/approvals.yaml") in warning.text


def test_a_rule_that_cannot_be_kept_holds_for_the_session_and_that_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")
    (tmp_path / "project").mkdir()
    stage = Stage(tmp_path / "project", TERMINAL, answer=answering("allow_always"))
    stage.tools.consent.judge.rules = Rules(home)
    run(stage, "touch made", "1")
    run(stage, "touch made", "2")
    assert len(stage.screen.of(ApprovalRequested)) == 1
    (warning,) = stage.screen.of(StatusChanged)
    assert "holds for this session alone" in warning.text


def test_a_question_hides_nothing_in_its_reasons_and_options(tmp_path: Path) -> None:
    odd = tmp_path / "a\u202etxt.exe"
    odd.write_text("x")
    outside = tmp_path / "project"
    outside.mkdir()
    stage = Stage(outside, READ, TERMINAL, answer=answering("reject_once"))
    call = tool_call("1", "read_file", {"path": str(odd)})
    stage.conversation.append({"role": "user", "content": "go"})
    stage.conversation.append(calls(call))
    run_tool_calls([call], stage.tools, stage.conversation, stage.screen, Interrupt())
    run(stage, "touch \u2010rf\u202e \u0430b", "2")
    for question in stage.screen.of(ApprovalRequested):
        for text in (question.title, question.reason, question.always, question.never):
            assert text.replace("\n", "").isprintable()
            assert not set(text) & set("\u202e\u2010\u0430")


def test_a_denial_beats_an_allowance(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TERMINAL)
    for answer in ("allow", "deny"):
        stage.rules.add(Rule(answer, "command", "touch made", str(tmp_path.resolve())))
    assert "always rejects" in run(stage, "touch made")
