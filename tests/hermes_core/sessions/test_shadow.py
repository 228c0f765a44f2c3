"""Snapshots of a folder, beside the user's own repository."""

import os
import subprocess
from pathlib import Path

import pytest

from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions import shadow as module
from hermes_core.sessions.shadow import Shadow

ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    (root / "sub").mkdir()
    (root / "sub" / "b.txt").write_bytes(b"two\r\n\xff")
    return root


@pytest.fixture
def shadow(tmp_path: Path, root: Path) -> Shadow:
    return Shadow(tmp_path / "home" / "s.git", root, git="git", env=ENV)


def take(shadow: Shadow) -> str:
    return shadow.take(Interrupt()).tree


def changed(shadow: Shadow, old: str, new: str) -> dict[str, tuple[bytes | None, bytes | None]]:
    found: dict[str, tuple[bytes | None, bytes | None]] = {}
    for change in shadow.changes(old, new, Interrupt()):
        old, new = (s and shadow.content(s, Interrupt()) for s in (change.old, change.new))
        found[change.path] = (old, new)
    return found


def git(root: Path, *args: str) -> str:
    env = {**ENV, "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(root.parent)}
    config = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    done = subprocess.run(
        ["git", *config, *args], cwd=root, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_what_changed_is_known_byte_for_byte(shadow: Shadow, root: Path) -> None:
    before = take(shadow)
    assert take(shadow) == before
    (root / "a.txt").write_text("ONE\n")
    (root / "sub" / "b.txt").unlink()
    (root / "näme\nline").write_bytes(b"x\r\n")
    (root / "link").symlink_to("/etc/passwd")
    after = take(shadow)
    assert changed(shadow, before, after) == {
        "a.txt": (b"one\n", b"ONE\n"),
        "sub/b.txt": (b"two\r\n\xff", None),
        "näme\nline": (None, b"x\r\n"),
        "link": (None, b"/etc/passwd"),
    }
    (root / "a.txt").chmod(0o755)
    (state,) = (c.new for c in shadow.changes(after, take(shadow), Interrupt()))
    assert state is not None
    assert state.is_program


def test_ignored_files_stay_out_unless_the_repository_tracks_them(
    shadow: Shadow, root: Path
) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\nsecret\n")
    (root / "kept.log").write_text("tracked")
    (root / "other.log").write_text("ignored")
    git(root, "add", "-f", "kept.log")
    (root / ".git" / "info" / "exclude").write_text("private\n")
    (root / "private").write_text("mine")
    before = take(shadow)
    for name in ("kept.log", "other.log", "private"):
        (root / name).write_text("new")
    assert set(changed(shadow, before, take(shadow))) == {"kept.log"}


def test_the_users_repository_is_not_touched(shadow: Shadow, root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", "a.txt")
    git(root, "commit", "-qm", "first")
    (root / "a.txt").write_text("staged\n")
    git(root, "add", "a.txt")
    (root / "a.txt").write_text("unstaged\n")

    def state() -> dict[str, tuple[bytes, int]]:
        inside = (p for p in (root / ".git").rglob("*") if p.is_file())
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in inside}

    before = state()
    tree = take(shadow)
    shadow.keep("s1", tree, Interrupt())
    (root / "a.txt").write_text("later\n")
    take(shadow)
    assert state() == before


@pytest.mark.parametrize(
    ("attributes", "config"),
    [
        ("* filter=evil", '[filter "evil"]\n\tclean = touch {mark}; cat\n\trequired = true'),
        ("* text=auto eol=crlf", "[core]\n\tautocrlf = true"),
        ("", '[core]\n\tfsmonitor = "touch {mark}; false"'),
        ("* ident", "[core]\n\thooksPath = hooks"),
        ("* working-tree-encoding=UTF-16", ""),
    ],
)
def test_nothing_in_the_folder_runs_or_changes_bytes(
    attributes: str, config: str, shadow: Shadow, root: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    git(root, "init", "-q")
    (root / ".gitattributes").write_text(attributes + "\n")
    (root / "crlf.txt").write_bytes(b"a\r\nb\n$Id$\r\n")
    with (root / ".git" / "config").open("a") as file:
        file.write(config.format(mark=mark) + "\n")
    hooks = root / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    before = take(shadow)
    shadow.keep("s1", before, Interrupt())
    (root / "crlf.txt").unlink()
    assert changed(shadow, before, take(shadow))["crlf.txt"][0] == b"a\r\nb\n$Id$\r\n"
    assert not mark.exists()


def test_large_files_and_inner_repositories_are_left_out_and_named(
    shadow: Shadow, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 10)
    (root / "large").write_text("x" * 11)
    inner = root / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "f").write_text("f")
    os.mkfifo(root / "pipe")
    taken = shadow.take(Interrupt())
    assert set(taken.left_out) <= {"large", "inner/", "pipe"}
    assert {"large", "inner/"} <= set(taken.left_out)


@pytest.mark.parametrize(("name", "limit"), [("MOST_FILES", 1), ("MOST_BYTES", 3)])
def test_a_folder_that_is_too_large_is_refused(
    name: str, limit: int, shadow: Shadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, limit)
    with pytest.raises(ToolError, match="more than"):
        take(shadow)


def test_what_no_session_keeps_goes(shadow: Shadow, root: Path, tmp_path: Path) -> None:
    first = take(shadow)
    shadow.keep("s1", first, Interrupt())
    (root / "a.txt").write_text("second\n")
    second = take(shadow)
    shadow.keep("s2", second, Interrupt())
    (root / "a.txt").write_text("third\n")
    third = take(shadow)
    shadow.forget(lambda name, _tree: name != "s1", Interrupt())
    assert changed(shadow, second, third)
    with pytest.raises(ToolError):
        shadow.changes(first, second, Interrupt())
    place = tmp_path / "home" / "s.git"
    assert place.stat().st_mode & 0o777 == 0o700


def test_a_store_of_a_killed_process_is_mended(shadow: Shadow, root: Path, tmp_path: Path) -> None:
    before = take(shadow)
    place = tmp_path / "home" / "s.git"
    (place / "index.lock").touch()
    (place / "rules-x" / "a").mkdir(parents=True)
    (place / "config").write_text("[core]\n\tfsmonitor = touch ran\n")
    (root / "a.txt").write_text("2")
    assert "a.txt" in changed(shadow, before, take(shadow))
    assert not (root / "ran").exists()
    assert not (place / "rules-x").exists()


def test_an_interrupt_ends_it(shadow: Shadow) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        shadow.take(interrupt)
