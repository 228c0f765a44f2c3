"""Edits while an editor does not tell its text: nothing that only the editor has is overwritten."""

from pathlib import Path

import pytest

from acp_server.client_files import ClientFiles
from acp_server.rpc.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    RequestTimeout,
    RpcError,
)
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Written
from tests.fakes.editor import Editor, client_files

FAILURES = [
    RpcError(-32000, "buffer busy"),
    RpcError(INTERNAL_ERROR, "broken"),
    RequestTimeout(INTERNAL_ERROR, "no answer"),
]


@pytest.fixture
def editor() -> Editor:
    return Editor()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "a.py"
    path.write_bytes(b"saved\n")
    return path


@pytest.fixture
def files(editor: Editor, path: Path) -> ClientFiles:
    return client_files(editor, Interrupt(), path.parent)


def read_untold(files: ClientFiles, editor: Editor, path: Path, error: RpcError) -> None:
    editor.read_error = error
    assert files.read(path) == b"saved\n"


@pytest.mark.parametrize("error", FAILURES)
def test_nothing_is_written_while_the_editor_does_not_tell(
    files: ClientFiles, editor: Editor, path: Path, error: RpcError
) -> None:
    editor.buffers[str(path)] = "typed\n"
    for _ in range(3):
        read_untold(files, editor, path, error)
        with pytest.raises(ToolError, match=r"does not tell its text of .*a\.py .*nothing was"):
            files.write(path, b"patched\n")
    assert editor.buffers[str(path)] == "typed\n"
    assert path.read_bytes() == b"saved\n"


@pytest.mark.parametrize("error", FAILURES)
def test_unsaved_text_that_was_not_read_is_not_overwritten(
    files: ClientFiles, editor: Editor, path: Path, error: RpcError
) -> None:
    editor.buffers[str(path)] = "typed\n"
    read_untold(files, editor, path, error)
    editor.read_error = None
    for _ in range(2):
        with pytest.raises(ToolError, match=r"unsaved changes of .* Read the file again"):
            files.write(path, b"patched\n")
    assert editor.buffers[str(path)] == "typed\n"
    assert files.read(path) == b"typed\n"
    assert files.write(path, b"typed, patched\n") == Written("client")


def test_an_editor_without_unsaved_text_is_written_to_once_it_tells(
    files: ClientFiles, editor: Editor, path: Path
) -> None:
    read_untold(files, editor, path, FAILURES[0])
    editor.read_error = None
    assert files.write(path, b"patched\n") == Written("client")
    assert path.read_bytes() == b"patched\n"


@pytest.mark.parametrize("code", [RESOURCE_NOT_FOUND, METHOD_NOT_FOUND])
def test_an_editor_that_turns_out_to_have_no_text_is_written_to(
    files: ClientFiles, editor: Editor, path: Path, code: int
) -> None:
    read_untold(files, editor, path, FAILURES[0])
    editor.read_error = RpcError(code, "no")
    assert files.write(path, b"patched\n") == Written("client")


def test_a_new_buffer_that_was_not_read_is_not_overwritten(
    files: ClientFiles, editor: Editor, path: Path
) -> None:
    path.unlink()
    editor.buffers[str(path)] = "typed\n"
    editor.read_error = FAILURES[0]
    with pytest.raises(ToolError):
        files.read(path)
    editor.read_error = None
    with pytest.raises(ToolError, match="unsaved changes"):
        files.write(path, b"new\n")
    assert not path.exists()


def test_an_editor_that_did_not_answer_twice_is_asked_again_before_a_write(
    files: ClientFiles, editor: Editor, path: Path
) -> None:
    editor.buffers[str(path)] = "typed\n"
    for _ in range(3):
        read_untold(files, editor, path, FAILURES[2])
    editor.read_error = None
    with pytest.raises(ToolError, match="unsaved changes"):
        files.write(path, b"patched\n")
    assert files.read(path) == b"typed\n"


def test_what_is_found_after_a_write_is_told(
    files: ClientFiles, editor: Editor, path: Path
) -> None:
    editor.on_save = lambda text: text.upper().encode()
    written = files.write(path, b"x\n")
    assert (written.differs, written.found) == (True, b"X\n")
    assert files.read(path) == b"X\n"


def test_a_disk_that_is_as_before_is_not_told_as_what_the_editor_made(
    files: ClientFiles, editor: Editor, path: Path
) -> None:
    editor.on_save = None
    editor.read_error = FAILURES[0]
    written = files.write(path, b"x\n")
    assert (written.differs, written.found) == (True, None)
