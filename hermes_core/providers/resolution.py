"""Which provider, address, key and model are used: a pure function with a trail of its reasons.

Order: what was asked for, then ``config.yaml``, then the environment, then the provider's own
values or, if no provider is named anywhere, the first one with a key. What the user saved is not
overridden by a variable that happens to be exported.

Where keys may go:

- ``model.api_key`` goes to the host it was saved with.
- A provider's variable goes to that provider's host. Where the address is the user's to choose
  (``custom``, servers on the own machine), it goes to the address that the user gave or saved,
  but not to the host of another known provider.
- Nothing but a key given with it goes to an address from the process environment: that may come
  from the project that is being worked on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal, Protocol

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import list_providers
from hermes_core.transport import guard

Trust = Literal["given", "saved", "ambient", "built in"]
"""Who chose an address: an argument, the user's files, the process environment, the profile."""

DEFAULT_WINDOW = 128_000
"""Tokens that a model is taken to hold when ``model.context_length`` does not say."""

_NO_KEY = Secret("")
_AUTO = "auto"
_PASTED = ("/chat/completions", "/completions")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for explicitly: by arguments, or for one session."""

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: Secret | None = None
    api_mode: ApiMode | None = None


class Stored(Protocol):
    """What resolution reads of a stored credential."""

    @property
    def token(self) -> Secret: ...

    @property
    def source(self) -> str: ...

    @property
    def id(self) -> str: ...

    @property
    def base_url(self) -> str | None: ...

    @property
    def auth(self) -> Literal["bearer", "x-api-key"]: ...


def resolve(
    request: Request,
    config: Config,
    providers: Sequence[ProviderProfile] | None = None,
    credentials: Mapping[str, Sequence[Stored]] = MappingProxyType({}),
) -> Runtime:
    """Return the runtime for ``request``; ``providers`` defaults to those known in the home.

    credentials: what is stored for each provider, by canonical name, the preferred one first.
    Raises ``NoCredentials`` or ``ConfigError``, whose texts say what to do next.
    """
    known = list_providers(config.home) if providers is None else providers
    return _Resolution(request, config, known, credentials).runtime()


class _Resolution:
    """One run of the rules."""

    def __init__(
        self,
        request: Request,
        config: Config,
        known: Sequence[ProviderProfile],
        credentials: Mapping[str, Sequence[Stored]],
    ) -> None:
        self._request = request
        self._config = config
        self._known = known
        self._credentials = credentials
        self._trail: list[str] = []
        self._saved = self._saved_provider()
        self._profile = self._choose()

    def runtime(self) -> Runtime:
        profile = self._profile
        base_url, trust = self._address()
        key = self._key(base_url, trust)
        model = self._model()
        runtime = Runtime(
            provider=profile.name,
            model=model,
            api_mode=self._request.api_mode or profile.api_mode,
            base_url=base_url,
            api_key=key,
            hosts=frozenset({guard.host_of(base_url)}) if key else frozenset(),
            plain_http=trust in ("given", "saved"),
            source=tuple(self._trail),
            headers=profile.headers,
            compat=profile.compat,
            context_window=self._window(model),
        )
        if not _is_scripted(base_url):
            guard.check(runtime, base_url)
        return runtime

    # The provider

    def _saved_provider(self) -> ProviderProfile | None:
        """Return the provider that config.yaml is about, if it is about a known one."""
        if self._is_named():
            return self._find(self._config.provider or "")
        return self._find("custom") if self._config.base_url else None

    def _is_named(self) -> bool:
        return self._config.provider not in (None, "", _AUTO)

    def _choose(self) -> ProviderProfile:
        asked = self._request.provider
        variable = self._config.variable("HERMES_INFERENCE_PROVIDER")
        if asked and asked != _AUTO:
            return self._take(self._named(asked, "the request"), "asked for")
        if self._request.base_url:
            return self._take(self._named("custom", ""), "an address was given")
        if self._is_named() and asked != _AUTO:
            where = "model.provider in config.yaml"
            return self._take(self._named(self._config.provider or "", where), where)
        if self._saved and asked != _AUTO:
            return self._take(self._saved, "model.base_url in config.yaml")
        if variable and variable != _AUTO:
            name = "HERMES_INFERENCE_PROVIDER"
            return self._take(self._named(variable, name), self._place_of(name))
        return self._choose_by_key()

    def _choose_by_key(self) -> ProviderProfile:
        custom = self._find("custom")
        if custom and custom.base_url_env and self._config.user_env.get(custom.base_url_env):
            return self._take(custom, f"auto: {custom.base_url_env} in .env")
        for profile in self._known:
            if profile.key_optional:
                continue
            for name in profile.key_envs:
                if self._config.variable(name):
                    return self._take(profile, f"auto: {name} is set")
        if self._config.api_key:
            raise ConfigError(
                "model.api_key is set, but not whose key it is. Set model.provider in config.yaml."
            )
        names = [p.key_envs[0] for p in self._known if p.key_envs and not p.key_optional]
        variables = " or ".join([*names, "another provider's key"][:2])
        raise NoCredentials(
            f"No model provider is set up. Put {variables} into {self._config.home / '.env'}, set "
            "model.base_url in config.yaml, or run `hermes demo` to look around without a key."
        )

    def _take(self, profile: ProviderProfile, reason: str) -> ProviderProfile:
        self._trail.append(f"provider {profile.name}: {reason}")
        return profile

    def _named(self, name: str, where: str) -> ProviderProfile:
        profile = self._find(name)
        if profile is not None:
            return profile
        names = [profile.name for profile in self._known]
        near = get_close_matches(name.lower(), names, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(names)}."
        raise ConfigError(f"There is no provider {name!r} (from {where or 'the defaults'}). {hint}")

    def _find(self, name: str) -> ProviderProfile | None:
        wanted = name.strip().lower()
        by_alias = (p for p in self._known if wanted in p.aliases)
        return next((p for p in self._known if p.name.lower() == wanted), next(by_alias, None))

    # The address

    def _address(self) -> tuple[str, Trust]:
        profile, config = self._profile, self._config
        variable = profile.base_url_env or ""
        found: tuple[str | None, Trust, str]
        if self._request.base_url:
            found = (self._request.base_url, "given", "given")
        elif config.base_url and profile is self._saved:
            found = (config.base_url, "saved", "model.base_url in config.yaml")
        elif variable and config.variable(variable):
            trust: Trust = "saved" if config.user_env.get(variable) else "ambient"
            found = (config.variable(variable), trust, self._place_of(variable))
        else:
            found = (profile.base_url, "built in", "built in")
        url, trust, reason = found
        if not url:
            also = f" or {variable} in .env" if variable else ""
            raise ConfigError(
                f"The provider {profile.name} needs an address. Set model.base_url in "
                f"config.yaml{also}."
            )
        url = _tidy(url)
        self._trail.append(f"address {url}: {reason}")
        return url, trust

    # The key

    def _key(self, base_url: str, trust: Trust) -> Secret:
        if _is_scripted(base_url):
            return _NO_KEY
        key, reason = self._find_key(base_url, trust)
        self._trail.append(f"key: {reason}")
        if not key and not self._profile.key_optional:
            raise NoCredentials(self._missing_key(base_url, reason))
        return _checked(key, reason)

    def _find_key(self, base_url: str, trust: Trust) -> tuple[Secret, str]:
        config, profile = self._config, self._profile
        host = guard.host_of(base_url)
        if self._request.api_key:
            return self._request.api_key, "given"
        if trust == "ambient":
            return _NO_KEY, "none: the address comes from the process environment"
        if config.api_key and profile is self._saved and host == self._saved_host():
            return config.api_key, "model.api_key in config.yaml"
        owner = self._owner_of(host) or (profile if self._goes_anywhere(profile) else None)
        for name in owner.key_envs if owner else ():
            value = config.variable(name)
            if value:
                return Secret(value), self._place_of(name)
        return _NO_KEY, "none"

    def _saved_host(self) -> str | None:
        """Return the host that model.api_key was saved with."""
        url = self._config.base_url or (self._saved.base_url if self._saved else None)
        return guard.host_of(_tidy(url)) if url and not _is_scripted(url) else None

    def _owner_of(self, host: str) -> ProviderProfile | None:
        """Return the known provider that lives at ``host``."""
        for profile in self._known:
            url = profile.base_url
            if url and not _is_scripted(url) and guard.host_of(url) == host:
                return profile
        return None

    def _goes_anywhere(self, profile: ProviderProfile) -> bool:
        """Tell whether the user says where this provider's server is."""
        url = profile.base_url
        return not url or guard.is_loopback(guard.origin(url)[1])

    def _missing_key(self, base_url: str, reason: str) -> str:
        profile, home = self._profile, self._config.home
        names = " or ".join(profile.key_envs) or "model.api_key"
        host = guard.host_of(base_url)
        if self._owner_of(host) is not profile and reason == "none":
            return (
                f"There is no key for {host}: {names} goes to {profile.name}'s own host alone. "
                "Set model.api_key beside model.base_url in config.yaml."
            )
        where = f" Get one at {profile.signup_url}." if profile.signup_url else ""
        return (
            f"There is no key for {profile.name}. Put {names} into {home / '.env'}, or run "
            f"`hermes demo` to look around without one.{where}"
        )

    # The model

    def _model(self) -> str:
        config, profile = self._config, self._profile
        saved_for_this = profile is self._saved
        if self._request.model:
            return self._taken(self._request.model, "asked for")
        unclaimed = self._saved is None and profile.default_model is None
        if config.model and (saved_for_this or unclaimed):
            return self._taken(config.model, "model.default in config.yaml")
        if profile.default_model:
            return self._taken(profile.default_model, "built in")
        if config.model and self._saved:
            raise ConfigError(
                f"No model is set for {profile.name}: model.default in config.yaml is for "
                f"{self._saved.name}. Give one with --model."
            )
        raise ConfigError(
            f"No model is set for {profile.name}. Set model.default in config.yaml, or give one "
            "with --model."
        )

    def _taken(self, model: str, reason: str) -> str:
        self._trail.append(f"model {model}: {reason}")
        return model

    def _window(self, model: str) -> int:
        own = self._config.context_window if model == self._config.model else None
        return own or DEFAULT_WINDOW

    def _place_of(self, variable: str) -> str:
        stored = bool(self._config.user_env.get(variable))
        return f"{variable} in {'.env' if stored else 'the environment'}"


def _is_scripted(url: str) -> bool:
    return url.startswith("scripted:")


def _tidy(url: str) -> str:
    """Return an address without what people paste along with it."""
    url = url.strip().rstrip("/")
    for ending in _PASTED:
        url = url.removesuffix(ending)
    if not _is_scripted(url):
        guard.origin(url)
    return url


def _checked(key: Secret, reason: str) -> Secret:
    value = key.reveal().strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(
            f"The key ({reason}) has characters that no key has. Copy it again, without quotes."
        )
    return Secret(value)
