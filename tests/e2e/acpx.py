"""acpx, an ACP client from npm, with Hermes as its agent."""

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.npm import NODE, install
from tests.e2e.stage import COMMAND, Stage

VERSION = "0.19.1"
AGENT = ["--agent", shlex.join(COMMAND)]


@dataclass(frozen=True)
class Run:
    """How a run of acpx ended."""

    code: int
    output: str
    errors: str


async def exec_prompt(stage: Stage, cwd: Path, *options: str, prompt: str) -> Run:
    """Run one prompt through acpx, without a session of its own."""
    return await run(stage, cwd, *AGENT, "--timeout", "60", *options, "exec", prompt)


async def run(stage: Stage, cwd: Path, *arguments: str) -> Run:
    """Run acpx to its end."""
    process = await start(stage, cwd, *arguments)
    output, errors = await asyncio.wait_for(process.communicate(), 90)
    return Run(process.returncode or 0, output.decode(), errors.decode())


async def start(stage: Stage, cwd: Path, *arguments: str) -> asyncio.subprocess.Process:
    """Start acpx in ``cwd``."""
    folder = await asyncio.to_thread(install, "acpx", VERSION)
    return await asyncio.create_subprocess_exec(
        str(NODE),
        str(folder / "dist" / "cli.js"),
        "--cwd",
        str(cwd),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=stage.environ,
        cwd=cwd,
    )
