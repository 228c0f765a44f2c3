from dataclasses import replace
from pathlib import Path

from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.targets import current, edit_action, missing, read_action, shown


def test_paths_are_shown_with_nothing_hidden(ctx: ToolContext, project: Path) -> None:
    assert shown(ctx, project / "src/a.py") == "src/a.py"
    assert shown(ctx, Path("/etc/passwd")) == "/etc/passwd"
    assert shown(ctx, project / "a\u202eb\n") == "a\\u202eb \u21b5 "


def test_actions_are_one_for_each_path_and_kind(ctx: ToolContext, project: Path) -> None:
    path = project / "a"
    edit, read = edit_action(ctx, path), read_action(ctx, path)
    assert (edit.kind, edit.subject, edit.paths) == ("edit", "a", (path,))
    assert edit.scope == "edits of a in this session"
    assert (read.kind, read.scope) == ("read", "reading a in this session")
    assert len({edit.key, read.key, edit_action(ctx, project / "b").key}) == 3
    additional = replace(ctx, workspace=Workspace(project / "sub", (project,)))
    assert edit_action(additional, path).key == edit.key


def test_nothing_is_no_content(ctx: ToolContext, project: Path) -> None:
    assert current(ctx, project / "a") is None
    (project / "a").touch()
    assert current(ctx, project / "a") == b""


def test_a_folder_that_cannot_be_listed_is_no_failure(ctx: ToolContext, project: Path) -> None:
    (project / "file").touch()
    assert "Neither does its folder" in str(missing(ctx, project / "file/below"))
