"""``hermes auth import``: using a login that another program has made."""

import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore, section
from hermes_core.providers.credentials import CLAUDE_CODE, SUPPRESSED
from hermes_core.providers.grants import Grant, write_grant
from hermes_core.providers.imports import (
    claude_code_path,
    codex_path,
    github_token,
    qwen_path,
    read_claude_code,
    read_codex,
    read_qwen,
)
from hermes_core.providers.logins import LOGINS, Login
from hermes_core.providers.pool import forget_notes


def import_login(config: Config, provider: str, interrupt: Interrupt) -> str:
    """Take over a login that another program has made, and return what to tell.

    Raises ``NoCredentials`` if there is none, ``ConfigError``, and ``Interrupted``.
    """
    take = _IMPORTS.get(provider)
    if take is None:
        known = ", ".join(_IMPORTS)
        raise ConfigError(
            f"No other program's login is known for {provider}. There are imports for {known}."
        )
    return take(config, interrupt)


def store_long_lived(config: Config, login: Login, token: Secret, source: str) -> str:
    """Store a token that is traded before each use, and return what to tell."""
    if token.reveal().startswith("ghp_"):
        raise ConfigError(
            "GitHub's classic tokens (ghp_) are not accepted by Copilot. Log in with `gh auth "
            "login`, then run `hermes auth import copilot`."
        )
    write_login(config, login.provider, Grant(token, Secret("")), source)
    return f"The token for {login.provider} is stored in {AuthStore(config.home).path}."


def write_login(
    config: Config, provider: str, grant: Grant, source: str, shape: dict[str, Any] | None = None
) -> None:
    """Store a login; it takes the place of an older one, whose end is forgotten.

    source: where it came from; shape: an object to start from.
    """
    store = AuthStore(config.home)
    with store.locked():
        data = store.read()
        state: dict[str, Any] = {**(shape or {}), "source": source}
        write_grant(state, grant)
        state["last_refresh"] = datetime.now(UTC).isoformat()
        section(data, "providers")[provider] = state
        data["active_provider"] = provider
        forget_notes(data, provider, ":oauth")
        store.write(data)


def _import_claude_code(config: Config, _interrupt: Interrupt) -> str:
    path = claude_code_path(config)
    if read_claude_code(path) is None:
        keychain = (
            "On macOS Claude Code keeps its login in the Keychain, which is not read: run "
            "`claude setup-token` and put the token into CLAUDE_CODE_OAUTH_TOKEN in .env."
        )
        advice = keychain if sys.platform == "darwin" else "Log in with `claude`, then try again."
        raise NoCredentials(f"There is no login of Claude Code in {path}. {advice}")
    store = AuthStore(config.home)
    with store.locked():
        data = store.read()
        section(section(data, "providers"), "anthropic")["source"] = CLAUDE_CODE
        suppressed = data.get(SUPPRESSED)
        if isinstance(suppressed, dict) and isinstance(suppressed.get("anthropic"), list):
            ours = [source for source in suppressed["anthropic"] if source != CLAUDE_CODE]
            suppressed["anthropic"] = ours
        forget_notes(data, "anthropic", f":{CLAUDE_CODE}")
        store.write(data)
    return (
        f"Claude Code's login in {path} is used from now on. It stays there, and is renewed there."
    )


def _import_codex(config: Config, _interrupt: Interrupt) -> str:
    path = codex_path(config)
    grant = read_codex(path)
    if grant is None:
        raise NoCredentials(f"There is no login of Codex in {path}. Run `codex login` first.")
    write_login(config, "openai-codex", grant, "codex", {"tokens": {}})
    return f"The login of Codex is copied from {path} to {AuthStore(config.home).path}."


def _import_qwen(config: Config, _interrupt: Interrupt) -> str:
    path = qwen_path(config)
    grant = read_qwen(path)
    if grant is None:
        raise NoCredentials(f"There is no login of Qwen Code in {path}.")
    write_login(config, "qwen-oauth", grant, "qwen-code")
    return (
        f"The login of Qwen Code is copied from {path} to {AuthStore(config.home).path}. Its free "
        "use ended on 2026-04-15."
    )


def _import_gh(config: Config, interrupt: Interrupt) -> str:
    token = github_token(config, interrupt)
    return store_long_lived(config, LOGINS["copilot"], token, "gh")


_IMPORTS: Mapping[str, Callable[[Config, Interrupt], str]] = {
    "anthropic": _import_claude_code,
    "openai-codex": _import_codex,
    "copilot": _import_gh,
    "qwen-oauth": _import_qwen,
}
