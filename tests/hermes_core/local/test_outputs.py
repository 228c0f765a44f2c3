"""Long results in files: private, pruned, and nobody else's."""

import os
import stat
import time
from pathlib import Path

import pytest

from hermes_core.local import outputs
from hermes_core.local.outputs import KEPT_SECONDS, Spool, keep_output, prune


def test_a_result_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = keep_output(tmp_path, "one \udc80"), keep_output(tmp_path, "two")
    assert first != second
    assert first.read_text() == "one ?"
    assert stat.S_IMODE(second.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / outputs.FOLDER).stat().st_mode) == 0o700


def test_what_is_old_goes_and_foreign_files_stay(tmp_path: Path) -> None:
    old, new = keep_output(tmp_path, "old"), keep_output(tmp_path, "new")
    foreign = old.parent / "notes.txt"
    foreign.write_text("mine")
    long_ago = time.time() - KEPT_SECONDS - 10
    for path in (old, foreign):
        os.utime(path, (long_ago, long_ago))
    prune(old.parent, 1_000)
    assert not old.exists()
    assert new.exists()
    assert foreign.exists()


def test_the_oldest_go_when_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "KEPT_BYTES", 250)
    paths = []
    for number in range(4):
        paths.append(keep_output(tmp_path, "x" * 100))
        os.utime(paths[-1], (time.time() - 100 + number,) * 2)
    assert [path.exists() for path in paths] == [False, False, True, True]


def test_a_home_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(OSError, match="home"):
        keep_output(tmp_path / "home", "x")


def test_a_short_text_needs_no_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 10, 80)
    spool.write("12345")
    spool.write("67890")
    assert spool.close() is None
    assert spool.size == 10
    assert not list(tmp_path.iterdir())


def test_a_long_text_is_kept_from_its_beginning(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 10, 80)
    for piece in ("one ", "two ", "three\n", "four \udc80"):
        spool.write(piece)
    path = spool.close()
    assert path is not None
    assert path.read_text() == "one two three\nfour ?"
    assert path.parent == tmp_path.resolve() / outputs.FOLDER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("pieces", [["abcdefghijk\nlm"], ["abc", "defghij", "k\n", "lm"]])
def test_long_lines_are_folded_however_they_come(tmp_path: Path, pieces: list[str]) -> None:
    spool = Spool(tmp_path, 0, 4)
    for piece in pieces:
        spool.write(piece)
    path = spool.close()
    assert path is not None
    assert path.read_text() == "abcd\nefgh\nijk\nlm"


def test_a_file_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "SPOOLED_BYTES", 25)
    spool = Spool(tmp_path, 5, 80)
    for _ in range(10):
        spool.write("123456789\n")
    path = spool.close()
    assert path is not None
    assert path.read_text() == "123456789\n" * 2
    assert spool.size == 100


def test_what_cannot_be_kept_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    spool = Spool(tmp_path / "home", 1, 80)
    spool.write("123")
    spool.write("456")
    assert spool.close() is None
