"""A real Emacs, set up as `hermes editor install agent-shell` says, where one is installed.

``make nightly`` installs one. agent-shell and acp.el are on no package registry: small stand-ins
take what they are given, and a client in Emacs Lisp speaks to the program that they would start.
"""

import asyncio
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.stage import COMMAND, ROOT, Stage
from tests.fakes.provider import Call, calls, say

HERE = Path(__file__).parent / "emacs"
SOURCE = ROOT / "editor-clients" / "emacs" / "hermes-agent-shell.el"
pytestmark = pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs is installed")


async def run(stage: Stage, cwd: Path, *command: str, **more: str) -> str:
    """Run a command to its end; return what it said. It has to end well."""
    environ = {name: v for name, v in stage.environ.items() if name != "HERMES_HOME"} | more
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environ,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 90)
    assert process.returncode == 0, output.decode()
    return output.decode()


async def test_it_compiles_without_a_warning(stage: Stage) -> None:
    copy = shutil.copy(SOURCE, stage.folder)
    strict = "(setq byte-compile-error-on-warn t)"
    compile_it = ["emacs", "-Q", "--batch", "--eval", strict, "-f", "batch-byte-compile"]
    await run(stage, stage.folder, *compile_it, str(copy))
    broken = stage.folder / "broken.el"
    broken.write_text(SOURCE.read_text(encoding="utf-8").replace("(buffer)", "(other)", 1))
    with pytest.raises(AssertionError, match="Unused lexical"):
        await run(stage, stage.folder, *compile_it, str(broken))


async def test_from_the_installation_to_an_allowed_and_a_denied_tool(stage: Stage) -> None:
    stage.provider.script(
        calls(Call("write_file", {"path": "a.txt", "content": "yes\n"}, id="emacs-1")),
        say("Written."),
        calls(Call("write_file", {"path": "b.txt", "content": "no\n"}, id="emacs-2")),
        say("As you wish."),
    )
    install = (*COMMAND[:-1], "editor", "install", "agent-shell", "--yes")
    told = await run(stage, stage.folder, *install, HERMES_HOME=str(stage.home))
    (line,) = re.findall(r"^    (\(load .*)$", told, re.MULTILINE)
    init = stage.user / ".emacs.d" / "init.el"
    init.write_text(line + "\n", encoding="utf-8")
    cwd, report = stage.workspace(), stage.folder / "report.json"
    await run(
        stage,
        cwd,
        *("emacs", "--batch", "-L", str(HERE), "-l", str(init), "-l", str(HERE / "drive.el")),
        HERMES_DECIDE="allow_once reject_once",
        HERMES_REPORT=str(report),
    )
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["stops"] == ["end_turn", "end_turn"]
    assert found["asked"] == ["Create a.txt", "Create b.txt"]
    assert found["said"] == "Written.As you wish."
    assert Path(found["command"][0]).is_absolute()
    assert found["known"] == ["hermes"]
    assert found["errors"].replace("Process errors stderr finished", "").strip() == ""
    assert (cwd / "a.txt").read_text(encoding="utf-8") == "yes\n"
    assert not (cwd / "b.txt").exists()
