import os
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.content import Location
from hermes_core.ground.errors import ToolError
from hermes_core.local.workspace import Workspace
from hermes_core.tools.read_file import MAX_LINE, MAX_LINES, MAX_TOTAL, read_file
from hermes_core.tools.registry import ToolContext
from tests.hermes_core.tools.conftest import Call, ignore


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\n  b\t\nc\n", "a\n  b\t\nc"),
        (b"a\nb", "a\nb\n[no newline at the end of the file]"),
        (b"a\r\nb\r\n", "a\nb\n[line ends: CRLF]"),
        (b"a\r\nb\n", "a\nb\n[line ends: mixed]"),
        (b"\xef\xbb\xbfa\n", "a"),
        (
            b"caf\xe9\n",
            "caf\ufffd\n[\ufffd stands for a byte that is not UTF-8; patch keeps such bytes]",
        ),
        ("\ufffd\n".encode(), "\ufffd"),
        (b"", "[a.txt is empty]"),
        (b"\xef\xbb\xbf", "[a.txt is empty]"),
        (b"\n", "\n[nothing but blanks]"),
    ],
)
def test_a_file_is_read_as_it_is(call: Call, project: Path, data: bytes, text: str) -> None:
    (project / "a.txt").write_bytes(data)
    assert call("read_file", path="a.txt").text == text


def test_a_part_says_how_to_read_on(call: Call, project: Path) -> None:
    (project / "a.txt").write_text("1\n2\n3\n4\n5\n")
    assert call("read_file", path="a.txt", offset=2, limit=2).text == (
        "2\n3\n[lines 2-3 of 5; read on with offset=4]"
    )
    assert call("read_file", path="a.txt", offset=4).text == "4\n5\n[lines 4-5 of 5]"
    assert call("read_file", path="a.txt", offset=0, limit=1).text.startswith("1\n[lines 1-1")


def test_a_long_file_comes_in_parts(call: Call, project: Path) -> None:
    (project / "a.txt").write_text("x\n" * (MAX_LINES + 1))
    text = call("read_file", path="a.txt", limit=10 * MAX_LINES).text
    assert text.endswith(f"\n[lines 1-{MAX_LINES} of 2001; read on with offset={MAX_LINES + 1}]")


def test_a_long_line_is_cut_with_a_mark(call: Call, project: Path) -> None:
    (project / "a.txt").write_text("x" * (MAX_LINE + 7) + "\nend\n")
    first, second = call("read_file", path="a.txt").text.split("\n")
    assert first == "x" * MAX_LINE + "[line cut: 7 more characters]"
    assert second == "end"


def test_the_whole_is_bounded(call: Call, project: Path) -> None:
    (project / "a.txt").write_text(("x" * 999 + "\n") * 500)
    text = call("read_file", path="a.txt").text
    assert MAX_TOTAL - 1000 <= len(text) <= MAX_TOTAL + 100
    assert text.endswith("[lines 1-100 of 500; read on with offset=101]")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.bin", b"ELF\0", "binary file of 4 bytes"),
        ("a.txt", "abc".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_text_is_refused(
    call: Call, project: Path, name: str, data: bytes, said: str
) -> None:
    (project / name).write_bytes(data)
    with pytest.raises(ToolError, match=said):
        call("read_file", path=name)


def test_what_is_no_file_is_refused(call: Call, project: Path) -> None:
    os.mkfifo(project / "pipe")
    with pytest.raises(ToolError, match="pipe"):
        call("read_file", path="pipe")
    with pytest.raises(ToolError, match="folder"):
        call("read_file", path=".")
    with pytest.raises(ToolError, match="device"):
        call("read_file", path="/dev/zero")


def test_a_huge_file_is_refused_before_it_is_read(call: Call, project: Path) -> None:
    with (project / "huge").open("wb") as file:
        file.truncate(10**9)
    with pytest.raises(ToolError, match="limit"):
        call("read_file", path="huge")


def test_a_missing_file_is_told_with_the_name_that_was_meant(call: Call, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src/settings.py").write_text("x")
    with pytest.raises(
        ToolError, match=r"src/setting.py does not exist. Did you mean src/settings"
    ):
        call("read_file", path="src/setting.py")
    with pytest.raises(ToolError, match="Neither does its folder"):
        call("read_file", path="lib/settings.py")
    with pytest.raises(ToolError, match="search_files"):
        call("read_file", path="zzz")


def test_names_outside_of_the_workspace_are_not_told(call: Call, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("x")
    with pytest.raises(ToolError) as caught:
        call("read_file", path="../privat.txt")
    assert "private" not in str(caught.value)


def test_lines_past_the_end_are_an_error(call: Call, project: Path) -> None:
    (project / "a.txt").write_text("1\n")
    with pytest.raises(ToolError, match="has 1 lines; line 2 is past its end"):
        call("read_file", path="a.txt", offset=2)
    with pytest.raises(ToolError, match="limit"):
        call("read_file", path="a.txt", limit=0)


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ({}, "Read a.txt"),
        ({"offset": 10}, "Read a.txt (from line 10)"),
        ({"offset": 10, "limit": 31}, "Read a.txt (lines 10-40)"),
    ],
)
def test_the_title_says_what_is_read(
    ctx: ToolContext, arguments: dict[str, int], title: str
) -> None:
    assert read_file.prepare(ctx, {"path": "a.txt", **arguments}).title == title


def test_the_action_names_the_real_path(ctx: ToolContext, project: Path, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("x")
    (project / "link").symlink_to(tmp_path / "out.txt")
    prepared = read_file.prepare(ctx, {"path": "link", "offset": 3})
    assert prepared.action.kind == "read"
    assert prepared.action.paths == (tmp_path / "out.txt",)
    assert prepared.action.scope == f"reading {tmp_path}/out.txt in this session"
    assert prepared.locations == (Location(str(tmp_path / "out.txt"), 3),)


def test_nothing_is_read_before_it_is_approved(ctx: ToolContext, project: Path) -> None:
    prepared = read_file.prepare(ctx, {"path": "later.txt"})
    (project / "later.txt").write_text("there\n")
    assert prepared.run(ignore).text == "there"


def test_what_was_read_is_known(ctx: ToolContext, call: Call, project: Path) -> None:
    (project / "a.txt").write_bytes(b"1\n")
    call("read_file", path="a.txt")
    assert ctx.seen.knows(project / "a.txt")
    assert not ctx.seen.changed(project / "a.txt", b"1\n")
    assert ctx.seen.changed(project / "a.txt", b"2\n")


def test_a_path_starts_at_the_working_folder_of_the_session(
    ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.txt").write_text("other\n")
    moved = replace(ctx, workspace=Workspace(tmp_path / "other"))
    assert read_file.prepare(moved, {"path": "a.txt"}).run(ignore).text == "other"
