"""Where a provider is reached, and who said so."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.providers.named import expanded
from hermes_core.providers.profile import ProviderProfile
from hermes_core.transport import guard

Trust = Literal["given", "saved", "ambient", "built in"]
"""Who chose an address: an argument, the user's files, the process environment, the profile."""

_PASTED = ("/chat/completions", "/completions", "/responses", "/v1/messages", "/messages")
_REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-\d+")
_USUAL_REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Address:
    """An address, who chose it, and why it was taken.

    own_variable: whether it stands in ``.env`` under the provider's own variable.
    ignored: a variable of the process environment that was passed over, or "".
    """

    url: str
    trust: Trust
    reason: str
    own_variable: bool = False
    ignored: str = ""


def address_of(
    profile: ProviderProfile, config: Config, given: str | None, *, is_saved: bool
) -> Address:
    """Return the address: given, saved, from ``.env``, exported, or the provider's own.

    is_saved: whether ``model.base_url`` is about this provider. An exported variable counts only
    where no key is needed or no other address is known: what lies about in a shell must neither
    redirect a saved provider nor break it. Raises ``ConfigError`` if there is no address.
    """
    found = _chosen(profile, config, given, is_saved=is_saved) or _exported(profile, config)
    if found is None:
        found = _built_in(profile, config)
    try:
        url = _meant(profile, tidy(found.url))
    except ConfigError as error:
        where = f"{found.reason}: " if found.trust in ("saved", "ambient") else ""
        raise ConfigError(f"{where}{error}") from None
    return Address(url, found.trust, found.reason, found.own_variable, found.ignored)


def tidy(url: str) -> str:
    """Return an address without what people paste along with it.

    Raises ``ConfigError`` for what is no address, and for one with a query or a fragment: paths
    are added to its end.
    """
    url = url.strip()
    if is_remote(url):
        if "?" in url or "#" in url:
            raise ConfigError(
                "The endpoint's address holds a query or a fragment (? or # and what follows), "
                "which would end up within the path. Leave it out."
            )
        guard.origin(url)
    url = url.rstrip("/")
    for ending in _PASTED:
        url = url.removesuffix(ending)
    return url


def is_remote(url: str) -> bool:
    """Tell whether an address is one of the network, not of a script or a program."""
    return not url.startswith(("scripted:", "acp:"))


def region_of(config: Config) -> str:
    """Return the AWS region. Raises ``ConfigError`` if it does not look like one."""
    names = ("AWS_REGION", "AWS_DEFAULT_REGION")
    region = config.bedrock_region or next(filter(None, map(config.variable, names)), _USUAL_REGION)
    if not _REGION.fullmatch(region):
        raise ConfigError(f"{region!r} is no AWS region. Set bedrock.region, such as us-east-1.")
    return region


def _chosen(
    profile: ProviderProfile, config: Config, given: str | None, *, is_saved: bool
) -> Address | None:
    if given:
        return Address(expanded(given, config), "given", "given")
    if profile.entry is not None:
        if not profile.base_url:
            return None
        return Address(
            expanded(profile.base_url, config), "saved", f"{profile.name} in config.yaml"
        )
    if config.base_url and is_saved:
        url = expanded(config.base_url, config)
        return Address(url, "saved", "model.base_url in config.yaml")
    for name in profile.url_envs:
        if config.user_env.get(name):
            return Address(config.user_env[name], "saved", f"{name} in .env", own_variable=True)
    return None


def _exported(profile: ProviderProfile, config: Config) -> Address | None:
    if (profile.base_url and not profile.key_optional) or profile.auth == "process":
        return None
    for name in profile.url_envs:
        if config.env.get(name):
            return Address(config.env[name], "ambient", f"{name} in the environment")
    return None


def _built_in(profile: ProviderProfile, config: Config) -> Address:
    if not profile.base_url:
        raise ConfigError(_missing(profile))
    url = profile.base_url
    if "{region}" in url:
        url = url.replace("{region}", region_of(config))
    passed = next((name for name in profile.url_envs if config.env.get(name)), "")
    return Address(url, "built in", "built in", ignored=passed)


def _missing(profile: ProviderProfile) -> str:
    if profile.entry is not None:
        return f"{profile.name} has no address. Set base_url in its entry in config.yaml."
    also = "".join(f" or {name} in .env" for name in profile.url_envs)
    return f"The provider {profile.name} needs an address. Set model.base_url in config.yaml{also}."


def _meant(profile: ProviderProfile, url: str) -> str:
    """Return the address that is meant by one that ends in what people also write."""
    path = urlsplit(url).path
    for ending, meant in profile.url_endings:
        if path == ending or (ending and path.endswith(ending)):
            return url.removesuffix(ending) + meant
    return url
