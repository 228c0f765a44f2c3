import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_core.local.processes import end_all_children
from tests.hermes_core.local.conftest import Run
from tests.hermes_core.local.walls import walled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux's")

ANYBODY = """
import os, sys
from pathlib import Path
import psutil
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local import bubblewrap
from hermes_core.local.confinement import Confinement
from hermes_core.local.processes import run_command
parts = Path(sys.argv[1])
bubblewrap._SSH_PARTS = (str(parts), str(parts / "missing"))
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(1234)
    os.setuid(1234)
done = run_command(f"stat -c %u {parts}/a.conf /etc/passwd; cat {parts}/a.conf; id -u", Path("/"),
    env={"PATH": "/usr/bin:/bin"}, timeout=60, max_output=1000, interrupt=Interrupt(),
    confinement=Confinement.approved(Path("/nowhere"), []))
print(done.output, os.getuid())
"""


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that every user may read; those of the tests are their owner's alone."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-wall-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_ssh_accepts_the_systems_settings(
    run_python: Run, everybodys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = everybodys / "parts"
    parts.mkdir()
    (parts / "a.conf").write_text("Host x\n")
    with walled("bubblewrap", monkeypatch):
        of_part, of_system, content, user, own = run_python(ANYBODY, str(parts)).stdout.split("\n")[
            :5
        ]
    end_all_children()
    assert content == "Host x"
    assert of_part == user == own.strip()
    assert of_system != "0"
