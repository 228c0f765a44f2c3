from pathlib import Path

import pytest

from hermes_core.commands import sandbox
from hermes_core.commands.sandbox import notice_once, sandbox_text, terminals_text
from hermes_core.local.config import Config
from hermes_core.local.sandbox import Walls

NONE = Walls(None, None, ("bubblewrap is not installed", "Landlock: the kernel offers none"))
BOTH = Walls("bubblewrap", "bubblewrap")
HALF = Walls("Landlock", None, ("bubblewrap is not installed",))


class Found:
    """A sandbox that has found certain walls."""

    def __init__(self, walls: Walls) -> None:
        self._walls = walls

    def walls(self) -> Walls:
        return self._walls


def found(walls: Walls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SANDBOX", Found(walls))


def test_what_holds_and_why_not_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found(HALF, monkeypatch)
    unasked, approved, *more = sandbox_text("auto").splitlines()
    assert "**Landlock**" in unasked
    assert "no sandbox" in approved
    assert more[0] == "- Not more, because: bubblewrap is not installed."
    assert "package `bubblewrap`" in more[1]


def test_both_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    found(BOTH, monkeypatch)
    assert sandbox_text("auto").count("**bubblewrap**") == 2
    assert sandbox_text("unasked").count("**bubblewrap**") == 1
    assert "sandbox.mode: unasked" in sandbox_text("unasked")
    assert "sandbox.mode: off" in sandbox_text("off")
    assert "`git log`, `find`) ask" not in sandbox_text("auto")


def test_where_none_holds_what_runs_unasked_the_lane_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found(NONE, monkeypatch)
    unasked, approved, *_ = sandbox_text("auto").splitlines()
    assert "`git log`, `find`) ask" in unasked
    assert "ask" not in approved
    assert "`git log`, `find`) ask" in sandbox_text("off")


def test_that_there_is_none_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(home=tmp_path / "home")
    for walls, told in ((BOTH, False), (NONE, True), (NONE, False), (HALF, False)):
        found(walls, monkeypatch)
        assert bool(notice_once(config)) is told
    changed = Walls(None, None, ("another reason",))
    found(changed, monkeypatch)
    assert "another reason" in notice_once(config)
    assert notice_once(config) == ""


def test_nothing_is_told_of_what_the_user_turned_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(NONE, monkeypatch)
    assert notice_once(Config(home=tmp_path, sandbox_mode="off")) == ""


def test_where_the_client_has_terminals_it_is_told_what_runs_there(tmp_path: Path) -> None:
    own, client = Config(home=tmp_path), Config(home=tmp_path, terminal_in_editor=True)
    assert terminals_text(own, there=True) == terminals_text(own, there=False) == ""
    assert "a terminal of the editor's" in terminals_text(client, there=True)
    assert "no effect here" in terminals_text(client, there=False)
