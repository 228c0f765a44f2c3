"""Files written through an editor: what reaches the disk, byte for byte, and what is reported."""

import time
from pathlib import Path

import pytest

from acp_server.client_files import ClientFiles
from acp_server.rpc.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    RpcError,
)
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Written
from tests.fakes.editor import Editor, client_files


@pytest.fixture
def editor() -> Editor:
    return Editor()


@pytest.fixture
def latch() -> Interrupt:
    return Interrupt()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def files(editor: Editor, latch: Interrupt, home: Path) -> ClientFiles:
    return client_files(editor, latch, home)


def test_a_write_goes_through_the_editor(files: ClientFiles, editor: Editor, home: Path) -> None:
    path = home / "sub" / "new.py"
    assert files.write(path, b"x = 1\n") == Written("client")
    assert path.read_bytes() == b"x = 1\n"
    assert editor.asked[0] == (
        "fs/write_text_file",
        {"sessionId": "s1", "path": str(path), "content": "x = 1\n"},
    )


def test_an_editor_that_formats_is_reported(files: ClientFiles, editor: Editor, home: Path) -> None:
    path = home / "a.py"
    path.write_bytes(b"x=0\n")
    editor.on_save = lambda text: text.replace("=", " = ").encode()
    assert files.write(path, b"x=1\n") == Written("client", differs=True)


def test_an_editor_that_keeps_the_text_unsaved_has_it(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.on_save = None
    assert files.write(path, b"new") == Written("client")
    assert files.read(path) == b"new"
    files.commands_ran(time.time_ns())
    assert files.read(path) == b"new"


def test_an_unsaved_write_that_cannot_be_read_again_is_reported(
    editor: Editor, latch: Interrupt, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.on_save = None
    files = client_files(editor, latch, home, reads=False)
    assert files.write(path, b"new") == Written("client", differs=True)


@pytest.mark.parametrize("code", [RESOURCE_NOT_FOUND, METHOD_NOT_FOUND])
def test_a_new_file_that_the_editor_knows_nothing_of_goes_to_the_disk(
    files: ClientFiles, editor: Editor, home: Path, code: int
) -> None:
    editor.error = RpcError(code, "no")
    assert files.write(home / "a" / "new.py", b"x") == Written("disk")
    assert (home / "a" / "new.py").read_bytes() == b"x"


def test_a_new_file_that_the_editor_refuses_is_not_written(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    editor.error = RpcError(INTERNAL_ERROR, "the folder is read-only.")
    with pytest.raises(ToolError, match=r"the folder is read-only\. Nothing was put"):
        files.write(home / "new.py", b"x")
    assert not (home / "new.py").exists()


def test_an_editors_error_about_an_existing_file_is_told_and_nothing_is_written(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.error = RpcError(INTERNAL_ERROR, "the buffer is read-only")
    with pytest.raises(ToolError, match="the buffer is read-only"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("code", [RESOURCE_NOT_FOUND, METHOD_NOT_FOUND])
def test_an_existing_file_that_the_editor_does_not_know_is_written_on_the_disk(
    files: ClientFiles, editor: Editor, home: Path, code: int
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.error = RpcError(code, "no")
    assert files.write(path, b"new") == Written("disk")
    assert path.read_bytes() == b"new"


def test_binary_data_goes_to_the_disk(files: ClientFiles, editor: Editor, home: Path) -> None:
    assert files.write(home / "a.bin", b"\0\xff") == Written("disk")
    assert editor.asked == []


def lf_inside(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def test_crlf_is_read_as_it_is_on_the_disk_from_an_editor_that_keeps_lf(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"a\r\nb\nc\r\n")
    editor.buffers[str(path)] = "a\nb\nc\n"
    assert files.read(path) == b"a\r\nb\nc\r\n"
    editor.buffers[str(path)] = "a\nB\nc\n"
    assert files.read(path) == b"a\r\nB\r\nc\r\n"


def test_crlf_survives_an_edit_through_an_editor_that_keeps_lf(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"a\r\nb\r\n")
    editor.buffers[str(path)] = "a\nb\n"
    editor.on_save = lf_inside
    assert files.read(path) == b"a\r\nb\r\n"
    assert files.write(path, b"a\r\nB\r\n") == Written("client")
    assert editor.asked[-1][1]["content"] == "a\nB\n"
    assert path.read_bytes() == b"a\r\nB\r\n"


def test_crlf_survives_an_edit_through_an_editor_that_serves_bytes(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"a\r\nb\r\n")
    assert files.read(path) == b"a\r\nb\r\n"
    assert files.write(path, b"a\r\nB\r\n") == Written("client")
    assert path.read_bytes() == b"a\r\nB\r\n"


def test_an_editor_that_changes_line_endings_is_reported(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"a\r\n")
    editor.on_save = lambda text: text.replace("\r\n", "\n").encode()
    assert files.write(path, b"b\r\n") == Written("client", differs=True)


def test_a_byte_order_mark_is_neither_lost_nor_doubled(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"\xef\xbb\xbfold")
    editor.buffers[str(path)] = "old"
    editor.on_save = lambda text: b"\xef\xbb\xbf" + text.encode()
    assert files.read(path) == b"\xef\xbb\xbfold"
    assert files.write(path, b"\xef\xbb\xbfnew") == Written("client")
    assert path.read_bytes() == b"\xef\xbb\xbfnew"
