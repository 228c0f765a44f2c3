"""How an editor can start this very program, however it came here."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from hermes_core.commands.editor_table import Program
from hermes_core.ground.errors import ConfigError

PACKAGE = "hermes-editor-agent"
SERVE = ("acp",)
_UVX = re.compile(r"archive-v\d+|environments-v\d+|builds-v\d+")
"""Folders of uv's cache in which ``uvx`` keeps environments, which may be gone tomorrow."""


@dataclass(frozen=True, slots=True)
class Running:
    """The running program: ``sys.argv[0]``, ``sys.executable``, ``sys.prefix``, environment."""

    argv0: str
    executable: str
    prefix: str
    env: Mapping[str, str]


def own_program(running: Running) -> Program:
    """Return the command that starts the server from anywhere, without a PATH of the user's.

    It is the absolute path of ``hermes``, links not followed, so that an upgrade keeps it; from
    ``uvx`` it is ``uvx`` with the same version. ``HERMES_HOME`` goes along where it is set, since
    an editor started from a desktop does not know it. Raises ``ConfigError``.
    """
    home = running.env.get("HERMES_HOME", "")
    env = {"HERMES_HOME": os.path.abspath(os.path.expanduser(home))} if home else {}
    parts = Path(running.prefix).parts
    if any(_UVX.fullmatch(part) for part in parts):
        return Program(_uvx(running.env), ("--from", _requirement(), "hermes", *SERVE), env)
    if "pipx" in parts and ".cache" in parts:
        raise ConfigError(
            "This hermes is kept by `pipx run` for some days only.\n"
            f"Install it with `pipx install {PACKAGE}`, then run the installed one."
        )
    script = _script(running)
    if script is not None:
        return Program(script, SERVE, env)
    return Program(running.executable, ("-P", "-m", "acp_server.cli.main", *SERVE), env)


def _script(running: Running) -> str | None:
    """Return the absolute path of the program ``hermes`` that runs, or of its interpreter's."""
    started = Path(running.argv0)
    if started.name == "hermes":
        found = shutil.which(running.argv0, path=running.env.get("PATH"))
        if found is not None:
            return os.path.abspath(found)
    beside = Path(running.executable).with_name("hermes")
    return str(beside) if os.access(beside, os.X_OK) else None


def _uvx(env: Mapping[str, str]) -> str:
    uv = env.get("UV", "")  # set by uv for what it starts
    beside = Path(uv).with_name("uvx") if uv.startswith("/") else None
    if beside is not None and os.access(beside, os.X_OK):
        return str(beside)
    found = shutil.which("uvx", path=env.get("PATH"))
    if found is None:
        raise ConfigError(
            "This hermes was started by uvx, but uvx is not on the PATH.\n"
            f"Install it with `uv tool install {PACKAGE}`, then run the installed one."
        )
    return os.path.abspath(found)


def _requirement() -> str:
    """Return what to give to ``uvx --from``: this version, or the place that it came from."""
    try:
        found = distribution(PACKAGE)
    except PackageNotFoundError:
        return PACKAGE
    origin = json.loads(found.read_text("direct_url.json") or "{}")  # PEP 610
    url = origin.get("url")
    if not url:
        return f"{PACKAGE}=={found.version}"
    control = origin.get("vcs_info")
    return f"{control['vcs']}+{url}@{control['commit_id']}" if control else str(url)
