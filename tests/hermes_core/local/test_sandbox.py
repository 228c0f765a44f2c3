import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_core.local import sandbox
from hermes_core.local.processes import end_all_children
from hermes_core.local.sandbox import Sandbox, Walls, automatic_lane_is_narrow
from tests.hermes_core.local.conftest import Run as RunPython
from tests.hermes_core.local.walls import Land, run, walled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


@pytest.fixture
def land(real_path: Path) -> Land:
    return Land(real_path)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    end_all_children()


ANYBODY = """
import os, shutil, subprocess, sys, tempfile
from pathlib import Path
import psutil
import hermes_core.local.landlock
from hermes_core.local import sandbox
(Path("/tmp") / "x").suffix.encode("utf-8")
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(sandbox.Sandbox().walls())
sandbox.find_bubblewrap = lambda: None
print(sandbox.Sandbox().walls())
"""


def test_an_ordinary_user_has_the_same_walls(
    run_python: RunPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    with walled("bubblewrap", monkeypatch):
        first, second = run_python(ANYBODY, TMPDIR="/tmp").stdout.splitlines()
    assert first == str(Walls("bubblewrap", "bubblewrap"))
    assert second == str(Walls("Landlock", None, ("bubblewrap is not installed",)))


class TestWhereThereIsNone:
    def test_a_bubblewrap_that_may_not_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "bwrap"
        program.write_text(
            "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1"
        )
        program.chmod(0o755)
        monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: str(program))
        monkeypatch.setattr(sandbox, "_landlock_problem", lambda *_: "the kernel offers none")
        walls = Sandbox().walls()
        assert (walls.unasked, walls.approved) == (None, None)
        assert [reason.partition(":")[0] for reason in walls.reasons] == ["bubblewrap", "Landlock"]
        assert "namespaces" in walls.reasons[0]

    def test_a_wall_that_leaks_is_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "bwrap"
        program.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
        program.chmod(0o755)
        monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: str(program))
        walls = Sandbox().walls()
        assert walls.unasked != "bubblewrap"
        assert walls.approved is None

    def test_another_system_has_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert Sandbox().walls() == Walls(None, None, ("there is one for Linux alone",))

    def test_commands_run_all_the_same(self, land: Land, monkeypatch: pytest.MonkeyPatch) -> None:
        with walled(None, monkeypatch) as own:
            monkeypatch.setattr(sandbox, "SANDBOX", own)
            for policy in (land.unasked, land.approved):
                assert run("cat file", land.workspace, policy).output == "content\n"
            assert automatic_lane_is_narrow("auto")

    def test_the_lane_is_wide_where_there_is_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with walled("Landlock", monkeypatch) as own:
            monkeypatch.setattr(sandbox, "SANDBOX", own)
            assert not automatic_lane_is_narrow("auto")
            assert not automatic_lane_is_narrow("unasked")
            assert automatic_lane_is_narrow("off")
