"""Logins that other programs on this machine have made.

Claude Code's is used where it stands: its refresh tokens serve once, so a copy would end either
program's login. Codex's and GitHub's are copied by ``hermes auth import``.
"""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.local.files import write_atomically
from hermes_core.providers.grants import Grant, moment, read_grant, text

MAX_BYTES = 1_000_000
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GH_SECONDS = 10.0


def claude_code_path(config: Config) -> Path:
    """Return where Claude Code keeps its login on this machine."""
    folder = config.env.get("CLAUDE_CONFIG_DIR")
    return (Path(folder) if folder else _user_home(config) / ".claude") / ".credentials.json"


def read_claude_code(path: Path) -> Grant | None:
    """Return Claude Code's login; None without one.

    Raises ``ConfigError`` for a file that is damaged or somebody else's.
    """
    login = _read(path).get("claudeAiOauth")
    if not isinstance(login, Mapping):
        return None
    access, refresh = Secret(text(login, "accessToken")), Secret(text(login, "refreshToken"))
    for secret in (access, refresh):
        REDACTOR.register(secret)
    if not access and not refresh:
        return None
    return Grant(access, refresh, expires=moment(login.get("expiresAt")))


def write_claude_code(path: Path, grant: Grant) -> None:
    """Put renewed tokens into Claude Code's file, all else in it left as it is.

    Raises ``ConfigError`` or ``OSError``; the old file is intact then.
    """
    data = dict(_read(path))
    found = data.get("claudeAiOauth")
    login = dict(found) if isinstance(found, Mapping) else {}
    login["accessToken"] = grant.access.reveal()
    login["refreshToken"] = grant.refresh.reveal()
    if grant.expires is not None:
        login["expiresAt"] = int(grant.expires * 1000)
    data["claudeAiOauth"] = login
    write_atomically(path, json.dumps(data).encode(), 0o600)


def codex_path(config: Config) -> Path:
    """Return where Codex keeps its login on this machine."""
    folder = config.env.get("CODEX_HOME")
    return (Path(folder) if folder else _user_home(config) / ".codex") / "auth.json"


def read_codex(path: Path) -> Grant | None:
    """Return the login that Codex has made; None without one. Raises ``ConfigError``."""
    grant = read_grant({"tokens": _read(path).get("tokens")})
    return replace(grant, client_id=None) if grant else None


def qwen_path(config: Config) -> Path:
    """Return where Qwen Code keeps its login on this machine."""
    return _user_home(config) / ".qwen" / "oauth_creds.json"


def read_qwen(path: Path) -> Grant | None:
    """Return the login that Qwen Code has made; None without one. Raises ``ConfigError``."""
    return read_grant(dict(_read(path)))


def github_token(config: Config, interrupt: Interrupt) -> Secret:
    """Return the token of GitHub's command line tool.

    Raises ``NoCredentials`` if the tool is missing or not logged in, and ``Interrupted``.
    """
    from hermes_core.local.processes import capture, child_environment, find_program

    env = child_environment(config)
    program = find_program("gh", env.get("PATH", ""))
    if program is None:
        raise NoCredentials(
            "GitHub's command line tool `gh` is not on the PATH. Install it, or paste a token: "
            "`hermes auth login copilot --key`."
        )
    host = (config.user_env.get("COPILOT_GH_HOST") or "").strip().removeprefix("https://")
    argv = [program, "auth", "token", *(["--hostname", host.rstrip("/")] if host else [])]
    done = capture(
        argv,
        _user_home(config),
        env=env,
        timeout=_GH_SECONDS,
        max_bytes=10_000,
        interrupt=interrupt,
    )
    token = Secret(done.stdout.decode(errors="replace").strip())
    REDACTOR.register(token)
    if done.exit_code != 0 or not token:
        raise NoCredentials("`gh` is not logged in. Run `gh auth login`, then try again.")
    return token


def _user_home(config: Config) -> Path:
    home = config.env.get("HOME", "")
    return Path(home) if os.path.isabs(home) else Path.home()


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = _content(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(f"{path} cannot be read: {reason}. Check its permissions.") from None
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} is damaged. Log in again with the program that wrote it.")
    return data


def _content(path: Path) -> bytes:
    file = os.open(path, _OPEN)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise ConfigError(
                f"{path} is not a file of your own, and is not read. Log in again with the "
                "program that it belongs to."
            )
        with open(file, "rb", closefd=False) as stream:
            return stream.read(MAX_BYTES)
    finally:
        os.close(file)
