"""The client's file methods."""

import os
from pathlib import Path

import pytest

from acp_server.cli.connection import INTERNAL, NOT_FOUND, WRONG_PARAMS, RpcFailure
from acp_server.cli.disk import read_text_file, write_text_file


def test_text_goes_both_ways_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.txt"
    text = "\ufeffone\r\ntwo\nthree"
    assert write_text_file({"path": str(path), "content": text}) == {}
    assert path.read_bytes() == text.encode()
    assert read_text_file({"path": str(path)}) == {"content": text}


def test_a_part_is_read_by_lines(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("1\n2\n3\n4\n")
    assert read_text_file({"path": str(path), "line": 2, "limit": 2}) == {"content": "2\n3\n"}
    assert read_text_file({"path": str(path), "line": 9}) == {"content": ""}
    assert read_text_file({"path": str(path), "limit": 1}) == {"content": "1\n"}


@pytest.mark.parametrize("path", [None, "relative", 3, "/nul\0"])
def test_a_path_must_be_absolute(path: object) -> None:
    with pytest.raises(RpcFailure) as caught:
        read_text_file({"path": path})
    assert caught.value.code == WRONG_PARAMS


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "fifo")
    cases = [("none", NOT_FOUND), ("latin", INTERNAL), ("fifo", INTERNAL), ("", INTERNAL)]
    for name, code in cases:
        with pytest.raises(RpcFailure) as caught:
            read_text_file({"path": str(tmp_path / name)})
        assert caught.value.code == code, name


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RpcFailure) as caught:
        write_text_file({"path": str(tmp_path / "file" / "below"), "content": "y"})
    assert caught.value.code == INTERNAL
    for content in (None, "\ud800"):
        with pytest.raises(RpcFailure) as caught:
            write_text_file({"path": str(tmp_path / "b"), "content": content})
        assert caught.value.code == WRONG_PARAMS
    assert not (tmp_path / "b").exists()
