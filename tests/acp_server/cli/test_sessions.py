"""``hermes sessions``: what is listed, moved and deleted."""

import io
import json
import os
from pathlib import Path

import pytest

from acp_server.cli.main import main
from hermes_core.agent.checkpointing import Shadows
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import user_message
from hermes_core.sessions.store import FILE_NAME, SessionRow, Store

Captured = pytest.CaptureFixture[str]
FIRST, SECOND = "11111111-1111", "22222222-2222"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two sessions of the folder that the command runs in, and one of another."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(work)
    store = Store(home / FILE_NAME)
    for session_id, cwd, title in (
        (FIRST, str(work), "Fix the parser"),
        (SECOND, str(work), "Odd \x1b[31mred"),
        ("33333333-3333", "/elsewhere", "Another place"),
    ):
        store.create_session(SessionRow(session_id, cwd, title=title))
        store.append(
            session_id,
            [user_message(f"needle of {session_id}")],
            [{"event": "UserPrompted", "text": "needle \x1b[31m", "message_id": "m"}],
        )
    store.close()
    return home


def run(capsys: Captured, *words: str, code: int = 0) -> str:
    """Run ``hermes sessions WORDS``; return what it wrote, to stderr too."""
    assert main(["sessions", *words]) == code
    shown = capsys.readouterr()
    assert "\x1b[31m" not in shown.out or "export" in words
    return shown.out + shown.err


def test_this_folder_s_sessions_are_listed_or_all(capsys: Captured) -> None:
    told = run(capsys)
    assert "22222222" in told
    assert "11111111 Fix the parser" in told
    assert "Another place" not in told
    assert run(capsys, "list") == told
    assert "/elsewhere" in run(capsys, "list", "--all")
    assert run(capsys, "list", "--limit", "1").count("\n") == 2
    assert "--all" in run(capsys, "list", "--cwd", "/")


def test_a_session_is_shown_and_found(capsys: Captured) -> None:
    assert "# Fix the parser" in run(capsys, "show", "parser")
    assert run(capsys, "search", "needle").count("needle of") == 3
    assert "No session holds" in run(capsys, "search", "zzz")


@pytest.mark.parametrize("verb", ["show", "export", "rename"])
def test_a_session_that_is_not_clear_is_told(capsys: Captured, verb: str) -> None:
    more = ["x"] if verb == "rename" else []
    assert run(capsys, verb, "zzz", *more, code=1).startswith("There is no session 'zzz': ")
    Store(Path.cwd().parent / "home" / FILE_NAME).close()


def test_an_ambiguous_name_is_told(capsys: Captured) -> None:
    run(capsys, "rename", FIRST, "same thing")
    run(capsys, "rename", SECOND, "same thing")
    told = run(capsys, "show", "same", code=1)
    assert "Several sessions fit 'same': " in told
    assert "11111111 (same thing)" in told


def test_a_title_is_changed(capsys: Captured) -> None:
    assert "11111111 is called “New title” now." in run(capsys, "rename", "parser", "New", "title")
    assert "New title" in run(capsys, "list")
    assert "can be seen" in run(capsys, "rename", FIRST, "\u200b", code=1)


def test_what_is_exported_can_be_imported(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.json"
    assert str(path) in run(capsys, "export", "parser", "--output", str(path))
    assert "is there already" in run(capsys, "export", FIRST, "--output", str(path), code=1)
    run(capsys, "export", FIRST, "--output", str(path), "--force")
    assert json.loads(path.read_text())["sessions"][0]["id"] == FIRST
    assert "# Fix the parser" in run(capsys, "export", FIRST, "--format", "markdown")
    assert "Imported as" in run(capsys, "import", str(path))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert "Imported as" in run(capsys, "import", "-", "--cwd", "/")
    assert run(capsys, "list").count("Fix the parser") == 2


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"{}", "no session that can be imported"), (b"\xff", "it is no JSON"), (None, "is no file")],
)
def test_what_is_no_export_is_refused(
    capsys: Captured, tmp_path: Path, data: bytes | None, told: str
) -> None:
    path = tmp_path / "in.json"
    if data is not None:
        path.write_bytes(data)
    assert told in run(capsys, "import", str(path), code=1)


def test_deleting_asks_and_is_idempotent(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "Add --yes" in run(capsys, "delete", FIRST, code=1)
    assert "Fix the parser" in run(capsys, "list")
    monkeypatch.setattr("acp_server.cli.sessions.is_terminal", lambda _: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert "Nothing was deleted" in run(capsys, "delete", FIRST, code=1)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert "Deleted 11111111 Fix the parser." in run(capsys, "delete", "11111")
    assert "nothing was deleted" in run(capsys, "delete", FIRST)
    assert "Deleted 22222222" in run(capsys, "delete", FIRST, SECOND, "--yes")


def test_pruning_tells_first_and_deletes_then(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "Name --older-than DAYS" in run(capsys, "prune", code=1)
    dry = run(capsys, "prune", "--keep", "1", "--dry-run")
    assert "To be deleted, 2 sessions:" in dry
    assert "Add --yes" in run(capsys, "prune", "--keep", "1", code=1)
    assert "No session is to be deleted." in run(capsys, "prune", "--older-than", "30d")
    done = run(capsys, "prune", "--keep", "1", "--yes")
    assert done.startswith("Deleted 2 sessions.\n")
    assert "MB were given back" in done
    assert "MB were given back" in run(capsys, "vacuum")
    assert run(capsys, "list", "--all").count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [("delete", FIRST, "--yes"), ("prune", "--keep", "1", "--yes")],
    ids=["delete", "prune"],
)
def test_snapshots_of_files_go_with_their_session(
    capsys: Captured, home: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    shadow = Shadows(home, [root], lambda: dict(os.environ)).by_root[str(root)]
    (root / "a.txt").write_text("what was said to be deleted")
    tree = shadow.take(Interrupt()).tree
    shadow.keep(FIRST, tree, Interrupt())
    (root / "a.txt").unlink()
    now = shadow.take(Interrupt()).tree
    assert shadow.changes(tree, now, Interrupt())
    run(capsys, *words)
    with pytest.raises(ToolError):
        shadow.changes(tree, now, Interrupt())


@pytest.mark.parametrize("words", [("prune", "--keep", "-1"), ("prune", "--older-than", "x")])
def test_limits_are_numbers(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["sessions", *words])
    assert caught.value.code == 2


def test_a_store_of_a_newer_version_stays_as_it_is(capsys: Captured, home: Path) -> None:
    import sqlite3

    with sqlite3.connect(home / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = (home / FILE_NAME).read_bytes()
    assert "newer Hermes" in run(capsys, "list", code=1)
    assert (home / FILE_NAME).read_bytes() == before
