from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rule, Rules
from hermes_core.ground.actions import NOTHING, Action, Mode
from hermes_core.local.workspace import Workspace

Verdict = Literal["allow", "ask", "deny"]
MODES: tuple[Mode, ...] = ("default", "accept_edits", "plan", "bypass")


class House:
    """A user's home with our own in it, a project, an additional folder, and links."""

    def __init__(self, root: Path) -> None:
        self.user = root / "me"
        self.home = self.user / ".hermes"
        self.project = self.user / "project"
        self.more = self.user / "more"
        for folder in (self.home, self.project / ".git", self.more):
            folder.mkdir(parents=True)
        self.workspace = Workspace(self.project, (self.more,))

    def verdict(self, action: Action, mode: Mode, workspace: Workspace | None = None) -> Verdict:
        return self.judge(workspace).decide(action, mode).verdict

    def judge(self, workspace: Workspace | None = None, rules: Rules | None = None) -> Judge:
        return Judge(workspace or self.workspace, rules or Rules(), self.home)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    house = House(tmp_path)
    monkeypatch.setenv("HOME", str(house.user))
    return house


def read(*paths: Path) -> Action:
    return Action("read", paths=paths, key="read")


def edit(*paths: Path) -> Action:
    return Action("edit", paths=paths, key="edit")


LOOK = Action("execute", "ls -la")
RUN = Action("execute", "make build")
SECRET = Action("execute", "cat .env")
ODD = Action("execute", "echo " + "x" * 70_000)
FLOOR = Action("execute", "rm -rf /")


def test_the_table_of_decisions(house: House) -> None:
    project, more, outside = house.project, house.more, house.user / "other/a"
    table: list[tuple[Action, Verdict, Verdict, Verdict, Verdict]] = [
        (NOTHING, "allow", "allow", "allow", "allow"),
        (LOOK, "allow", "allow", "allow", "allow"),
        (read(project / "a"), "allow", "allow", "allow", "allow"),
        (read(project), "allow", "allow", "allow", "allow"),
        (read(more / "a"), "allow", "allow", "allow", "allow"),
        (edit(project / "a"), "ask", "allow", "deny", "allow"),
        (edit(more / "a"), "ask", "allow", "deny", "allow"),
        (edit(project / "a", project / "b"), "ask", "allow", "deny", "allow"),
        (RUN, "ask", "ask", "deny", "allow"),
        (read(outside), "ask", "ask", "deny", "allow"),
        (read(project / "a", outside), "ask", "ask", "deny", "allow"),
        (edit(outside), "ask", "ask", "deny", "allow"),
        (edit(project / "a", outside), "ask", "ask", "deny", "allow"),
        (SECRET, "ask", "ask", "deny", "ask"),
        (ODD, "ask", "ask", "deny", "ask"),
        (Action("execute", "touch .git/hooks/pre-commit"), "ask", "ask", "deny", "ask"),
        (read(project / ".env"), "ask", "ask", "deny", "ask"),
        (read(project / ".git/config"), "ask", "ask", "deny", "ask"),
        (read(house.user / ".ssh/id_rsa"), "ask", "ask", "deny", "ask"),
        (read(house.home / "logs/hermes.log"), "ask", "ask", "deny", "ask"),
        (read(), "ask", "ask", "deny", "ask"),
        (edit(project / ".git/hooks/post-commit"), "ask", "ask", "deny", "ask"),
        (edit(project / "sub/.vscode/tasks.json"), "ask", "ask", "deny", "ask"),
        (edit(more / ".envrc"), "ask", "ask", "deny", "ask"),
        (edit(house.home / "plugins/a.py"), "ask", "ask", "deny", "ask"),
        (edit(), "ask", "ask", "deny", "ask"),
        (edit(house.home / "config.yaml"), "deny", "deny", "deny", "deny"),
        (edit(project / "a", house.home / "auth.json"), "deny", "deny", "deny", "deny"),
        (FLOOR, "deny", "deny", "deny", "deny"),
    ]
    for action, *wanted in table:
        assert [house.verdict(action, mode) for mode in MODES] == wanted, action


@pytest.mark.parametrize("mode", MODES)
def test_whoever_is_asked_or_refused_is_told_why(house: House, mode: Mode) -> None:
    delicate = (SECRET, read(house.user / ".netrc"), edit(house.home / ".env"), FLOOR)
    for action in delicate:
        assert house.judge().decide(action, mode).reason


def test_what_bypass_lets_pass_is_marked(house: House) -> None:
    for action, marked in ((RUN, True), (edit(house.project / "a"), True), (LOOK, False)):
        assert house.judge().decide(action, "bypass").bypassed is marked


def test_only_what_is_harmless_by_itself_runs_unasked(house: House) -> None:
    rules = Rules()
    judge = house.judge(rules=rules)
    judge.remember(RUN, allow=True)
    assert judge.decide(LOOK, "default").unasked
    for mode in MODES:
        assert not judge.decide(RUN, mode).unasked


COMMANDS = [
    "make build",
    "git commit -m one",
    "rm a.txt",
    "npm test",
    "cp a b",
    "git push",
    "a=1 b",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_always_allowed_never_asks_again(house: House, command: str) -> None:
    judge = house.judge()
    action = Action("execute", command)
    assert judge.decide(action, "default").always
    assert judge.remember(action, allow=True) == ""
    assert judge.decide(action, "default").verdict == "allow"
    assert judge.decide(action, "plan").verdict == "deny"


@pytest.mark.parametrize(
    ("command", "covered", "not_covered"),
    [
        ("git commit -m one", ["git commit -m two"], ["git push", "git commit -m 'a' && make"]),
        ("rm a.txt", ["rm b.txt"], ["rm ../a.txt", "rm .envrc", "rmdir a"]),
        ("make build", [], ["make all", "make build "]),
        ("python3 a.py", [], ["python3 b.py"]),
        ("npm test", [], ["npm run x"]),
        ("sudo ls", [], ["sudo id"]),
    ],
)
def test_always_covers_the_same_effect_where_all_is_modelled_else_the_exact_command(
    house: House, command: str, covered: list[str], not_covered: list[str]
) -> None:
    judge = house.judge()
    judge.remember(Action("execute", command), allow=True)
    for one in covered:
        assert judge.decide(Action("execute", one), "default").verdict == "allow", one
    for one in not_covered:
        assert judge.decide(Action("execute", one), "default").verdict != "allow", one


def test_always_is_of_one_workspace(house: House) -> None:
    rules = Rules()
    house.judge(rules=rules).remember(RUN, allow=True)
    other = Workspace(house.more)
    assert house.judge(other, rules).decide(RUN, "default").verdict == "ask"


def test_an_edit_or_a_read_of_one_file_may_always_be_allowed(house: House) -> None:
    judge = house.judge()
    for action in (edit(house.project / "a"), read(house.user / "a")):
        judge.remember(action, allow=True)
        assert judge.decide(action, "default").verdict == "allow"
    assert judge.decide(edit(house.project / "b"), "default").verdict == "ask"


def test_what_is_delicate_is_never_allowed_for_good(house: House) -> None:
    judge = house.judge()
    for action in (
        edit(house.project / ".git/config"),
        read(house.project / ".env"),
        edit(house.home / "plugins/a.py"),
        ODD,
    ):
        assert judge.decide(action, "default").always == ""
        judge.remember(action, allow=True)
        assert judge.decide(action, "default").verdict == "ask"
    own = replace(edit(house.home / "memories/MEMORY.md"), own=True, scope="changes to memory")
    judge.remember(own, allow=True)
    assert judge.decide(own, "default").verdict == "allow"


def test_what_is_always_rejected_is_refused_in_every_mode(house: House) -> None:
    judge = house.judge()
    assert judge.decide(RUN, "default").never
    judge.remember(RUN, allow=False)
    for mode in MODES:
        assert judge.decide(RUN, mode).verdict == "deny"


def test_a_denied_program_is_refused_wherever_it_stands(house: House) -> None:
    rules = Rules()
    judge = house.judge(rules=rules)
    root = str(house.project)
    rules.add(Rule("deny", "program", "git push", root))
    rules.add(Rule("allow", "program", "git push", root))
    for command in ("git push", "cd sub && git push origin x", "ls; git push"):
        assert judge.decide(Action("execute", command), "bypass").verdict == "deny", command
    assert judge.decide(Action("execute", "git status"), "default").verdict == "allow"


def test_a_person_is_told_what_a_command_does(house: House) -> None:
    decision = house.judge().decide(Action("execute", "curl -o a x.org; rm b"), "default")
    told = "\n".join(decision.details)
    assert "Programs: curl, rm" in told
    assert "It reaches the network." in told


def test_no_rule_allows_what_is_refused(house: House) -> None:
    judge = house.judge()
    for action in (edit(house.home / "config.yaml"), FLOOR):
        judge.remember(action, allow=True)
        assert judge.decide(action, "bypass").verdict == "deny"


def test_a_real_path_decides_where_a_link_leads(house: House) -> None:
    (house.project / "link").symlink_to(house.user)
    path = house.workspace.resolve("link/a")
    assert house.verdict(edit(path), "accept_edits") == "ask"
    path = house.workspace.resolve("link/.hermes/config.yaml")
    assert house.verdict(edit(path), "accept_edits") == "deny"


def test_our_home_behind_a_link_is_our_home(house: House, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(house.home)
    action = edit(house.home / "config.yaml")
    judge = Judge(house.workspace, Rules(), tmp_path / "link")
    decision = judge.decide(action, "default")
    assert decision.verdict == "deny"


def test_kept_output_is_asked_for_as_what_it_is(house: House) -> None:
    judge = house.judge()
    kept = judge.decide(read(house.home / "outputs/1796094603-f3a07c2b759f1b25.txt"), "bypass")
    assert kept.verdict == "ask"
    assert "it is kept output" in kept.reason
    other = judge.decide(read(house.home / "config.yaml"), "bypass")
    assert "Hermes' own settings" in other.reason


@pytest.mark.parametrize("folder", [".", ".."])
def test_a_workspace_that_holds_a_home_is_too_wide(house: House, folder: str) -> None:
    wide = Workspace(house.user / folder)
    for action, verdict in (
        (read(house.project / "a"), "allow"),
        (read(house.user / ".ssh/id_ed25519"), "ask"),
        (read((house.user / folder).resolve()), "ask"),
        (edit(house.project / "a"), "ask"),
    ):
        assert house.verdict(action, "accept_edits", wide) == verdict


def test_a_further_folder_that_holds_a_home_is_too_wide_as_well(house: House) -> None:
    wide = Workspace(house.project, (house.user,))
    for action, verdict in (
        (read(house.user / "a"), "allow"),
        (read(house.user / ".ssh/id_ed25519"), "ask"),
        (edit(house.user / "a"), "ask"),
        (edit(house.project / "a"), "allow"),
    ):
        assert house.verdict(action, "accept_edits", wide) == verdict


def test_our_home_is_the_processs_own_unless_given(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(house.home))
    action = edit(house.home / "config.yaml")
    assert Judge(house.workspace, Rules()).decide(action, "default").verdict == "deny"
    monkeypatch.setenv("HERMES_HOME", "relative")
    assert Judge(house.workspace, Rules()).decide(action, "default").verdict == "ask"


def fetch(host: str, path: str = "/") -> Action:
    return Action("fetch", f"https://{host}{path}", key=host)


def test_the_first_visit_to_a_host_asks(house: House) -> None:
    judge = house.judge()
    first = [judge.decide(fetch("a.org"), mode).verdict for mode in MODES]
    assert first == ["ask", "ask", "deny", "allow"]
    judge.passed(fetch("a.org"))
    assert judge.decide(fetch("a.org", "/b"), "default").verdict == "allow"
    assert judge.decide(fetch("b.org"), "default").verdict == "ask"
    assert house.judge().decide(fetch("a.org"), "default").verdict == "ask"


def test_a_host_may_be_allowed_or_denied_for_good(house: House) -> None:
    rules = Rules()
    house.judge(rules=rules).remember(fetch("a.org"), allow=True)
    house.judge(rules=rules).remember(fetch("b.org"), allow=False)
    assert house.judge(rules=rules).decide(fetch("a.org"), "default").verdict == "allow"
    assert house.judge(rules=rules).decide(fetch("b.org"), "bypass").verdict == "deny"


@pytest.mark.parametrize("path", ["/?" + "q" * 121, "/" + "p" * 400])
def test_an_address_that_could_carry_data_out_always_asks(house: House, path: str) -> None:
    judge = house.judge()
    judge.remember(fetch("a.org"), allow=True)
    judge.passed(fetch("a.org"))
    assert judge.decide(fetch("a.org", path), "bypass").verdict == "ask"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cat file | grep x", "allow"),
        ("cd sub && ls -la && pwd", "allow"),
        ("python3 --version", "allow"),
        ("find . -name x", "ask"),
        ("sed -n 1p file", "ask"),
        ("ls && sort file", "ask"),
        ("rg x", "ask"),
    ],
)
def test_without_a_wall_only_the_plainest_commands_run_unasked(
    house: House, command: str, verdict: Verdict
) -> None:
    (house.project / "file").write_text("x")
    (house.project / "sub").mkdir()
    action = Action("execute", command)
    walled = house.judge()
    assert walled.decide(action, "default").unasked
    bare = Judge(house.workspace, Rules(), house.home, narrow=lambda: True)
    decision = bare.decide(action, "default")
    assert decision.verdict == verdict
    if verdict == "ask":
        assert "/sandbox" in decision.reason
        bare.remember(action, allow=True)
        assert bare.decide(action, "default").verdict == "allow"
        assert not bare.decide(action, "default").unasked
