"""``providers`` and ``provider``: what each provider needs, what there is, and why one is used."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.local.environment import find_program
from hermes_core.providers.credentials import Credentials, load_credentials
from hermes_core.providers.named import all_providers
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import overrides, problems
from hermes_core.providers.resolution import Request, resolve

_ANY_MODEL = "any"

_AWS_SIGNS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
"""Variables by which AWS's own library finds credentials. A machine's role shows in none."""


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One provider. needs: what it takes to use it. found: where its key is from, "" if nowhere.

    usable: whether a request could be sent. note: what else is to be known, such as its end.
    """

    name: str
    display_name: str
    needs: str
    found: str
    usable: bool
    note: str = ""


def provider_rows(config: Config, credentials: Credentials | None = None) -> list[ProviderRow]:
    """Return every provider that can be chosen; nothing is contacted."""
    stored = load_credentials(config) if credentials is None else credentials
    return [_row(profile, config, stored) for profile in all_providers(config)]


def oddities(config: Config) -> list[str]:
    """Return what is odd: the user's providers in place of bundled ones, and broken ones."""
    return [*overrides(config.home), *problems(config.home)]


def providers_text(config: Config, *, everything: bool = True) -> str:
    """Return the providers as Markdown, those that can be used first.

    everything: whether those that lack something are listed one by one.
    """
    rows = provider_rows(config)
    ready = [f"- `{row.name}`: {row.found}{_noted(row)}" for row in rows if row.usable]
    lacking = [row for row in rows if not row.usable]
    lines = ["Ready:", *(ready or ["- none"])]
    if everything:
        lines += ["", "Not set up, with what each needs:"]
        lines += [f"- `{row.name}`: {row.needs}{_noted(row)}" for row in lacking]
    elif lacking:
        lines += ["", "Not set up: " + ", ".join(f"`{row.name}`" for row in lacking)]
    odd = oddities(config)
    if odd:
        lines += ["", "Odd:", *(f"- {line}" for line in odd)]
    return "\n".join(lines)


def provider_text(runtime: Runtime, chain: Sequence[str] = ()) -> str:
    """Return what is used and the trail of reasons, as Markdown. chain: the fallbacks, in order."""
    lines = [
        f"`{runtime.model}` through `{runtime.provider}` ({runtime.base_url})",
        "",
        *(f"- {step}" for step in runtime.source),
        f"- window: {runtime.context_window:,} tokens",
    ]
    if chain:
        lines += ["", "Fallbacks, in order:", *(f"{i}. {one}" for i, one in enumerate(chain, 1))]
    return "\n".join(lines)


def _row(profile: ProviderProfile, config: Config, stored: Credentials) -> ProviderRow:
    note = profile.legacy
    model = next(filter(None, (profile.default_model, *profile.fallback_models)), _ANY_MODEL)
    try:
        runtime = resolve(Request(provider=profile.name, model=model), config, credentials=stored)
        found = _origin(runtime, config)
    except NoCredentials:
        found = ""
    except ConfigError as error:
        found = ""
        if profile.base_url is not None:  # else the address is what is missing
            note = note or str(error).partition(". ")[0]
    return ProviderRow(
        profile.name, profile.display_name, needs_of(profile), found, bool(found), note
    )


def needs_of(profile: ProviderProfile) -> str:
    """Return what it takes to use a provider, in words."""
    keys = " or ".join(profile.key_envs)
    if profile.auth_kind == "aws":
        own = "AWS's own credentials with the extra `aws`"
        return f"{keys}, or {own}, and a region" if keys else f"{own}, and a region"
    if profile.auth_kind == "process":
        return "its own program, logged in"
    if profile.auth_kind == "none":
        return "nothing"
    login = f"`hermes auth login {profile.name}`"
    if profile.auth_kind in ("oauth", "copilot"):
        return f"{login}, or {keys}" if keys else login
    place = "" if profile.base_url else "model.base_url"
    if profile.key_optional:
        optional = f"{keys} if it wants a key" if keys else ""
        return ", ".join(filter(None, (place, optional))) or "nothing"
    return " and ".join(filter(None, (place, f"{keys or 'a key'}, or {login}")))


def _origin(runtime: Runtime, config: Config) -> str:
    """Return where the key is from, or who else holds the login; "" if nobody seems to."""
    if runtime.auth == "process":
        return _of_program(runtime.option("command") or "copilot", config)
    if runtime.auth == "aws":
        if runtime.api_key:
            return _reason(runtime)
        return "" if find_spec("boto3") is None else aws_credentials(config)
    return _reason(runtime)


def _of_program(name: str, config: Config) -> str:
    path = config.env.get("PATH", "")
    is_there = Path(name).is_file() if "/" in name else find_program(name, path) is not None
    return f"the program {name}, if it is logged in" if is_there else ""


def aws_credentials(config: Config) -> str:
    """Return what AWS's own library will find, in words; "" if there is no sign of anything."""
    variable = next(filter(config.variable, _AWS_SIGNS), None)
    if variable:
        return f"AWS's own credentials: {variable}"
    home = config.env.get("HOME")
    names = [
        name for name in ("credentials", "config") if home and Path(home, ".aws", name).is_file()
    ]
    return f"AWS's own credentials: ~/.aws/{names[0]}" if names else ""


def _reason(runtime: Runtime) -> str:
    for step in runtime.source:
        if step.startswith("key: "):
            reason = step.removeprefix("key: ")
            return "no key, and none needed" if reason.startswith("none") else reason
    return "no key needed"


def _noted(row: ProviderRow) -> str:
    return f". {row.note}" if row.note else ""
