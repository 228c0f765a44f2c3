import stat
from pathlib import Path

import pytest

from hermes_core.ground.content import Diff, Location
from hermes_core.ground.errors import ToolError
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.write_file import write_file
from tests.hermes_core.tools.conftest import Call, ignore


def test_a_new_file_is_shown_and_written_exactly(ctx: ToolContext, project: Path) -> None:
    content = "\ufeffa\r\nb \xe9"
    prepared = write_file.prepare(ctx, {"path": "new/deep/a.txt", "content": content})
    target = project / "new/deep/a.txt"
    assert prepared.title == "Create new/deep/a.txt"
    assert prepared.content == (Diff(str(target), None, content),)
    assert prepared.action.kind == "edit"
    assert prepared.action.paths == (target,)
    assert prepared.action.key == f"edit:{target}"
    assert not (project / "new").exists()
    output = prepared.run(ignore)
    assert target.read_bytes() == content.encode()
    assert output.text == "Created new/deep/a.txt (2 lines)."
    assert output.content == prepared.content
    assert output.locations == (Location(str(target), 1),)
    assert not ctx.seen.changed(target, content.encode())


def test_an_old_file_is_replaced_and_keeps_its_permissions(call: Call, project: Path) -> None:
    target = project / "run.sh"
    target.write_bytes(b"old\r\n")
    target.chmod(0o750)
    output = call("write_file", path="run.sh", content="new\n")
    assert output.text == "Replaced run.sh (1 line)."
    assert output.content == (Diff(str(target), "old\r\n", "new\n"),)
    assert target.read_bytes() == b"new\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_a_file_that_changed_since_it_was_read_is_left_alone(call: Call, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    call("read_file", path="a.txt")
    (project / "a.txt").write_text("two\n")
    with pytest.raises(ToolError, match="has changed since you last read it"):
        call("write_file", path="a.txt", content="three\n")
    assert (project / "a.txt").read_text() == "two\n"


def test_half_a_character_is_refused(call: Call, project: Path) -> None:
    with pytest.raises(ToolError, match="half of a character"):
        call("write_file", path="a.txt", content="\udce9")
    assert not (project / "a.txt").exists()


def test_a_folder_is_refused(call: Call, project: Path) -> None:
    (project / "src").mkdir()
    with pytest.raises(ToolError, match="folder"):
        call("write_file", path="src", content="x")


def test_a_content_that_is_no_string_is_not_guessed(ctx: ToolContext) -> None:
    with pytest.raises(ToolError, match="content must be a string, not an object"):
        write_file.prepare(ctx, {"path": "package.json", "content": {"name": "x"}})
