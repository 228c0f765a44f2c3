"""Files read through an editor: which text holds, what happens on failure and on a cancel."""

import concurrent.futures
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_server.client_files import SIZE_LIMIT, ClientFiles
from acp_server.rpc.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    RequestTimeout,
    RpcError,
)
from hermes_core.ground.errors import Interrupted, ToolError
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


def run_command(files: ClientFiles, change: Callable[[], object]) -> None:
    started = time.time_ns()
    change()
    files.commands_ran(started)


# Reading


def test_an_unsaved_buffer_is_what_is_read(files: ClientFiles, editor: Editor, home: Path) -> None:
    path = home / "a.py"
    path.write_bytes(b"saved\n")
    editor.buffers[str(path)] = "unsaved\n"
    assert files.read(path) == b"unsaved\n"
    assert editor.asked == [("fs/read_text_file", {"sessionId": "s1", "path": str(path)})]


def test_a_new_buffer_that_was_never_saved_is_read(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    editor.buffers[str(home / "new.py")] = "fresh"
    assert files.read(home / "new.py") == b"fresh"


def test_a_path_outside_is_not_asked_for(
    files: ClientFiles, editor: Editor, tmp_path: Path
) -> None:
    outside = tmp_path.resolve() / "project-two.txt"
    outside.write_bytes(b"x")
    assert files.read(outside) == b"x"
    assert files.write(outside, b"y") == Written("disk")
    assert editor.asked == []


def test_without_the_capabilities_nothing_is_asked(
    editor: Editor, latch: Interrupt, home: Path
) -> None:
    files = client_files(editor, latch, home, reads=False, writes=False)
    assert files.write(home / "a", b"x") == Written("disk")
    assert files.read(home / "a") == b"x"
    assert editor.asked == []


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", b"x" * (SIZE_LIMIT + 1)])
def test_binary_and_large_files_are_left_to_the_disk(
    files: ClientFiles, editor: Editor, home: Path, data: bytes
) -> None:
    path = home / "a.bin"
    path.write_bytes(data)
    editor.buffers[str(path)] = "nonsense"
    assert files.read(path) == data
    assert files.write(path, b"text") == Written("disk")
    assert editor.asked == []


def test_a_folder_linked_into_the_workspace_is_asked_for_by_the_clients_name(
    editor: Editor, latch: Interrupt, home: Path, tmp_path: Path
) -> None:
    link = tmp_path.resolve() / "link"
    link.symlink_to(home)
    (home / "a.py").write_bytes(b"saved")
    editor.buffers[str(link / "a.py")] = "unsaved"
    assert client_files(editor, latch, link).read(home / "a.py") == b"unsaved"


@pytest.mark.parametrize(
    "error",
    [
        RpcError(RESOURCE_NOT_FOUND, "not found"),
        RpcError(METHOD_NOT_FOUND, "no such method"),
        RpcError(INTERNAL_ERROR, "broken"),
        RequestTimeout(INTERNAL_ERROR, "no answer"),
    ],
)
def test_an_error_falls_back_to_the_disk(
    files: ClientFiles, editor: Editor, home: Path, error: RpcError
) -> None:
    (home / "a.py").write_bytes(b"saved")
    editor.error = error
    assert files.read(home / "a.py") == b"saved"
    with pytest.raises(ToolError):
        files.read(home / "missing.py")


@pytest.mark.parametrize(
    ("error", "questions"),
    [
        (RpcError(METHOD_NOT_FOUND, "no such method"), 1),
        (RequestTimeout(INTERNAL_ERROR, "no answer"), 2),
        (RpcError(RESOURCE_NOT_FOUND, "not found"), 4),
    ],
)
def test_an_editor_that_cannot_answer_is_soon_left_alone(
    files: ClientFiles, editor: Editor, home: Path, error: RpcError, questions: int
) -> None:
    (home / "a.py").write_bytes(b"saved")
    editor.error = error
    for _ in range(4):
        assert files.read(home / "a.py") == b"saved"
    assert len(editor.asked) == questions


def test_text_that_is_no_text_falls_back_to_the_disk(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    (home / "a.py").write_bytes(b"saved")
    editor.buffers[str(home / "a.py")] = "\ud800"
    assert files.read(home / "a.py") == b"saved"


# Buffer or disk


def test_after_our_command_changed_a_file_the_disk_holds(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.buffers[str(path)] = "old"
    assert files.read(path) == b"old"
    run_command(files, lambda: path.write_bytes(b"from the command"))
    assert files.read(path) == b"from the command"
    assert files.read(path) == b"from the command"


def test_a_stale_buffer_that_was_never_seen_does_not_hide_a_commands_change(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    editor.buffers[str(path)] = "old"
    run_command(files, lambda: path.write_bytes(b"from the command"))
    assert files.read(path) == b"from the command"


def test_typing_after_our_command_makes_the_buffer_hold_again(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.buffers[str(path)] = "old"
    files.read(path)
    run_command(files, lambda: path.write_bytes(b"from the command"))
    assert files.read(path) == b"from the command"
    editor.buffers[str(path)] = "from the command, and typed on"
    assert files.read(path) == b"from the command, and typed on"
    assert files.read(path) == b"from the command, and typed on"


def test_a_save_between_two_commands_is_not_taken_for_ours(
    files: ClientFiles, editor: Editor, home: Path
) -> None:
    path = home / "a.py"
    files.commands_ran(time.time_ns() - 3_600_000_000_000)
    # ctime cannot be set, so the command's time is moved instead: it ended before this write.
    files._commands = [(0, time.time_ns() - 1_000_000_000)]
    path.write_bytes(b"saved by the user")
    editor.buffers[str(path)] = "typed on"
    assert files.read(path) == b"typed on"


def test_after_our_own_write_to_the_disk_the_disk_holds(
    editor: Editor, latch: Interrupt, home: Path
) -> None:
    path = home / "a.py"
    path.write_bytes(b"old")
    editor.buffers[str(path)] = "old"
    files = client_files(editor, latch, home, writes=False)
    assert files.read(path) == b"old"
    assert files.write(path, b"new") == Written("disk")
    assert files.read(path) == b"new"


# Cancelling


def test_an_interrupt_withdraws_the_question(
    files: ClientFiles, editor: Editor, latch: Interrupt, home: Path
) -> None:
    (home / "a.py").write_bytes(b"x")
    editor.silent = True
    asked = threading.Event()
    ask, outcome = editor.ask, []

    def noticing(*args: Any, **more: Any) -> "concurrent.futures.Future[Any]":
        future = ask(*args, **more)
        outcome.append(future)
        asked.set()
        return future

    files._ask = noticing
    threading.Thread(target=lambda: (asked.wait(30), latch.set()), daemon=True).start()
    with pytest.raises(Interrupted):
        files.read(home / "a.py")
    assert outcome[0].cancelled()
    with pytest.raises(Interrupted):
        files.read(home / "a.py")
    assert len(outcome) == 1
