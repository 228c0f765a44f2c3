import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.content import CardContent, Console
from hermes_core.ground.errors import ToolError
from hermes_core.local.files import LocalFiles
from hermes_core.local.sandbox import SANDBOX
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.terminal import MAX_COMMAND, terminal
from tests.hermes_core.local.walls import need
from tests.hermes_core.tools.conftest import Call, ignore


class Noting(LocalFiles):
    """Files that note when they are told of a command."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def commands_ran(self, started_ns: int) -> None:
        self.told.append(started_ns)


@pytest.mark.parametrize(
    ("command", "text", "failed"),
    [
        ("echo hello", "hello\n[exit code 0]", False),
        ("echo out; echo err >&2; exit 3", "out\nerr\n[exit code 3]", True),
        ("true", "[no output, exit code 0]", False),
        ("false", "[no output, exit code 1]", True),
        ("cat; echo done", "done\n[exit code 0]", False),
        ("printf 'a\\n\\n\\n'", "a\n[exit code 0]", False),
    ],
)
def test_a_command_runs_and_says_how_it_ended(
    call: Call, command: str, text: str, failed: bool
) -> None:
    output = call("terminal", command=command)
    assert output.text == text
    assert output.failed is failed


def test_a_signal_is_named(ctx: ToolContext) -> None:
    free = replace(ctx, config=replace(ctx.config, sandbox_mode="off"))
    output = terminal.prepare(free, {"command": "kill -KILL $$"}).run(ignore)
    assert output.text == "[no output, ended by signal SIGKILL]"


def test_it_runs_in_the_working_folder_without_keys(ctx: ToolContext, project: Path) -> None:
    env = {**ctx.config.env, "EXAMPLE_API_KEY": "value"}
    keyed = replace(ctx, config=replace(ctx.config, env=env))
    prepared = terminal.prepare(keyed, {"command": "pwd; echo [$EXAMPLE_API_KEY]"})
    assert prepared.run(ignore).text == f"{project}\n[]\n[exit code 0]"


def test_a_command_is_ended_at_its_time_limit(call: Call) -> None:
    output = call("terminal", command="echo begun; sleep 300", timeout=0.3)
    assert output.text == (
        "begun\n[ended after 0.3 s, its time limit; give a longer timeout if it needs one]"
    )
    assert output.failed


def test_an_interrupt_ends_a_command(ctx: ToolContext) -> None:
    prepared = terminal.prepare(ctx, {"command": "echo begun; sleep 300"})

    def stop_when_begun(content: tuple[CardContent, ...]) -> None:
        if any(isinstance(part, Console) and "begun" in part.output for part in content):
            threading.Thread(target=ctx.interrupt.set).start()

    output = prepared.run(stop_when_begun)
    assert output.text == "begun\n[interrupted by the user]"
    assert output.failed


def test_much_output_keeps_its_head_and_tail(ctx: ToolContext) -> None:
    small = replace(ctx, config=replace(ctx.config, terminal_max_output=1_000))
    text = terminal.prepare(small, {"command": "seq 100000"}).run(ignore).text
    assert text.startswith("1\n2\n3\n")
    assert "\n100000\n[exit code 0]\n" in text
    assert "bytes left out" in text
    assert len(text) < 1_500
    [path] = (small.home / "outputs").iterdir()
    assert text.endswith(
        f"[all 588,895 bytes of it are in {path}, to be read in parts with read_file]"
    )
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 100_001))
    assert small.seen.is_kept(path)


def test_no_part_of_a_key_stays_where_an_output_is_cut(ctx: ToolContext) -> None:
    key = "sk-" + "0123456789abcdefghij" * 2
    small = replace(ctx, config=replace(ctx.config, terminal_max_output=1_000))
    for before in range(440, 510, 5):
        command = f"printf 'x%.0s' $(seq {before}); echo ' {key}'; seq 2000"
        text = terminal.prepare(small, {"command": command}).run(ignore).text
        assert "sk-0" not in text
    assert all("sk-0" not in path.read_text() for path in (small.home / "outputs").iterdir())


def test_the_card_shows_the_whole_command_and_then_its_output(ctx: ToolContext) -> None:
    command = "echo '```'\necho \u202e" + "x" * 2_000
    prepared = terminal.prepare(ctx, {"command": command})
    assert prepared.title == "echo '```' \u21b5 echo \\u202e" + "x" * 2_000
    shown = command.replace("\u202e", "\\u202e")
    (card,) = prepared.content
    assert isinstance(card, Console)
    assert card.text == f"````console\n$ {shown}\n````"
    output = prepared.run(ignore)
    (card,) = output.content
    assert isinstance(card, Console)
    assert card.text == f"````console\n$ {shown}\n{output.text}\n````"
    assert (card.cwd, card.exit_code, card.signal) == (str(ctx.workspace.cwd), 0, "")


@pytest.mark.parametrize(
    ("command", "code", "signal"), [("exit 3", 3, ""), ("sleep 300", None, "TERM")]
)
def test_the_card_knows_how_it_ended(
    ctx: ToolContext, command: str, code: int | None, signal: str
) -> None:
    ready = terminal.prepare(ctx, {"command": command, "timeout": 0.3})
    (card,) = ready.run(ignore).content
    assert isinstance(card, Console)
    assert (card.exit_code, card.signal) == (code, signal)


def test_output_is_shown_while_the_command_runs(ctx: ToolContext, project: Path) -> None:
    command = "echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over"
    shown: list[tuple[CardContent, ...]] = []

    def let_go(content: tuple[CardContent, ...]) -> None:
        shown.append(content)
        (project / "go").touch()

    output = terminal.prepare(ctx, {"command": command}).run(let_go)
    assert output.text == "begun\nover\n[exit code 0]"
    (card,) = shown[0]
    assert isinstance(card, Console)
    assert card.text == f"```console\n$ {command}\nbegun\n```"


def test_an_action_is_the_exact_command_in_its_folder(ctx: ToolContext, tmp_path: Path) -> None:
    def key(context: ToolContext, command: str) -> str:
        action = terminal.prepare(context, {"command": command}).action
        assert action.kind == "execute"
        assert action.subject == command
        assert action.scope == "this exact command in this session"
        return action.key

    moved = replace(ctx, workspace=Workspace(tmp_path))
    assert key(ctx, "ls") == key(ctx, "ls")
    assert len({key(ctx, "ls"), key(ctx, "ls "), key(ctx, "ls\n"), key(moved, "ls")}) == 4


def test_files_are_told_that_a_command_ran(ctx: ToolContext) -> None:
    files = Noting()
    prepared = terminal.prepare(replace(ctx, files=files), {"command": "true"})
    assert files.told == []
    prepared.run(ignore)
    assert len(files.told) == 1
    assert files.told[0] > 1_600_000_000_000_000_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"command": " \n"}, "empty"),
        ({"command": "echo \0"}, "character"),
        ({"command": "echo \ud800"}, "character"),
        ({"command": "true " + "x" * MAX_COMMAND}, "131,076 bytes, .*and 131,071 are allowed"),
        ({"command": "ls", "timeout": 0}, "at most 3600 seconds"),
        ({"command": "ls", "timeout": 120_000}, "at most 3600 seconds"),
    ],
)
def test_what_cannot_be_run_is_refused(
    ctx: ToolContext, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(ToolError, match=said):
        terminal.prepare(ctx, arguments)


def test_the_users_own_time_limit_may_be_longer(ctx: ToolContext) -> None:
    patient = replace(ctx, config=replace(ctx.config, terminal_timeout=7_200.0))
    assert terminal.prepare(patient, {"command": "echo a"}).run(ignore).text == "a\n[exit code 0]"


@pytest.mark.parametrize("by", ["link", "folder"])
def test_a_working_folder_that_was_swapped_after_approval_is_refused(
    ctx: ToolContext, project: Path, tmp_path: Path, by: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    prepared = terminal.prepare(ctx, {"command": "touch made"})
    project.rename(tmp_path / "away")
    if by == "link":
        project.symlink_to(other)
    else:
        other.rename(project)
    with pytest.raises(ToolError, match=r"took its place\. Nothing was run"):
        prepared.run(ignore)
    assert list(tmp_path.rglob("made")) == []


def test_the_environment_is_that_of_the_decision(ctx: ToolContext) -> None:
    env = dict(ctx.config.env)
    changing = replace(ctx, config=replace(ctx.config, env=env))
    prepared = terminal.prepare(changing, {"command": "echo [$LANG]"})
    env["LANG"] = "later"
    assert prepared.run(ignore).text.startswith("[]\n")


def test_what_runs_unasked_gets_what_keeps_git_from_running_anything(ctx: ToolContext) -> None:
    prepared = terminal.prepare(ctx, {"command": "echo [$GIT_OPTIONAL_LOCKS]"})
    prepared.leave.environment = {"GIT_OPTIONAL_LOCKS": "0"}
    assert prepared.run(ignore).text.startswith("[0]\n")


class TestLeave:
    """What nobody was asked about is held the tightest."""

    @pytest.fixture(autouse=True)
    def _walls(self) -> None:
        need(SANDBOX.walls().unasked is not None, "; ".join(SANDBOX.walls().reasons))

    def test_a_call_that_nobody_decided_on_changes_nothing(
        self, ctx: ToolContext, project: Path
    ) -> None:
        prepared = terminal.prepare(ctx, {"command": "echo x >new; ls"})
        assert prepared.leave.unasked
        assert prepared.run(ignore).failed is False
        assert list(project.iterdir()) == []

    def test_one_that_was_allowed_does(self, ctx: ToolContext, project: Path) -> None:
        prepared = terminal.prepare(ctx, {"command": "echo x >new"})
        prepared.leave.unasked = False
        prepared.run(ignore)
        assert (project / "new").exists()

    def test_the_user_may_do_without(self, ctx: ToolContext, project: Path) -> None:
        free = replace(ctx, config=replace(ctx.config, sandbox_mode="off"))
        terminal.prepare(free, {"command": "echo x >new"}).run(ignore)
        assert (project / "new").exists()

    def test_the_model_is_told_what_it_would_not_understand(self, ctx: ToolContext) -> None:
        need(SANDBOX.walls().approved is not None, "; ".join(SANDBOX.walls().reasons))
        for command, told in (
            ("pgrep no-such-program", True),
            ("echo 'sudo: The no new privileges flag is set'", True),
            ("echo pkill-like, maps", False),
            ("cat scripts/ps", False),
        ):
            prepared = terminal.prepare(ctx, {"command": command})
            prepared.leave.unasked = False
            assert ("sandbox" in prepared.run(ignore).text) is told, command


def test_the_longest_command_runs(call: Call) -> None:
    head = "echo done # "
    assert call("terminal", command=head + "x" * (MAX_COMMAND - len(head))).text.startswith("done")
