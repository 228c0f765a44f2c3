"""The environment of commands: a short list of harmless variables, and no keys."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from hermes_core.local.config import Config
from hermes_core.local.homes import project_folders
from hermes_core.local.login_shell import LOGIN_PATH, merge_paths, with_account

_PASSED = ("HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_FIXED = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
}


def child_environment(config: Config) -> dict[str, str]:
    """Return the environment that commands get, made from the snapshot in ``config``.

    It holds the locale, the user's name and folders, PATH, settings that keep programs from
    asking or paging, and what ``terminal.env_passthrough`` names. If the editor was started from a
    desktop, PATH is enriched by that of the login shell: the first call waits for it, 5 s at most,
    and is therefore best made early, in the background.
    """
    env = {name: config.env[name] for name in _PASSED if config.env.get(name)}
    env.update({n: v for n, v in config.env.items() if n.startswith("LC_")})
    if not os.path.isabs(env.get("TMPDIR", "/")):
        del env["TMPDIR"]
    env = with_account(env)
    own = config.env.get("PATH") or _DEFAULT_PATH
    env["PATH"] = merge_paths(own, LOGIN_PATH.get(config.env)) or _DEFAULT_PATH
    env.update(_FIXED)
    for name in config.terminal_env_passthrough:
        value = config.variable(name)
        if value is not None:
            env[name] = value
    return env


_distrusted: set[Path] = set()


def distrust(roots: Iterable[Path], config: Config) -> None:
    """Find no program in the projects of these folders from now on, in this whole process.

    An environment may name folders of a project in its PATH, for its commands. What we run
    ourselves, such as git for snapshots, runs unasked, and would be the project's.
    """
    for root in roots:
        _distrusted.update(project_folders(root, config.env))


def find_program(name: str, path: str) -> str | None:
    """Return the program ``name`` in the absolute folders of ``path``, or None.

    It is one that we may run unasked: none of an open project, see ``distrust``.
    """
    if "/" in name:
        return None
    for folder in filter(None, merge_paths(path, None).split(":")):
        found = shutil.which(name, path=folder)
        if found and not _is_of_project(found):
            return found
    return None


def _is_of_project(program: str) -> bool:
    places = (Path(program), Path(os.path.realpath(program)))
    return any(place.is_relative_to(one) for place in places for one in _distrusted)
