"""The PATH of the user's login shell, for an editor that was started from a desktop.

A desktop hands its programs a short PATH, without what the user's shell files add to it.
"""

import os
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path

from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt

TIME_LIMIT = 5.0
"""Seconds that the user's shell files may take."""

RESOLVING = "HERMES_RESOLVING_ENVIRONMENT"
"""Set while the shell is asked, so that shell files can skip what is slow or interactive."""

_PASSED = ("LANG", "TMPDIR")
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_NO_SHELLS = ("false", "nologin", "sync", "true")


class LoginPath:
    """Asks the login shell once; whoever comes meanwhile waits for the same answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._answer: str | None = None

    def get(self, env: Mapping[str, str]) -> str | None:
        """Return the login shell's PATH; None if it does not tell, or a shell has started us."""
        if "SHLVL" in env:
            return None
        with self._lock:
            if not self._asked:
                shell = login_shell()
                self._answer = ask_path(shell, env) if shell else None
                self._asked = True
            return self._answer


LOGIN_PATH = LoginPath()
"""The process's own."""


def login_shell() -> str | None:
    """Return the shell of the user's account; ``$SHELL`` may come from elsewhere."""
    import pwd

    try:
        shell = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return None
    usable = os.path.isabs(shell) and os.path.basename(shell) not in _NO_SHELLS
    return shell if usable and os.access(shell, os.X_OK) else None


def ask_path(shell: str, env: Mapping[str, str]) -> str | None:
    """Start ``shell`` as a login shell and return its PATH; None if it does not tell in time.

    Its home and first PATH are those of the account: others could come from a project, and with
    them the files that it reads and the programs that these run.
    """
    from hermes_core.local.capture import capture

    mark = f"hermes-{secrets.token_hex(8)}"
    script = f"echo {mark}; printenv PATH; echo {mark}"
    passed = with_account({name: env[name] for name in _PASSED if name in env})
    try:
        answer = capture(
            [shell, "-l", "-i", "-c", script],
            Path("/"),
            env={**passed, "PATH": _PATH, "SHELL": shell, "TERM": "dumb", RESOLVING: "1"},
            timeout=TIME_LIMIT,
            max_bytes=200_000,
            interrupt=Interrupt(),
        )
    except HermesError:
        return None
    parts = answer.stdout.decode(errors="surrogateescape").split(mark)
    return parts[1].strip() or None if len(parts) == 3 else None


def with_account(env: Mapping[str, str]) -> dict[str, str]:
    """Return ``env`` with what it lacks of the user's home and name."""
    import pwd

    try:
        account = pwd.getpwuid(os.getuid())
    except KeyError:
        return dict(env)
    names = {"USER": account.pw_name, "LOGNAME": account.pw_name}
    return {"HOME": account.pw_dir, **names, **env}


def merge_paths(own: str, login: str | None) -> str:
    """Return ``own`` enriched by the login shell's PATH; relative entries are dropped.

    The login shell's order decides. What stands in ``own`` before the first folder that both
    know was put there on purpose, by an environment of the project for example, and stays first.
    """
    mine, theirs = _entries(own), _entries(login or "")
    shared = next((i for i, entry in enumerate(mine) if entry in theirs), 0)
    return ":".join(dict.fromkeys([*mine[:shared], *theirs, *mine[shared:]]))


def _entries(path: str) -> list[str]:
    return [entry for entry in path.split(":") if os.path.isabs(entry)]
