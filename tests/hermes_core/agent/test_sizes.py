"""Results that are too long for the model: cut, kept in a file, and told where."""

import re
import stat
from pathlib import Path

import pytest

from hermes_core.agent.calls import CallRequest, read_call
from hermes_core.agent.sizes import HEAD, LINE, ONE, TAIL, Room
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import bundled_tools
from hermes_core.tools.seen import Seen
from tests.hermes_core.agent.doubles import tool_call

PATH = re.compile(r"/\S+\.txt")


def request(name: str = "terminal", **arguments: object) -> CallRequest:
    arguments = arguments or {"command": "x"}
    return read_call(tool_call("1", name, arguments), bundled_tools(), Workspace(Path("/")))


def test_what_fits_is_left_alone(tmp_path: Path) -> None:
    text = "x" * ONE[1]
    assert Room(tmp_path, 1_000_000, Seen()).fit(request(), text) == text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("window", "most"), [(1_000, 8_000), (32_000, 19_200), (200_000, 100_000)])
def test_the_cap_grows_with_the_window_within_bounds(
    tmp_path: Path, window: int, most: int
) -> None:
    fits, too_long = "x" * most, "x" * (most + 1)
    assert Room(tmp_path, window, Seen()).fit(request(), fits) == fits
    assert Room(tmp_path, window, Seen()).fit(request(), too_long) != too_long


def test_a_long_result_is_kept_and_says_where(tmp_path: Path) -> None:
    seen = Seen()
    text = "\n".join(f"line {n}" for n in range(20_000))
    shown = Room(tmp_path, 32_000, seen).fit(request(), text)
    assert shown.startswith("line 0\nline 1\n")
    assert shown.endswith("line 19999")
    assert len(shown) < HEAD + TAIL + 400
    path = Path(PATH.findall(shown)[0])
    assert path.read_text() == text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert f"{len(text):,}" in shown
    assert seen.is_kept(path)


def test_long_lines_are_folded_so_that_they_can_be_read(tmp_path: Path) -> None:
    text = "short\n\n" + "y" * 90_000
    shown = Room(tmp_path, 32_000, Seen()).fit(request(), text)
    lines = Path(PATH.findall(shown)[0]).read_text().split("\n")
    assert max(map(len, lines)) == LINE
    assert lines[:2] == ["short", ""]
    assert "".join(lines) == text.replace("\n", "")


def test_the_results_of_one_answer_share_their_room(tmp_path: Path) -> None:
    room = Room(tmp_path, 32_000, Seen())
    text = "z" * 19_000
    given = [len(room.fit(request(), text)) for _ in range(4)]
    assert given[:2] == [19_000, 19_000]
    assert max(given[2:]) < 3_000
    assert room.fit(request(), "small") == "small"


def test_a_file_is_not_kept_again_but_cut_with_where_to_read_on(tmp_path: Path) -> None:
    text = "\n".join(f"{n:099d}" for n in range(10, 500))
    shown = Room(tmp_path, 1_000, Seen()).fit(request("read_file", path="a", offset=10), text)
    lines = shown.split("\n")
    assert lines[-1] == f"[cut to fit the model's window; read on with offset={9 + len(lines)}]"
    assert lines[-2] == f"{8 + len(lines):099d}"
    assert list(tmp_path.iterdir()) == []


def test_a_result_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")
    shown = Room(home, 1_000, Seen()).fit(request(), "x" * 9_000)
    assert "could not be kept" in shown
    assert len(shown) < 3_000
