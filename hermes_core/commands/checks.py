"""What ``hermes doctor`` looks at: the configuration, the sessions, the programs."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from hermes_core.ground.advice import parts_of
from hermes_core.ground.errors import ConfigError, StoreError
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config, load_config
from hermes_core.local.homes import lies_inside
from hermes_core.transport.loopback import is_silent

PROGRAMS = (
    ("bash", "none: commands run in sh instead"),
    ("git", "none: the agent cannot look at history or differences"),
    ("rg", "none on your PATH (ripgrep is optional: faster search)"),
)

TRIAL = 4096
"""Bytes that are written to see whether anything can be; the file has no name."""

Mark = Literal["good", "odd", "bad", ""]
Resolve = Callable[[Config], Runtime]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. ``bad`` keeps a prompt from being sent, ``odd`` does not.

    ``advice``: what to do about it.
    """

    mark: Mark
    about: str
    words: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All findings; ``config`` is None where it could not be read."""

    findings: tuple[Finding, ...]
    config: Config | None = None

    @property
    def ready(self) -> bool:
        """Whether a prompt could be sent."""
        return not any(finding.mark == "bad" for finding in self.findings)


def examine(environ: Mapping[str, str], resolve: Resolve, cwd: Path | None = None) -> Report:
    """Look at everything; nothing is changed, and no other machine is contacted.

    cwd: the folder of a session, the current one by default.
    """
    try:
        config = load_config(environ)
    except ConfigError as error:
        return Report((_python(), _problem("config", error)))
    folder = list(_folder(config.home, environ, cwd))
    if folder:  # a project's settings and plugins are not looked into
        return Report((_python(), *folder), config)
    findings = [
        _python(),
        *_settings(config),
        *_model(config, resolve),
        *_fallbacks(config),
        *_templates(config.home),
        _sessions(config.home),
        *_programs(config),
        *_mcp_servers(config),
    ]
    return Report(tuple(findings), config)


def resolved(config: Config, provider: str | None = None, model: str | None = None) -> Runtime:
    """Return the runtime that a session would use. Raises ``ConfigError``."""
    from hermes_core.providers.credentials import load_credentials, resting
    from hermes_core.providers.resolution import Request, resolve

    request = Request(provider=provider, model=model)
    stored = load_credentials(config)
    return resolve(request, config, credentials=stored, resting=resting(config))


def _python() -> Finding:
    words = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("good", "python", words)


def _problem(about: str, error: Exception) -> Finding:
    """Return an error as a finding, with the advice that its text ends in."""
    return Finding("bad", about, *parts_of(str(error)))


def _folder(home: Path, environ: Mapping[str, str], cwd: Path | None) -> Iterator[Finding]:
    """Tell why the server would not open a session in a folder."""
    try:
        cwd = cwd or Path.cwd()
    except OSError:
        yield Finding(
            "bad", "folder", "The current folder is gone.", "Change to a folder that exists."
        )
        return
    if lies_inside(home, [cwd], environ):
        words = f"HERMES_HOME lies inside the current folder ({cwd}), which sessions refuse."
        yield Finding("bad", "folder", words, "Set HERMES_HOME to a folder elsewhere, or unset it.")


def _settings(config: Config) -> Iterator[Finding]:
    home = config.home
    nearest = next(path for path in (home, *home.parents) if path.exists())
    if problem := _unwritable(nearest, trial=nearest == home):
        yield Finding(
            "bad",
            "home",
            f"{home} cannot be written: {problem}.",
            "Free some space, or set HERMES_HOME to a folder of your own.",
        )
    elif nearest == home:
        yield Finding("good", "home", str(home))
    else:
        yield Finding("good", "home", f"{home} (made when it is needed)")
    for name in ("config.yaml", ".env", "auth.json"):
        path = home / name
        if name == ".env" and _is_open(path):
            words = f"read, and other users can read it too: `chmod 600 {path}` closes it"
            yield Finding("odd", name, words)
        else:
            there = path.is_file()
            yield Finding("good" if there else "", name, "read" if there else "none")
    from hermes_core.providers.registry import problems

    for warning in (*config.warnings, *problems(home)):
        yield Finding("odd", "", warning)


def _is_open(path: Path) -> bool:
    """Tell whether other users can read a file."""
    try:
        file, folder = path.stat(), path.parent.stat()
    except OSError:
        return False
    return any(file.st_mode & bit << 2 and folder.st_mode & bit for bit in (0o001, 0o010))


def _unwritable(folder: Path, *, trial: bool) -> str:
    """Return why nothing can be written into ``folder``, or ``""``; ``trial`` writes a file."""
    if not folder.is_dir():
        return f"{folder} is no folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "permission denied"
    if trial:
        try:
            with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
                file.write(b"x" * TRIAL)
                os.fsync(file.fileno())
        except OSError as error:
            return (error.strerror or str(error)).lower()
    return ""


def _model(config: Config, resolve: Resolve) -> Iterator[Finding]:
    try:
        runtime = resolve(config)
    except ConfigError as error:
        yield _problem("provider", error)
        return
    from hermes_core.commands.providers import aws_credentials

    key = "present" if runtime.api_key else "none, and none needed"
    if runtime.auth == "aws" and not runtime.api_key:
        key = aws_credentials(config) or "none found; the role of a machine may serve"
    if runtime.withheld:
        key = "none is sent; if you trust the address, put it into .env"
    reasons = dict(_reasons(runtime.source))
    silent = is_silent(runtime.base_url)
    if silent is None and runtime.base_url.startswith("http"):
        reasons["address"] = "; ".join(filter(None, (reasons.get("address"), "not contacted")))
    for about, words in (
        ("provider", runtime.provider),
        ("model", runtime.model),
        ("address", runtime.base_url),
        ("key", key),
    ):
        reason = reasons.get(about)
        mark: Mark = "odd" if about == "key" and runtime.withheld else "good"
        yield Finding(mark, about, f"{words}  ({reason})" if reason else words)
    if runtime.auth == "aws" and find_spec("boto3") is None:
        yield Finding(
            "bad",
            "provider",
            "AWS's own credentials need boto3, which is not installed.",
            "Install `hermes-editor-agent[aws]`, or set a Bedrock API key as "
            "AWS_BEARER_TOKEN_BEDROCK.",
        )
    if silent:
        yield Finding(
            "odd" if config.fallback_providers else "bad",
            "address",
            f"Nothing listens at {runtime.base_url}.",
            "Start the server of your model, or correct its address.",
        )


def _fallbacks(config: Config) -> Iterator[Finding]:
    from hermes_core.model.assembly import runtime_for
    from hermes_core.providers.resolution import request_for

    for number, choice in enumerate(config.fallback_providers, 1):
        words = f"{number}. {choice.model} through {choice.provider}"
        try:
            runtime = runtime_for(request_for(choice), config)
        except ConfigError as error:
            yield Finding("odd", "fallback", f"{words}: {parts_of(str(error))[0]}")
            continue
        reason = dict(_reasons(runtime.source)).get("key")
        yield Finding("good", "fallback", f"{words}  ({reason})" if reason else words)


def _reasons(source: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return what each value was decided by: ``provider NAME: reason`` is a step of the trail."""
    for step in source:
        subject, _, reason = step.rpartition(": ")
        about = subject.partition(" ")[0]
        if about and reason != "none":
            yield about, reason


def _templates(home: Path) -> Iterator[Finding]:
    """Tell of prompts of the user's own that cannot be used."""
    from hermes_core.commands.table import COMMANDS
    from hermes_core.local.templates import ENDING, FOLDER, read_templates

    for broken in read_templates(home, frozenset(COMMANDS)).broken:
        yield Finding("odd", FOLDER, f"{broken.name}{ENDING} cannot be used: {broken.why}.")


def _sessions(home: Path) -> Finding:
    from hermes_core.sessions.store import FILE_NAME, Store

    path = home / FILE_NAME
    if not path.exists():
        return Finding("", "sessions", "none yet")
    try:
        store = Store(path)
        try:
            found = store.sessions(limit=1)
        finally:
            store.close()
    except StoreError as error:
        return _problem("sessions", error)
    if store.notices:
        return Finding("odd", "sessions", " ".join(store.notices))
    return Finding("good", "sessions", f"{FILE_NAME} opens" + ("" if found else ", and is empty"))


def _mcp_servers(config: Config) -> Iterator[Finding]:
    """Tell of the MCP servers in the settings; none is started or reached."""
    from hermes_core.commands.mcp import address_of
    from hermes_core.local.processes import child_environment, find_program

    for server in config.mcp_servers:
        words = f"{server.name}: {address_of(server)}"
        if not server.enabled:
            yield Finding("", "mcp server", f"{words} (switched off)")
        elif server.carrier == "stdio" and "/" not in server.command:
            path = dict(server.env).get("PATH") or child_environment(config).get("PATH", "")
            there = find_program(server.command, path)
            missing = f"{server.name}: the program {server.command} is not on your PATH"
            yield (
                Finding("good", "mcp server", words)
                if there
                else Finding("odd", "mcp server", missing)
            )
        else:
            yield Finding("good", "mcp server", words)


def _programs(config: Config) -> Iterator[Finding]:
    from hermes_core.local.processes import child_environment, find_program

    path = child_environment(config).get("PATH", "")
    for name, without in PROGRAMS:
        found = find_program(name, path)
        yield Finding("good", name, found) if found else Finding("odd", name, without)
