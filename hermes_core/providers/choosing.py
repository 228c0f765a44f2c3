"""Which provider is meant."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.typed import quoted
from hermes_core.local.config import Config
from hermes_core.providers.credentials import Credentials
from hermes_core.providers.directory import Directory
from hermes_core.providers.missing import no_provider
from hermes_core.providers.named import entry_at, entry_of, find_provider, profile_of
from hermes_core.providers.profile import ProviderProfile

AUTO = "auto"
VARIABLE = "HERMES_INFERENCE_PROVIDER"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The provider and why. saved: the one that ``model`` in config.yaml is about, if any."""

    profile: ProviderProfile
    reason: str
    saved: ProviderProfile | None = None

    @property
    def is_saved(self) -> bool:
        """Whether it is the saved one."""
        return self.saved is not None and self.saved.name == self.profile.name


def choose(
    provider: str | None,
    base_url: str | None,
    config: Config,
    directory: Directory,
    credentials: Credentials,
) -> Chosen:
    """Return the provider: asked for, of an address that was given, saved, exported, or ``auto``.

    Raises ``ConfigError`` for a name that nobody has, ``NoCredentials`` if ``auto`` finds none.
    """
    search = _Search(config, directory, credentials)
    profile, reason = search.run(provider, base_url)
    if profile.entry is not None and not profile.entry.enabled:
        raise ConfigError(
            f"{profile.name} is switched off in config.yaml (enabled: false). Set it to true, or "
            "choose another provider."
        )
    if profile.entry is None and entry_of(config, profile.name.lower()) is not None:
        reason = f"{reason}; your own endpoint of that name is custom:{profile.name}"
    return Chosen(profile, reason, search.saved)


class _Search:
    def __init__(self, config: Config, directory: Directory, credentials: Credentials) -> None:
        self._config = config
        self._directory = directory
        self._credentials = credentials
        self._is_named = config.provider not in (None, "", AUTO)
        self.saved = self._saved()

    def run(self, asked: str | None, base_url: str | None) -> tuple[ProviderProfile, str]:
        config, where = self._config, "model.provider in config.yaml"
        variable = config.variable(VARIABLE)
        if asked and asked != AUTO:
            return self._named(asked, "the request", base_url), "asked for"
        if base_url:
            return self._named("custom", "", base_url), "an address was given"
        if asked != AUTO and self._is_named:
            return self.saved or self._named(config.provider or "", where), where
        if asked != AUTO and self.saved:
            return self.saved, "model.base_url in config.yaml"
        if variable and variable != AUTO:
            return self._named(variable, VARIABLE), f"{VARIABLE} {self._place_of(VARIABLE)}"
        return self._first_with_key()

    def _saved(self) -> ProviderProfile | None:
        """Return the provider that config.yaml is about, if it is about a known one."""
        name = self._config.provider if self._is_named else None
        if name is None and not self._config.base_url:
            return None
        return self._meant(name or "custom", self._config.base_url)

    def _meant(self, name: str, base_url: str | None) -> ProviderProfile | None:
        """Return the provider of that name; a bare ``custom`` gets its identity back."""
        found = find_provider(name, self._config, self._directory)
        if found is not None and found.name == "custom":
            entry = entry_at(self._config, base_url)
            return profile_of(entry, self._directory) if entry else found
        return found

    def _named(self, name: str, where: str, base_url: str | None = None) -> ProviderProfile:
        profile = self._meant(name, base_url or (None if where else self._config.base_url))
        if profile is not None:
            return profile
        own = [f"custom:{entry.name}" for entry in self._config.providers]
        names = [*self._directory.index.names, *own]
        near = get_close_matches(name.lower(), [*names, *self._directory.index.aliases], n=1)
        hint = f"Did you mean {near[0]}?" if near else "`hermes providers` lists all of them."
        raise ConfigError(
            f"There is no provider {quoted(name)} (from {where or 'the defaults'}). {hint}"
        )

    def _first_with_key(self) -> tuple[ProviderProfile, str]:
        """Return what ``auto`` means.

        Order: an address in ``.env``, then keys in ``.env``, then what is stored, then keys in the
        process environment, each in the order of the providers' places. A provider that is on the
        user's own machine, and one whose variables serve other programs too, is never taken.
        """
        config = self._config
        custom = self._directory.get("custom")
        for name in custom.url_envs if custom else ():
            if custom and config.user_env.get(name):
                return custom, f"auto: {name} in .env"
        found = self._by_variable(config.user_env) or self._by_login()
        found = found or self._by_variable(config.env)
        if found is not None:
            return found
        if config.api_key:
            raise ConfigError(
                "model.api_key is set, but not whose key it is. Set model.provider in config.yaml."
            )
        raise no_provider(config, list(self._unasked()))

    def _unasked(self) -> Iterator[tuple[str, str]]:
        """Yield the keys in ``.env`` that are for providers which ``auto`` never takes."""
        tried = {provider for provider, _ in self._directory.index.auto}
        for name in sorted(self._directory.index.names):
            profile = None if name in tried else self._directory.get(name)
            for variable in profile.key_envs if profile else ():
                if self._config.user_env.get(variable):
                    yield variable, name

    def _by_variable(self, variables: Mapping[str, str]) -> tuple[ProviderProfile, str] | None:
        for provider, names in self._directory.index.auto:
            name = next((name for name in names if variables.get(name)), None)
            profile = self._directory.get(provider) if name else None
            if profile is not None:
                return profile, f"auto: {name} is set"
        return None

    def _by_login(self) -> tuple[ProviderProfile, str] | None:
        order = dict.fromkeys(provider for provider, _ in self._directory.index.auto)
        order |= dict.fromkeys(self._credentials)
        for provider in sorted(order, key=lambda name: not self._is_last(name)):
            stored = [one for one in self._credentials.get(provider, ()) if not one.ambient]
            profile = find_provider(provider, self._config, self._directory) if stored else None
            if stored and profile is not None:
                return profile, f"auto: {stored[0].source}"
        return None

    def _is_last(self, provider: str) -> bool:
        return any(one.last for one in self._credentials.get(provider, ()))

    def _place_of(self, variable: str) -> str:
        return "in .env" if self._config.user_env.get(variable) else "in the environment"
