"""Jupyter AI's own client, with the persona that `hermes editor install jupyter` places.

It wants an older SDK of the protocol than the other tests, so it gets an environment of its own
under ``.cache/``, about 100 MB, on first use.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.e2e.stage import COMMAND, ROOT, Stage
from tests.fakes.provider import Call, calls, say

VERSION = "0.3.3"
FOLDER = ROOT / ".cache" / f"jupyter-ai-acp-client-{VERSION}"
PYTHON = FOLDER / "venv" / "bin" / "python"
PACKAGE = ROOT / "editor-clients" / "jupyter"
DRIVE = Path(__file__).parent / "jupyter" / "drive.py"
HERMES = Path(sys.executable).with_name("hermes")
pytestmark = [
    pytest.mark.skipif("HERMES_NIGHTLY" not in os.environ, reason="`make nightly` runs this"),
    pytest.mark.timeout(600),
]


def install() -> None:
    """Make the environment unless it is there; our own package is put in anew each time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock"):
        pip = [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if not (FOLDER / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", FOLDER / "venv"], check=True)
            client = f"jupyter-ai-acp-client=={VERSION}"
            subprocess.run([*pip, client, "hatchling"], check=True, timeout=500)
            (FOLDER / "ready").touch()
        ours = [*pip, "--no-deps", "--no-build-isolation", "--force-reinstall", PACKAGE]
        subprocess.run(ours, check=True, timeout=100)


@pytest.fixture
def stage() -> Any:
    made = Stage()
    yield made
    made.close()


async def run(stage: Stage, *command: str) -> str:
    """Run a command to its end; return what it printed. It has to end well."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=stage.environ | {"HERMES_COMMAND": str(HERMES)},
        cwd=stage.folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, errors.decode()
    return output.decode()


async def drive(stage: Stage, cwd: Path, *prompts: dict[str, str], load: str = "") -> Any:
    personas = stage.user / ".jupyter" / "personas"
    order = {"personas": str(personas), "cwd": str(cwd), "prompts": prompts, "load": load}
    return json.loads(await run(stage, str(PYTHON), str(DRIVE), json.dumps(order)))


async def test_the_persona_answers_and_its_questions_reach_the_person(stage: Stage) -> None:
    await asyncio.to_thread(install)
    stage.provider.script(
        calls(Call("write_file", {"path": "a.txt", "content": "yes\n"}, id="jupyter-1")),
        say("Written."),
        calls(Call("write_file", {"path": "b.txt", "content": "no\n"}, id="jupyter-2")),
        say("As you wish."),
        say("Back again."),
    )
    await run(stage, *COMMAND[:-1], "editor", "install", "jupyter", "--yes")
    cwd = stage.workspace()
    found = await drive(
        stage,
        cwd,
        {"text": "write it", "decide": "allow_once"},
        {"text": "and another", "decide": "reject_once"},
    )
    assert found["persona"] == found["packaged"] == "HermesPersona"
    assert found["stops"] == ["end_turn", "end_turn"]
    assert "Written." in found["said"]
    assert "As you wish." in found["said"]
    assert "help" in found["commands"]
    assert found["code"] == 0
    assert (cwd / "a.txt").read_text(encoding="utf-8") == "yes\n"
    assert not (cwd / "b.txt").exists()
    again = await drive(stage, cwd, {"text": "and?", "decide": ""}, load=found["session"])
    assert (again["stops"], again["said"]) == (["end_turn"], "Back again.")
