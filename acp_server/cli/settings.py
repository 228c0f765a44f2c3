"""Adding to the user's settings files. What stands in them stays, byte for byte.

Only what is not there yet is added, at the end; the new file is read back before it takes the
place of the old one. What is there already is the user's to change.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from acp_server.cli.console import Failure

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_VALUE = re.compile(r"[!#-&(-\[\]-~]+")
"""Printable ASCII without spaces, quotes and backslashes: needs no escape in any dialect."""


def add_variable(home: Path, name: str, value: str) -> None:
    """Add ``name`` to ``home/.env``, which only its owner can read. Raises ``Failure``."""
    path = home / ".env"
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        raise Failure(
            "The key holds characters that a key cannot have (spaces, quotes, backslashes).",
            "Copy it again, whole and alone.",
        )
    before = _read(path, _variables)
    if before.get(name):
        raise Failure(
            f"{path} has a line for {name} already; it stays as it is.",
            "Change that line by hand, or take it out, then run this again.",
        )
    _append(path, f"{name}='{value}'\n", {**before, name: value}, _variables, mode=0o600)


def add_model(home: Path, values: Mapping[str, str]) -> None:
    """Add the section ``model`` to ``home/config.yaml``. Raises ``Failure``."""
    path = home / "config.yaml"
    before = _read(path, _yaml)
    lines = [f"  {key}: {json.dumps(value)}\n" for key, value in values.items()]
    if "model" in before:
        wanted = ", ".join(line.strip() for line in lines)
        raise Failure(
            f"{path} has a section 'model' already; it stays as it is.",
            f"Change it by hand, so that it says: {wanted}",
        )
    after = {**before, "model": dict(values)}
    _append(path, "model:\n" + "".join(lines), after, _yaml, mode=None)


def _variables(path: Path) -> dict[str, Any]:
    from hermes_core.local.env_file import read_env

    return dict(read_env(path)[0])


def _yaml(path: Path) -> dict[str, Any]:
    from hermes_core.local.yaml_file import read_yaml

    data = read_yaml(path).data
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise Failure(f"{path} is not a list of settings.", "Correct it by hand first.")
    return data


def _read(path: Path, read: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    return read(path) if path.exists() else {}


def _append(
    path: Path,
    text: str,
    wanted: dict[str, Any],
    read: Callable[[Path], dict[str, Any]],
    *,
    mode: int | None,
) -> None:
    """Write the file with ``text`` at its end, if that reads as ``wanted``."""
    from hermes_core.ground.errors import ConfigError
    from hermes_core.local.files import write_atomically

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        old = path.read_bytes() if path.exists() else b""
        gap = b"" if not old or old.endswith(b"\n") else b"\n"
        new = old + gap + text.encode()
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder) / path.name
            trial.touch(mode=0o600)
            trial.write_bytes(new)
            try:
                understood = read(trial) == wanted
            except ConfigError:
                understood = False
        if not understood:
            raise Failure(
                f"{path} is written in a way that nothing can be added to safely.",
                f"Add by hand: {' '.join(text.split())}" if mode is None else "Edit it by hand.",
            )
        write_atomically(path, new, mode)
    except OSError as error:
        raise Failure(
            f"{path} cannot be written: {error.strerror or error}.",
            f"Check the permissions of {os.fspath(path.parent)}.",
        ) from error
