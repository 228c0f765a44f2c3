"""What ``hermes doctor`` looks at: the configuration, the sessions, the programs."""

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hermes_core.ground.errors import ConfigError, StoreError
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config, load_config

DATABASE = "hermes_sessions.db"
PROGRAMS = (
    ("bash", "commands run in sh instead"),
    ("git", "the agent cannot look at history or differences"),
    ("rg", "searches are slower without ripgrep"),
)

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


def examine(environ: Mapping[str, str], resolve: Resolve) -> Report:
    """Look at everything; nothing is changed, and no host is contacted."""
    try:
        config = load_config(environ)
    except ConfigError as error:
        return Report((_python(), _problem("config", error)))
    findings = [
        _python(),
        *_settings(config),
        *_model(config, resolve),
        _sessions(config.home),
        *_programs(config),
    ]
    return Report(tuple(findings), config)


def _python() -> Finding:
    words = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("good", "python", words)


def _problem(about: str, error: Exception) -> Finding:
    """Return an error as a finding; its last sentence is the advice."""
    words, _, advice = str(error).strip().rpartition(". ")
    return Finding("bad", about, f"{words}.", advice) if words else Finding("bad", about, advice)


def _settings(config: Config) -> Iterator[Finding]:
    home = config.home
    there = home.is_dir()
    yield Finding("good", "home", str(home) if there else f"{home} (made at the first session)")
    for name in ("config.yaml", ".env"):
        path = home / name
        yield Finding("good" if path.is_file() else "", name, "read" if path.is_file() else "none")
    for warning in config.warnings:
        yield Finding("odd", "", warning)


def _model(config: Config, resolve: Resolve) -> Iterator[Finding]:
    try:
        runtime = resolve(config)
    except ConfigError as error:
        yield _problem("provider", error)
        return
    yield Finding("good", "provider", runtime.provider)
    yield Finding("good", "model", runtime.model)
    yield Finding("good", "endpoint", runtime.base_url)
    yield Finding("good", "key", "present" if runtime.api_key else "none: asked without one")
    for step in runtime.source:
        yield Finding("", "", step)


def _sessions(home: Path) -> Finding:
    path = home / DATABASE
    if not path.exists():
        return Finding("", "sessions", "none yet")
    from hermes_core.sessions.store import Store

    try:
        store = Store(path)
        try:
            found = store.sessions(limit=1)
        finally:
            store.close()
    except StoreError as error:
        return _problem("sessions", error)
    return Finding("good", "sessions", f"{DATABASE} opens" + ("" if found else ", and is empty"))


def _programs(config: Config) -> Iterator[Finding]:
    from hermes_core.local.processes import child_environment, find_program

    path = child_environment(config).get("PATH", "")
    for name, without in PROGRAMS:
        found = find_program(name, path)
        yield Finding("good", name, found) if found else Finding("odd", name, f"none: {without}")
