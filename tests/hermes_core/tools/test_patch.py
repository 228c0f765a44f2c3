import stat
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.content import Diff, Location
from hermes_core.ground.errors import ToolError
from hermes_core.tools.patch import patch
from hermes_core.tools.registry import ToolContext
from tests.hermes_core.tools.conftest import Call, ignore


def test_several_edits_are_one_change(ctx: ToolContext, project: Path) -> None:
    target = project / "app.py"
    target.write_bytes(b"import os\r\n\r\ndef f():\r\n    return 1\r\n")
    target.chmod(0o755)
    edits = [{"old": "return 1", "new": "x = 2\n    return x"}, {"old": "import os\n", "new": ""}]
    prepared = patch.prepare(ctx, {"path": "app.py", "edits": edits})
    new = "\r\ndef f():\r\n    x = 2\r\n    return x\r\n"
    assert prepared.title == "Edit app.py"
    assert prepared.content == (Diff(str(target), target.read_bytes().decode(), new),)
    assert prepared.locations == (Location(str(target), 1),)
    output = prepared.run(ignore)
    assert target.read_bytes() == new.encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    assert output.text == "Edited app.py (2 edits, from line 1)."


def test_one_edit_that_fails_leaves_the_file(call: Call, project: Path) -> None:
    (project / "a").write_text("x = 1\ny = 2\n")
    edits = [{"old": "x = 1", "new": "x = 3"}, {"old": "z = 2", "new": "z = 3"}]
    with pytest.raises(ToolError, match=r"Edit 2 of 2 cannot be made, so nothing was changed"):
        call("patch", path="a", edits=edits)
    assert (project / "a").read_text() == "x = 1\ny = 2\n"


def test_bytes_that_are_no_text_stay(call: Call, project: Path) -> None:
    (project / "a").write_bytes(b"\xff\xfe\x00caf\xe9\nname = 1\n\x80")
    call("patch", path="a", edits=[{"old": "name = 1", "new": "name = 2"}])
    assert (project / "a").read_bytes() == b"\xff\xfe\x00caf\xe9\nname = 2\n\x80"


def test_a_file_that_changed_since_it_was_read_is_refused(call: Call, project: Path) -> None:
    (project / "a").write_text("x = 1\n")
    call("read_file", path="a")
    (project / "a").write_text("x = 1\ny = 2\n")
    edit = {"old": "x = 1", "new": "x = 2"}
    with pytest.raises(ToolError, match="Read it again"):
        call("patch", path="a", edits=[edit])
    call("read_file", path="a")
    call("patch", path="a", edits=[edit])
    assert (project / "a").read_text() == "x = 2\ny = 2\n"


def test_one_edit_may_follow_another_without_reading_again(call: Call, project: Path) -> None:
    (project / "a").write_text("x = 1\n")
    call("read_file", path="a")
    call("patch", path="a", edits=[{"old": "x = 1", "new": "x = 2"}])
    call("patch", path="a", edits=[{"old": "x = 2", "new": "x = 3"}])
    assert (project / "a").read_text() == "x = 3\n"


def test_a_tolerant_match_is_told(call: Call, project: Path) -> None:
    (project / "a").write_text("\tif x:\n\t\ty()\n")
    edit = {"old": "if x:\n    y()\n", "new": "if x:\n    z()\n"}
    text = call("patch", path="a", edits=[edit]).text
    assert text == (
        "Edited a (1 edit, from line 1). The edit was found by overlooking indentation; "
        "the new text was indented as the file is."
    )
    assert (project / "a").read_text() == "\tif x:\n\t\tz()\n"


def test_a_missing_file_is_told(call: Call) -> None:
    with pytest.raises(ToolError, match="does not exist"):
        call("patch", path="a", edits=[{"old": "x", "new": "y"}])


@pytest.mark.parametrize("edits", [[], [{"old": "x", "new": "y"}]])
def test_a_file_outside_is_not_looked_into_unless_it_was_read(
    ctx: ToolContext, tmp_path: Path, edits: list[Any]
) -> None:
    (tmp_path / "secret").write_text("x\nx\n")
    with pytest.raises(ToolError, match=r"lies outside the workspace\. Read it before"):
        patch.prepare(ctx, {"path": "../secret", "edits": edits})


def test_a_file_outside_that_was_read_may_be_edited(
    ctx: ToolContext, call: Call, tmp_path: Path
) -> None:
    (tmp_path / "other").write_text("x\n")
    call("read_file", path="../other")
    prepared = patch.prepare(ctx, {"path": "../other", "edits": [{"old": "x", "new": "y"}]})
    assert prepared.action.paths == (tmp_path / "other",)
    assert prepared.title == f"Edit {tmp_path}/other"
    prepared.run(ignore)
    assert (tmp_path / "other").read_text() == "y\n"
