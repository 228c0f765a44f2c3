"""A real Neovim, set up as `hermes editor install` says, starts Hermes and answers its questions.

The plugins themselves are on no package registry: small stand-ins take what their ``setup`` is
given, and a client in Lua speaks to the program that they would start.
"""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.neovim import AVAILABLE, run_neovim
from tests.e2e.stage import COMMAND, Stage
from tests.fakes.provider import Call, calls, say

HERE = Path(__file__).parent / "neovim"
pytestmark = pytest.mark.skipif(not AVAILABLE, reason="no Neovim is packaged for this machine")


async def hermes(stage: Stage, *arguments: str) -> str:
    """Run another command of the program; return what it printed."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND[:-1],
        *arguments,
        env=stage.environ,
        cwd=stage.folder,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


async def set_up(stage: Stage, plugin: str) -> None:
    """Install the plugin's stand-in, run ``hermes editor install`` and add the line it tells."""
    packed = stage.user / ".local" / "share" / "nvim" / "site" / "pack" / "tests" / "start"
    shutil.copytree(HERE / "plugins" / plugin, packed / plugin)
    told = await hermes(stage, "editor", "install", plugin, "--yes")
    (line,) = re.findall(r"^    (require.*)$", told, re.MULTILINE)
    (stage.user / ".config" / "nvim" / "init.lua").write_text(
        line.replace("({}))", '({ mine = "kept", behaviour = { other = 1 } }))') + "\n",
        encoding="utf-8",
    )


async def drive(stage: Stage, plugin: str, cwd: Path, *decide: str) -> dict[str, Any]:
    """Start Neovim as a person does, and let the client run its turns; return its report."""
    report = stage.folder / "report.json"
    order = {"plugin": plugin, "decide": decide, "report": str(report)}
    environ = {name: v for name, v in stage.environ.items() if name != "HERMES_HOME"}
    environ["HERMES_TEST"] = json.dumps(order)
    code, said = await run_neovim(environ, cwd, "-c", f"luafile {HERE / 'drive.lua'}", "-c", "qa!")
    assert report.is_file(), said
    assert (code, said) == (0, "")
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("plugin", ["codecompanion", "agentic", "avante"])
async def test_from_the_installation_to_an_allowed_and_a_denied_tool(
    stage: Stage, plugin: str
) -> None:
    stage.provider.script(
        calls(Call("write_file", {"path": "a.txt", "content": "yes\n"}, id="nvim-1")),
        say("Written."),
        calls(Call("write_file", {"path": "b.txt", "content": "no\n"}, id="nvim-2")),
        say("As you wish."),
    )
    await set_up(stage, plugin)
    cwd = stage.workspace()
    found = await drive(stage, plugin, cwd, "allow_once", "reject_once")
    assert found["agent"] == "hermes"
    assert Path(found["command"][0]).is_absolute()
    assert found["stops"] == ["end_turn", "end_turn"]
    assert found["asked"] == ["Create a.txt", "Create b.txt"]
    assert (cwd / "a.txt").read_text(encoding="utf-8") == "yes\n"
    assert not (cwd / "b.txt").exists()
    said = [u for u in found["updates"] if u["sessionUpdate"] == "agent_message_chunk"]
    assert "".join(u["content"]["text"] for u in said) == "Written.As you wish."
    assert (found["stderr"], found["code"]) == ("", 0)
    assert found["mine"] == "kept"
    assert found["behaviour"]["other"] == 1
    assert ("auto_approve_tool_permissions" in found["behaviour"]) == (plugin == "avante")
    assert found["behaviour"].get("auto_approve_tool_permissions") in (None, False)


async def test_a_fault_in_a_lua_file_would_be_seen(stage: Stage) -> None:
    await set_up(stage, "avante")
    placed = stage.user / ".config" / "nvim" / "lua" / "hermes-avante.lua"
    placed.write_text(placed.read_text(encoding="utf-8") + "\nend", encoding="utf-8")
    code, said = await run_neovim(stage.environ, stage.folder, "-c", "qa!")
    assert "expected" in said, (code, said)
