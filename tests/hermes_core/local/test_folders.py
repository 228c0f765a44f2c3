import errno
import os
import stat
from pathlib import Path

import pytest

from hermes_core.local.folders import make_private_folder, open_folder, sync_folder


def test_an_open_folder_is_used_for_its_entries_and_closed(real_path: Path) -> None:
    with open_folder(real_path) as folder:
        os.mkdir("x", dir_fd=folder)
        sync_folder(folder)
    assert (real_path / "x").is_dir()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(folder)


def test_missing_folders_are_made_only_when_asked(real_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_folder(real_path / "a" / "b"):
        pass
    with open_folder(real_path / "a" / "b", create=True):
        pass
    assert (real_path / "a" / "b").is_dir()


def test_the_root_can_be_opened() -> None:
    with open_folder(Path("/")) as folder:
        assert os.path.samestat(os.fstat(folder), os.stat("/"))


def test_a_link_anywhere_is_refused_by_its_own_number(real_path: Path) -> None:
    (real_path / "real" / "below").mkdir(parents=True)
    (real_path / "link").symlink_to("real")
    for path in (real_path / "link", real_path / "link" / "below", real_path / "link" / "new"):
        with pytest.raises(OSError, match="link") as error, open_folder(path, create=True):
            pass
        assert error.value.errno == errno.ELOOP
    assert not (real_path / "real" / "new").exists()


def test_private_folders_are_made_with_their_parents(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b")
    make_private_folder(tmp_path / "a" / "b")
    for folder in (tmp_path / "a", tmp_path / "a" / "b"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    before = (tmp_path / "a").stat().st_mode
    make_private_folder(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode == before
