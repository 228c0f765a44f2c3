"""``hermes acp --setup``: the doctor's report and, in a terminal, a first provider.

Editors start this for the authentication method of type ``terminal``: exit code 0 means that a
prompt can be sent now. Nothing that stands in a settings file is changed (see ``settings``).
"""

import os
import sys
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path

from acp_server.cli.console import Failure, is_terminal, say
from acp_server.cli.doctor import show
from acp_server.cli.printable import visible_line
from acp_server.cli.settings import add_model, add_variable
from hermes_core.commands.checks import Report, examine, resolved
from hermes_core.local.config import Config

MENU = """\
Choose a provider:
  1  OpenRouter, with a key from https://openrouter.ai/keys
  2  an OpenAI-compatible endpoint of your own, such as a local server
Enter leaves everything as it is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose: the section ``model``, and the variable that holds the key."""

    model: dict[str, str]
    variable: str
    key: str


def run_setup(provider: str | None, model: str | None) -> int:
    """Tell what is configured; if that is not enough, ask. Return 0 if a prompt can be sent."""
    report = _examine(provider, model)
    show(report)
    if report.ready:
        return 0
    lacking = any(one.mark == "bad" and one.about == "provider" for one in report.findings)
    if report.config is None or not lacking:
        return 1
    if not is_terminal(sys.stdin):
        say("There is no terminal here, so no provider can be asked for.")
        return 1
    try:
        choice = _ask(report.config)
    except EOFError:
        choice = None
    if choice is None:
        say("Nothing was changed.")
        return 1
    _save(report.config.home, report.config, choice)
    report = _examine(provider, model)
    show(report)
    return 0 if report.ready else 1


def _examine(provider: str | None, model: str | None) -> Report:
    return examine(os.environ, lambda config: resolved(config, provider, model))


def _ask(config: Config) -> Choice | None:
    say(f"\n{MENU}")
    while number := _line("Number"):
        if number == "1":
            return _openrouter(config)
        if number == "2":
            return _own_endpoint()
        say("There is 1 and 2; Enter alone leaves.")
    return None


def _openrouter(config: Config) -> Choice | None:
    key = getpass("Key (not shown): ").strip()
    if not key:
        return None
    model = _line("Model, for example anthropic/claude-sonnet-4.5", config.model)
    if not model:
        return None
    return Choice({"provider": "openrouter", "default": model}, _variable("openrouter"), key)


def _own_endpoint() -> Choice | None:
    while url := _line("URL, for example http://localhost:8000/v1"):
        if _is_url(url):
            break
        say(f"{visible_line(url)} is not a URL of an endpoint: http:// or https://, and a host.")
    if not url:
        return None
    model = _line("Model")
    if not model:
        return None
    key = getpass("Key, if it needs one (not shown): ").strip()
    values = {"provider": "custom", "base_url": url, "default": model}
    return Choice(values, _variable("custom"), key)


def _is_url(url: str) -> bool:
    from hermes_core.ground.errors import ConfigError
    from hermes_core.transport.guard import origin

    try:
        origin(url)
    except ConfigError:
        return False
    return True


def _variable(provider: str) -> str:
    """Return the name under which the provider's key is looked for."""
    from hermes_core.providers.registry import get_provider_profile

    profile = get_provider_profile(provider)
    if profile is None or not profile.key_envs:
        raise Failure(f"The provider {provider} takes no key.", "Choose another one.")
    return profile.key_envs[0]


def _line(what: str, default: str | None = None) -> str:
    say(f"{what}{f' [{default}]' if default else ''}: ", end="")
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.strip() or default or ""


def _save(home: Path, config: Config, choice: Choice) -> None:
    """Write the key first, so that what a failure leaves behind is harmless."""
    if choice.key:
        add_variable(home, choice.variable, choice.key)
    chosen = (config.provider, config.model, config.base_url)
    values = choice.model
    if chosen != (values["provider"], values["default"], values.get("base_url")):
        add_model(home, values)
    say()
