import os
import resource
import shutil
import socket
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.local.files import MAX_READ, LocalFiles, write_atomically


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


class TestWriteAtomically:
    def test_it_creates_and_replaces(self, real_path: Path) -> None:
        path = real_path / "a"
        write_atomically(path, b"one")
        write_atomically(path, b"two\r\n\xff")
        assert path.read_bytes() == b"two\r\n\xff"
        assert names(real_path) == ["a"]

    def test_the_old_permissions_stay(self, real_path: Path) -> None:
        path = real_path / "run.sh"
        path.write_bytes(b"")
        path.chmod(0o751)
        write_atomically(path, b"x")
        assert mode(path) == 0o751

    def test_a_new_file_gets_what_the_umask_leaves(self, real_path: Path) -> None:
        ordinary = real_path / "ordinary"
        ordinary.touch()
        write_atomically(real_path / "new", b"x")
        assert mode(real_path / "new") == mode(ordinary)

    def test_given_permissions_win(self, real_path: Path) -> None:
        path = real_path / "secret"
        path.touch()
        write_atomically(path, b"x", 0o600)
        assert mode(path) == 0o600

    def test_a_link_is_followed_and_stays_a_link(self, real_path: Path) -> None:
        (real_path / "dotfiles").mkdir()
        link = real_path / "link"
        link.symlink_to("dotfiles/real")
        write_atomically(link, b"x")
        assert link.is_symlink()
        assert (real_path / "dotfiles" / "real").read_bytes() == b"x"

    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self, real_path: Path) -> None:
        path = real_path / "a"
        path.write_bytes(b"old")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(OSError, match="too large"):
                write_atomically(path, b"n" * 10_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == b"old"
        assert names(real_path) == ["a"]

    def test_readers_see_the_old_or_the_new_file(self, real_path: Path) -> None:
        path = real_path / "a"
        versions = [letter * 100_000 for letter in (b"a", b"b")]
        path.write_bytes(versions[0])
        seen: set[bytes] = set()
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set():
                seen.add(path.read_bytes())

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(100):
            write_atomically(path, versions[number % 2])
        stop.set()
        reader.join(30)
        assert seen <= set(versions)


class TestRead:
    def test_it_returns_the_bytes(self, real_path: Path) -> None:
        (real_path / "a").write_bytes(b"\xef\xbb\xbfx\r\n\x00")
        assert LocalFiles().read(real_path / "a") == b"\xef\xbb\xbfx\r\n\x00"

    def test_what_is_no_file_is_refused_at_once(self, real_path: Path) -> None:
        os.mkfifo(real_path / "fifo")
        (real_path / "folder").mkdir()
        (real_path / "file").touch()
        (real_path / "link").symlink_to("file")
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(real_path)  # the address of a socket is short
            try:
                server.bind("socket")
            finally:
                os.chdir(here)
            for name, kind in (
                ("fifo", "a pipe"),
                ("folder", "a folder"),
                ("socket", "a socket"),
                ("link", "a link"),
            ):
                with pytest.raises(ToolError, match=f"Cannot read .*{name}: it is {kind}, not a"):
                    LocalFiles().read(real_path / name)
        with pytest.raises(ToolError, match="it is a device"):
            LocalFiles().read(Path("/dev/zero"))
        with pytest.raises(ToolError, match="it is a folder"):
            LocalFiles().read(Path("/"))

    def test_a_missing_file_and_a_file_used_as_a_folder(self, real_path: Path) -> None:
        (real_path / "file").touch()
        with pytest.raises(ToolError, match="there is no such file"):
            LocalFiles().read(real_path / "missing")
        with pytest.raises(ToolError, match="there is no such file"):
            LocalFiles().read(real_path / "no" / "folder")
        with pytest.raises(ToolError, match="not a directory"):
            LocalFiles().read(real_path / "file" / "below")

    def test_a_file_over_the_limit_is_refused_with_its_size(self, real_path: Path) -> None:
        with open(real_path / "big", "wb") as file:
            file.truncate(1_000_000_000)
        with pytest.raises(ToolError, match=r"it has 1,000,000,000 bytes, and 10,000,000 is"):
            LocalFiles().read(real_path / "big")
        with open(real_path / "just", "wb") as file:
            file.truncate(MAX_READ)
        assert len(LocalFiles().read(real_path / "just")) == MAX_READ

    def test_a_name_that_is_too_long(self, real_path: Path) -> None:
        with pytest.raises(ToolError, match="file name too long"):
            LocalFiles().read(real_path / ("n" * 300))


class TestWrite:
    def test_it_makes_folders_and_reports_the_disk(self, real_path: Path) -> None:
        written = LocalFiles().write(real_path / "a" / "b" / "c", b"x")
        assert (written.via, written.differs) == ("disk", False)
        assert (real_path / "a" / "b" / "c").read_bytes() == b"x"

    def test_a_read_only_file_is_respected(self, real_path: Path) -> None:
        path = real_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o444)
        with pytest.raises(ToolError, match=r"Cannot write .*: it is read-only \(mode 0444\)\."):
            LocalFiles().write(path, b"new")
        assert path.read_bytes() == b"old"

    def test_a_folder_or_a_pipe_is_not_replaced(self, real_path: Path) -> None:
        os.mkfifo(real_path / "fifo")
        with pytest.raises(ToolError, match="it is a pipe"):
            LocalFiles().write(real_path / "fifo", b"x")
        with pytest.raises(ToolError, match="it is a folder"):
            LocalFiles().write(real_path, b"x")

    def test_a_link_in_the_path_is_refused(self, real_path: Path) -> None:
        (real_path / "outside").mkdir()
        (real_path / "link").symlink_to("outside")
        (real_path / "target").write_bytes(b"old")
        (real_path / "file-link").symlink_to("target")
        with pytest.raises(ToolError, match="leads through a link"):
            LocalFiles().write(real_path / "link" / "x", b"new")
        with pytest.raises(ToolError, match="leads through a link"):
            LocalFiles().write(real_path / "link" / "new" / "x", b"new")
        with pytest.raises(ToolError, match="it is a link"):
            LocalFiles().write(real_path / "file-link", b"new")
        assert names(real_path / "outside") == []
        assert (real_path / "target").read_bytes() == b"old"

    def test_a_folder_swapped_for_a_link_never_leads_outside(self, real_path: Path) -> None:
        inside, outside = real_path / "inside", real_path / "outside"
        outside.mkdir()
        stop = threading.Event()

        def swap() -> None:
            while not stop.is_set():
                with suppress(OSError):
                    inside.mkdir()
                shutil.rmtree(inside, ignore_errors=True)
                with suppress(OSError):
                    inside.symlink_to(outside)
                    inside.unlink()

        swapper = threading.Thread(target=swap)
        swapper.start()
        landed = refused = 0
        try:
            for _ in range(500):
                try:
                    LocalFiles().write(inside / "file", b"x")
                    landed += 1
                except ToolError:
                    refused += 1
        finally:
            stop.set()
            swapper.join(30)
        assert names(outside) == []
        assert landed + refused == 500

    def test_a_full_disk_is_told_and_the_old_file_stays(
        self, real_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (real_path / "a").write_bytes(b"old")

        def no_space(file: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", no_space)
        with pytest.raises(ToolError, match=r"Cannot write .*: no space left on device\."):
            LocalFiles().write(real_path / "a", b"new")
        assert (real_path / "a").read_bytes() == b"old"
        assert names(real_path) == ["a"]


def test_commands_change_nothing_that_is_kept() -> None:
    LocalFiles().commands_ran(0)
