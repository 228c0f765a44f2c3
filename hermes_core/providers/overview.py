"""How each provider stands: whether it could be used now, with which key, or what it lacks."""

from collections.abc import Iterator
from dataclasses import dataclass

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.providers.credentials import Credentials
from hermes_core.providers.named import all_providers
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import directory_for
from hermes_core.providers.resolution import NO_CREDENTIALS, Request, resolve


@dataclass(frozen=True, slots=True)
class Standing:
    """One provider for people to read.

    key: where its key comes from, "" if there is none; address: where it would be reached.
    lacking: what is missing and what to do, "" if it could be used now.
    """

    profile: ProviderProfile
    address: str = ""
    key: str = ""
    lacking: str = ""

    @property
    def ready(self) -> bool:
        """Whether it could be used now."""
        return not self.lacking


def overview(config: Config, credentials: Credentials = NO_CREDENTIALS) -> list[Standing]:
    """Return how every provider stands, named endpoints last; no network is used."""
    return [standing_of(profile, config, credentials) for profile in all_providers(config)]


def standing_of(profile: ProviderProfile, config: Config, credentials: Credentials) -> Standing:
    """Return how one provider stands. Its model is not looked at: any would do."""
    request = Request(provider=profile.name, model=profile.default_model or "any")
    try:
        runtime = resolve(request, config, directory_for(config.home), credentials)
    except ConfigError as error:
        return Standing(profile, lacking=str(error))
    key = next(_told(runtime.source, "key: "), "") if runtime.api_key else ""
    return Standing(profile, runtime.base_url, key)


def _told(source: tuple[str, ...], beginning: str) -> Iterator[str]:
    return (step.removeprefix(beginning) for step in source if step.startswith(beginning))
