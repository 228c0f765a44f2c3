from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from hermes_core.approval.grants import Grants
from hermes_core.approval.judge import judge
from hermes_core.ground.actions import NOTHING, Action, Mode
from hermes_core.local.workspace import Workspace

Verdict = Literal["allow", "ask", "deny"]
MODES: tuple[Mode, ...] = ("default", "accept_edits")


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
        return judge(action, mode, workspace or self.workspace, Grants(), self.home).verdict


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    house = House(tmp_path)
    monkeypatch.setenv("HOME", str(house.user))
    return house


def read(*paths: Path) -> Action:
    return Action("read", paths=paths, key="read")


def edit(*paths: Path) -> Action:
    return Action("edit", paths=paths, key="edit")


RUN = Action("execute", "ls", key="execute")


def test_the_table_of_decisions(house: House) -> None:
    project, more, outside = house.project, house.more, house.user / "other/a"
    table: list[tuple[Action, Verdict, Verdict]] = [
        (NOTHING, "allow", "allow"),
        (read(project / "a"), "allow", "allow"),
        (read(project), "allow", "allow"),
        (read(project / ".git/config"), "allow", "allow"),
        (read(more / "a"), "allow", "allow"),
        (read(outside), "ask", "ask"),
        (read(project / "a", outside), "ask", "ask"),
        (read(house.home / "logs/hermes.log"), "ask", "ask"),
        (read(), "ask", "ask"),
        (edit(project / "a"), "ask", "allow"),
        (edit(more / "a"), "ask", "allow"),
        (edit(project / "a", project / "b"), "ask", "allow"),
        (edit(outside), "ask", "ask"),
        (edit(project / "a", outside), "ask", "ask"),
        (edit(project / ".git/hooks/post-commit"), "ask", "ask"),
        (edit(project / "sub/.vscode/tasks.json"), "ask", "ask"),
        (edit(more / ".envrc"), "ask", "ask"),
        (edit(house.home / "plugins/a.py"), "ask", "ask"),
        (edit(), "ask", "ask"),
        (edit(house.home / "config.yaml"), "deny", "deny"),
        (edit(project / "a", house.home / "auth.json"), "deny", "deny"),
        (RUN, "ask", "ask"),
    ]
    for action, *wanted in table:
        assert [house.verdict(action, mode) for mode in MODES] == wanted, action


@pytest.mark.parametrize("mode", MODES)
def test_whoever_is_asked_is_told_why(house: House, mode: Mode) -> None:
    for action in (RUN, read(house.user / "a"), edit(house.user / "a"), edit(house.home / ".env")):
        assert judge(action, mode, house.workspace, Grants(), house.home).reason


def test_a_grant_allows_what_would_ask(house: House) -> None:
    grants = Grants()
    for action in (RUN, edit(house.project / ".git/config"), read(house.user / "a")):
        grants.grant(action)
        assert judge(action, "default", house.workspace, grants, house.home).verdict == "allow"
    other = replace(RUN, key="another")
    assert judge(other, "default", house.workspace, grants, house.home).verdict == "ask"


def test_a_grant_does_not_allow_what_is_refused(house: House) -> None:
    grants = Grants()
    action = edit(house.home / "config.yaml")
    grants.grant(action)
    assert judge(action, "default", house.workspace, grants, house.home).verdict == "deny"


def test_a_real_path_decides_where_a_link_leads(house: House) -> None:
    (house.project / "link").symlink_to(house.user)
    path = house.workspace.resolve("link/a")
    assert house.verdict(edit(path), "accept_edits") == "ask"
    path = house.workspace.resolve("link/.hermes/config.yaml")
    assert house.verdict(edit(path), "accept_edits") == "deny"


def test_our_home_behind_a_link_is_our_home(house: House, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(house.home)
    action = edit(house.home / "config.yaml")
    decision = judge(action, "default", house.workspace, Grants(), tmp_path / "link")
    assert decision.verdict == "deny"


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
    assert judge(action, "default", house.workspace, Grants()).verdict == "deny"
    monkeypatch.setenv("HERMES_HOME", "relative")
    assert judge(action, "default", house.workspace, Grants()).verdict == "ask"
