import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.content import Diff, Text
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.ports import Written
from hermes_core.ground.secrets import MASK
from hermes_core.local.files import LocalFiles
from hermes_core.tools.changes import diff
from hermes_core.tools.patch import patch
from hermes_core.tools.registry import Prepared, ToolContext
from hermes_core.tools.write_file import write_file
from tests.hermes_core.tools.conftest import Call, ignore


class SavingEditor(LocalFiles):
    """An editor that changes each file while it saves it."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self._old = old
        self._new = new

    def write(self, path: Path, data: bytes) -> Written:
        saved = data.replace(self._old, self._new)
        super().write(path, saved)
        return Written("client", differs=True, found=saved)


class SilentEditor(LocalFiles):
    """An editor that keeps what it is sent, and does not tell how it stands."""

    def write(self, path: Path, data: bytes) -> Written:
        return Written("client", differs=True)


@contextmanager
def swapping(folder: Path, outside: Path) -> Iterator[None]:
    """Let ``folder`` be a link to ``outside`` every other moment, and itself at the end."""
    real, link = outside.with_name("real"), outside.with_name("link")
    link.symlink_to(outside)
    stop = threading.Event()

    def put(source: Path, target: Path) -> None:
        while True:
            try:
                source.rename(target)
            except OSError:
                # A write has made the folder anew while it was away.
                shutil.rmtree(target, ignore_errors=True)
            else:
                return

    def swap() -> None:
        while not stop.is_set():
            for source, target in ((folder, real), (link, folder), (folder, link), (real, folder)):
                put(source, target)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def prepared_edit(ctx: ToolContext, project: Path) -> Prepared:
    (project / "a.txt").write_text("one\ntwo\n")
    return patch.prepare(ctx, {"path": "a.txt", "edits": [{"old": "two", "new": "three"}]})


def test_a_file_that_changed_while_the_question_was_open_is_left_alone(
    ctx: ToolContext, project: Path
) -> None:
    prepared = prepared_edit(ctx, project)
    (project / "a.txt").write_text("one\ntwo\nmore\n")
    with pytest.raises(ToolError, match="changed after this edit was prepared"):
        prepared.run(ignore)
    assert (project / "a.txt").read_text() == "one\ntwo\nmore\n"


def test_a_file_that_went_away_is_not_made_again(ctx: ToolContext, project: Path) -> None:
    prepared = prepared_edit(ctx, project)
    (project / "a.txt").unlink()
    with pytest.raises(ToolError, match="nothing was written"):
        prepared.run(ignore)
    assert not (project / "a.txt").exists()


def test_a_new_file_that_appeared_is_left_alone(ctx: ToolContext, project: Path) -> None:
    prepared = write_file.prepare(ctx, {"path": "new.txt", "content": "mine\n"})
    (project / "new.txt").write_text("theirs\n")
    with pytest.raises(ToolError, match="nothing was written"):
        prepared.run(ignore)
    assert (project / "new.txt").read_text() == "theirs\n"


@pytest.mark.parametrize("part", ["src", "src/a.txt"])
def test_a_link_that_appeared_is_not_followed(
    ctx: ToolContext, project: Path, tmp_path: Path, part: str
) -> None:
    (project / "src").mkdir()
    (project / "src/a.txt").write_text("one\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("one\n")
    prepared = write_file.prepare(ctx, {"path": "src/a.txt", "content": "two\n"})
    (project / part).rename(tmp_path / "moved")
    (project / part).symlink_to(outside if part == "src" else outside / "a.txt")
    with pytest.raises(ToolError, match="no longer where the path leads"):
        prepared.run(ignore)
    assert (outside / "a.txt").read_text() == "one\n"


def test_a_link_that_comes_and_goes_never_leads_a_write_outside(
    ctx: ToolContext, project: Path, tmp_path: Path
) -> None:
    def write(path: str) -> None:
        prepared = write_file.prepare(ctx, {"path": path, "content": "mine\n"})
        if ctx.workspace.contains(prepared.action.paths[0]):
            prepared.run(ignore)

    (project / "src").mkdir()
    (tmp_path / "outside").mkdir()
    with swapping(project / "src", tmp_path / "outside"):
        for number in range(300):
            with suppress(ToolError, OSError):
                write(f"src/{number}")
    assert list((tmp_path / "outside").iterdir()) == []
    write("src/last")
    assert (project / "src/last").read_text() == "mine\n"


def test_an_interrupt_before_the_write_leaves_the_file(ctx: ToolContext, project: Path) -> None:
    prepared = prepared_edit(ctx, project)
    ctx.interrupt.set()
    with pytest.raises(Interrupted):
        prepared.run(ignore)
    assert (project / "a.txt").read_text() == "one\ntwo\n"


def test_what_an_editor_made_of_it_is_told_and_known(ctx: ToolContext, project: Path) -> None:
    editing = replace(ctx, files=SavingEditor(b"b=1", b"b = 1"))
    prepared = write_file.prepare(editing, {"path": "a.py", "content": "a\nb=1\nc\n"})
    output = prepared.run(ignore)
    assert output.text == (
        "Created a.py (3 lines). The editor has something else than it was sent:\n"
        "@@ -2 +2 @@\n-b=1\n+b = 1"
    )
    assert output.content == (Diff(str(project / "a.py"), None, "a\nb = 1\nc\n"),)
    assert not ctx.seen.changed(project / "a.py", b"a\nb = 1\nc\n")


def test_another_final_newline_by_an_editor_is_told(ctx: ToolContext, project: Path) -> None:
    editing = replace(ctx, files=SavingEditor(b"c\n", b"c\n\n"))
    text = write_file.prepare(editing, {"path": "a", "content": "c\n"}).run(ignore).text
    assert "something else than it was sent:\n@@ -1,0 +2 @@\n+" in text
    editing = replace(ctx, files=SavingEditor(b"d", b"d\n"))
    text = write_file.prepare(editing, {"path": "b", "content": "d"}).run(ignore).text
    assert text.endswith("The editor saved it with other line ends or another final newline.")


def test_an_editor_that_does_not_tell_what_it_has_is_not_said_to_have_changed_it(
    ctx: ToolContext, project: Path
) -> None:
    (project / "a.py").write_text("old\n")
    output = write_file.prepare(
        replace(ctx, files=SilentEditor()), {"path": "a.py", "content": "new\n"}
    ).run(ignore)
    assert "it is not known what the file is now. Read it before the next edit." in output.text
    assert "@@" not in output.text
    assert output.content == (Diff(str(project / "a.py"), "old\n", "new\n"),)


def test_a_mask_is_not_written_over_a_secret(call: Call, project: Path) -> None:
    (project / "a.env").write_text("KEY=abc\n")
    with pytest.raises(ToolError, match="stands for a secret"):
        call("write_file", path="a.env", content=f"KEY={MASK}\n")
    assert (project / "a.env").read_text() == "KEY=abc\n"


def test_a_mask_that_is_in_the_file_may_stay(call: Call, project: Path) -> None:
    (project / "a.py").write_text(f'mask = "{MASK}"\n')
    call("patch", path="a.py", edits=[{"old": "mask", "new": "MASK"}])
    assert (project / "a.py").read_text() == f'MASK = "{MASK}"\n'


def test_a_large_file_is_shown_around_its_change() -> None:
    lines = [f"line {number}\n" for number in range(100_000)]
    before = "".join(lines).encode()
    lines[50_000] = "changed\n"
    note, part = diff(Path("/a"), before, "".join(lines).encode())
    assert isinstance(note, Text)
    assert "from line 49981" in note.text
    assert isinstance(part, Diff)
    assert part.old is not None
    assert part.old.startswith("line 49980\n")
    assert part.old.endswith("line 50020\n")
    assert part.new == part.old.replace("line 50000\n", "changed\n")


def test_undecodable_bytes_are_shown_as_marks() -> None:
    assert diff(Path("/a"), b"\xe9", b"\xe9\xea") == (Diff("/a", "\ufffd", "\ufffd\ufffd"),)
