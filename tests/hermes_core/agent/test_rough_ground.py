"""Going back and forth over folders that are no ordinary ones: real git, every byte compared."""

import os
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hermes_core.agent.checkpointing import Checkpointing, Shadows
from hermes_core.agent.undoing import Undoer, Undone
from hermes_core.ground.actions import Action
from hermes_core.ground.events import Event, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.store import SessionRow, Store

ACT = Action("execute", "a command")


def git(root: Path, *args: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(root), *settings, *args], check=True, capture_output=True)


def seen(root: Path) -> dict[bytes, tuple[str, bytes]]:
    """Return kind, right to run and content of all that stands in a folder, but ``.git``."""
    found: dict[bytes, tuple[str, bytes]] = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if name != b".git"]
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[path] = ("link", os.readlink(path))
            elif stat.S_ISREG(mode):
                kind = "program" if mode & stat.S_IXUSR else "file"
                found[path] = (kind, Path(os.fsdecode(path)).read_bytes())
    return found


class Stage:
    """One session over folders; ``turn`` lets something happen as if a command had done it."""

    def __init__(self, store: Store, tmp_path: Path, roots: Sequence[Path]) -> None:
        store.create_session(SessionRow("rough", str(roots[0])))
        self.said: list[str] = []
        shadows = Shadows(tmp_path / "home", roots, lambda: os.environ)
        self._store = store
        self._turns = Checkpointing(store, lambda: "rough", shadows, self._hear)
        self.undoer = Undoer(store, lambda: "rough", shadows, lambda: None)

    def _hear(self, event: Event) -> None:
        if isinstance(event, StatusChanged):
            self.said.append(event.text)

    def turn(self, change: Callable[[], object], *, ends: bool = True) -> None:
        self._store.append("rough", [{"role": "user", "content": "go"}], [])
        self._turns.begin("go", f"m{len(self.undoer.checkpoints())}")
        self._turns.before_change(Interrupt())
        with self._turns._around(ACT):
            change()
        if ends:
            self._turns.end()

    def undo(self, turns: int = 1) -> Undone:
        first = self.undoer.checkpoints()[-turns]
        done = self.undoer.undo(first, lambda *_: True, Interrupt())
        assert done is not None
        return done

    def redo(self) -> Undone:
        done = self.undoer.redo(lambda *_: True, Interrupt())
        assert done is not None
        return done


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "folder" / "inner").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"a\r\n\xff\0")
    (root / "folder" / "inner" / "b.txt").write_text("b\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("folder/inner/b.txt")
    return root


@pytest.fixture
def stage(store: Store, tmp_path: Path, root: Path) -> Stage:
    return Stage(store, tmp_path, [root])


def odd_names(root: Path) -> None:
    for name in (
        b"new\nline",
        b"\xff\xfe",
        b'quote"\\',
        b" lead",
        b"-dash",
        b":(top)x",
        b"*",
        b"#!",
    ):
        (root / os.fsdecode(name)).write_bytes(name)
    (root / os.fsdecode(b"\xff\xfe dir\n")).mkdir()
    (root / os.fsdecode(b"\xff\xfe dir\n") / "f").write_text("x")


def links(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").write_text("a file now")
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to("/nonexistent\n/somewhere")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to("..")


def rights(root: Path) -> None:
    (root / "run.sh").chmod(0o644)
    (root / "a.txt").chmod(0o755)


def case_alone(root: Path) -> None:
    (root / "a.txt").rename(root / "A.TXT")
    (root / "folder").rename(root / "Folder")


def folder_for_file(root: Path) -> None:
    (root / "a.txt").unlink()
    (root / "a.txt").mkdir()
    (root / "a.txt" / "deep").write_text("in it")
    (root / "folder" / "inner" / "b.txt").unlink()
    (root / "folder" / "inner").rmdir()
    (root / "folder").rmdir()
    (root / "folder").write_text("a file now")


def gone_and_made_again(root: Path) -> None:
    (root / "folder" / "inner" / "b.txt").unlink()
    (root / "folder" / "inner").rmdir()
    (root / "folder" / "inner").mkdir()
    (root / "folder" / "inner" / "c.txt").write_text("another")


def ignores_more(root: Path) -> None:
    (root / ".gitignore").write_text("*.txt\nnew*\n")
    (root / "a.txt").write_text("changed under the new rule")
    (root / "new.txt").write_text("new under the new rule")


def ignores_less(root: Path) -> None:
    (root / ".gitignore").write_text("")


@pytest.mark.parametrize(
    "change",
    [odd_names, links, rights, case_alone, folder_for_file, gone_and_made_again],
)
@pytest.mark.parametrize("repository", [False, True])
def test_it_goes_back_and_forth_byte_for_byte(
    stage: Stage, root: Path, change: Callable[[Path], None], *, repository: bool
) -> None:
    if repository:
        git(root, "init")
        git(root, "add", ".")
        git(root, "commit", "-m", "one")
    before = seen(root)
    stage.turn(lambda: change(root))
    after = seen(root)
    assert after != before
    for _ in range(2):
        assert stage.undo().kept == ()
        assert seen(root) == before
        assert stage.redo().kept == ()
        assert seen(root) == after


def test_rules_that_ignore_more_hide_nothing_that_was_there(stage: Stage, root: Path) -> None:
    before = seen(root)
    stage.turn(lambda: ignores_more(root))
    new = os.fsencode(root / "new.txt")
    stage.undo()
    found = seen(root)
    found.pop(new, None)
    assert found == before


def test_rules_that_ignore_less_do_not_make_what_stood_there_new(stage: Stage, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    (root / "old.log").write_text("mine, of long ago")
    before = seen(root)
    stage.turn(lambda: ignores_less(root))
    done = stage.undo()
    assert seen(root) == before, done


def test_repositories_within_are_named_and_left_alone(
    stage: Stage, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for place in (other, root / "nested"):
        place.mkdir()
        (place / "f").write_text("one")
        git(place, "init")
        git(place, "add", ".")
        git(place, "commit", "-m", "one")
    git(root, "init")
    git(root, "submodule", "add", str(other), "module")

    def change() -> None:
        (root / "nested" / "f").write_text("two")
        (root / "module" / "f").write_text("two")
        (root / "a.txt").write_text("two")

    stage.turn(change)
    assert "nested" in stage.said[0] or "module" in stage.said[0]
    done = stage.undo()
    assert (root / "a.txt").read_bytes() == b"a\r\n\xff\0"
    assert (root / "nested" / "f").read_text() == "two"
    assert (root / "module" / "f").read_text() == "two"
    assert (root / ".gitmodules").exists()
    assert done.changed == (root / "a.txt",)


def test_huge_files_nobody_tracks_are_named_and_left_alone(stage: Stage, root: Path) -> None:
    with (root / "huge.bin").open("wb") as stream:
        stream.truncate(6_000_000_000)

    def change() -> None:
        (root / "a.txt").write_text("two")
        with (root / "other.bin").open("wb") as stream:
            stream.truncate(6_000_000_000)

    stage.turn(change)
    assert "huge.bin" in stage.said[0]
    assert stage.undo().changed == (root / "a.txt",)
    assert (root / "huge.bin").exists()
    assert (root / "other.bin").exists()


def test_two_folders_go_back_together(store: Store, tmp_path: Path, root: Path) -> None:
    further = [tmp_path / "second", tmp_path / "third"]
    for one in further:
        one.mkdir()
        (one / "f").write_text("one")
    stage = Stage(store, tmp_path, [root, *further])
    before = [seen(one) for one in (root, *further)]

    def change() -> None:
        for one in (root, *further):
            (one / "f").write_text("two")

    stage.turn(change)
    assert len(stage.undo().changed) == 3
    assert [seen(one) for one in (root, *further)] == before


def test_a_path_that_became_a_link_out_of_the_folder_is_not_followed(
    stage: Stage, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "inner" / "b.txt").write_text("outside\n")
    stage.turn(lambda: (root / "folder" / "inner" / "b.txt").write_text("two\n"))
    (root / "folder" / "inner" / "b.txt").rename(tmp_path / "kept")
    (root / "folder" / "inner").rmdir()
    (root / "folder").rmdir()
    (root / "folder").symlink_to(outside)
    done = stage.undo()
    assert [path.name for path in done.kept]
    assert (outside / "inner" / "b.txt").read_text() == "outside\n"


def test_a_turn_that_goes_on_with_a_late_message_ends_where_that_begins(
    stage: Stage, root: Path
) -> None:
    stage.turn(lambda: (root / "one").write_text("1"), ends=False)
    between = seen(root)
    stage.turn(lambda: (root / "two").write_text("2"))
    (root / "one").write_text("mine")
    assert [path.name for path in stage.undo().changed] == ["two"]
    (root / "one").write_text("1")
    assert seen(root) == between
    assert all(shot.after for turn in stage.undoer.checkpoints() for shot in turn.snapshots)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_may_not_be_written_is_named(stage: Stage, root: Path) -> None:
    stage.turn(lambda: (root / "folder" / "inner" / "b.txt").write_text("two\n"))
    (root / "folder" / "inner").chmod(0o555)
    try:
        done = stage.undo()
    finally:
        (root / "folder" / "inner").chmod(0o755)
    assert done.kept == (root / "folder" / "inner" / "b.txt",)
