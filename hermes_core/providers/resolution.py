"""Which provider, address, key, model and format are used: a pure function with a trail of reasons.

Order: what was asked for, then ``config.yaml``, then the environment, then the provider's own
values or, if no provider is named anywhere, the first one with a key. What the user saved is not
overridden by a variable that happens to be exported. A provider that was chosen and has no key is
an error, never a slide to another one. ``addresses``, ``keys`` and ``modes`` hold the rules.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.speeds import Speed
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice
from hermes_core.providers.addresses import Address, address_of, is_remote, region_of, tidy
from hermes_core.providers.choosing import Chosen, choose
from hermes_core.providers.credentials import Credentials
from hermes_core.providers.directory import Directory, directory_of, lives_at
from hermes_core.providers.keys import Asked, Key, Keys, auth_of, is_at_own
from hermes_core.providers.missing import no_key, no_model
from hermes_core.providers.modes import Endpoint, compat_of, mode_of, speeds_of
from hermes_core.providers.named import expanded
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import directory_for
from hermes_core.transport import guard

DEFAULT_WINDOW = 128_000
"""Tokens that a model is taken to hold where nothing says."""

NO_CREDENTIALS: Credentials = MappingProxyType({})

_COMMAND = ("HERMES_COPILOT_ACP_COMMAND", "COPILOT_CLI_PATH")
_ARGUMENTS = "HERMES_COPILOT_ACP_ARGS"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for explicitly: by arguments, for one session, or by an entry of a chain.

    key_env: the variable that holds the key. main: whether the chat asks, rather than a fallback
    or a side task, whose addresses the chat's keys do not go to.
    """

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: Secret | None = None
    api_mode: ApiMode | None = None
    key_env: str | None = None
    main: bool = True


def request_for(choice: Choice) -> Request:
    """Return the request of an entry of a chain."""
    return Request(
        provider=choice.provider,
        model=choice.model,
        base_url=choice.base_url,
        api_key=choice.api_key or None,
        api_mode=choice.api_mode,
        key_env=choice.key_env,
        main=False,
    )


def resolve(
    request: Request,
    config: Config,
    providers: Sequence[ProviderProfile] | Directory | None = None,
    credentials: Credentials = NO_CREDENTIALS,
    resting: Collection[str] = (),
) -> Runtime:
    """Return the runtime for ``request``. No file, network or clock is looked at.

    providers: those that are known; by default those of the home, each loaded when it is needed.
    credentials: what ``load_credentials`` found. A key is looked for in this order: given,
    ``model.api_key``, a variable in ``.env``, ``credentials``, the process environment. resting:
    ids of those of the last three that are passed over while there is another.

    Raises ``NoCredentials`` or ``ConfigError``, whose texts say what to do next.
    """
    if providers is None:
        providers = directory_for(config.home)
    elif not isinstance(providers, Directory):
        providers = directory_of(providers)
    keys = Keys(config, credentials, providers, resting)
    return _Resolution(request, config, providers, credentials, keys).runtime()


class _Resolution:
    """One run of the rules."""

    def __init__(
        self,
        request: Request,
        config: Config,
        directory: Directory,
        credentials: Credentials,
        keys: Keys,
    ) -> None:
        self._request = request
        self._config = config
        self._directory = directory
        self._keys = keys
        wanted = (request.provider, request.base_url)
        self._chosen: Chosen = choose(*wanted, config, directory, credentials)
        self._trail = [f"provider {self._profile.name}: {self._chosen.reason}"]

    @property
    def _profile(self) -> ProviderProfile:
        return self._chosen.profile

    @property
    def _is_ours(self) -> bool:
        """Whether ``model`` in config.yaml is about this provider, or about none in particular."""
        return self._chosen.is_saved or self._chosen.saved is None

    def runtime(self) -> Runtime:
        profile, config = self._profile, self._config
        if profile.legacy:
            self._trail.append(f"note: {profile.legacy}")
        address = self._address()
        key = self._key(address)
        url = self._routed(address, key)
        model = self._model()
        endpoint = Endpoint(profile, self._dialect(url), url)
        is_elsewhere = address.trust == "given" or not self._chosen.is_saved
        saved_mode = None if is_elsewhere else config.api_mode
        mode, reason = mode_of(endpoint, model, self._request.api_mode, saved_mode)
        self._trail.append(f"format {mode}: {reason}")
        url = _with_path(endpoint, mode)
        runtime = Runtime(
            provider=profile.name,
            model=model,
            api_mode=mode,
            base_url=url,
            api_key=key.secret,
            hosts=frozenset({guard.host_of(url)}) if key.secret else frozenset(),
            plain_http=address.trust in ("given", "saved"),
            source=tuple(self._trail),
            headers=self._headers(url),
            compat=compat_of(endpoint, model, mode),
            context_window=self._window(model),
            max_output=self._max_output(),
            auth=auth_of(key, profile, mode),
            credential=key.credential,
            withheld=key.reason if key.withheld else "",
            options=self._options(),
            reasoning_effort=config.reasoning_effort,
            timeout=profile.entry.timeout if profile.entry else None,
        )
        if profile.entry is not None and profile.entry.extra_body:
            body = {**runtime.compat.extra_body, **profile.entry.extra_body}
            runtime = replace(runtime, compat=replace(runtime.compat, extra_body=body))
        runtime = _at_speed(runtime, speeds_of(endpoint, model, mode), config.speed)
        if is_remote(url):
            guard.check(runtime, url)
        return runtime

    # Address and key

    def _address(self) -> Address:
        given = self._request.base_url
        saved = self._chosen.is_saved
        address = address_of(self._profile, self._config, given, is_saved=saved)
        self._trail.append(f"address {address.url}: {address.reason}")
        if address.ignored:
            self._trail.append(
                f"passed over: {address.ignored} in the environment; put it into .env to use it"
            )
        return address

    def _key(self, address: Address) -> Key:
        profile = self._profile
        if not is_remote(address.url):
            return Key(Secret(""), "none needed", profile)
        saved_here = self._chosen.is_saved and guard.host_of(address.url) == self._saved_host()
        asked = Asked(self._request.api_key, self._request.key_env, self._request.main)
        key = self._keys.find(profile, address, asked, saved_here=saved_here)
        self._trail.append(f"key: {key.reason}")
        if not key.secret and not profile.key_optional and profile.auth != "aws":
            own = lives_at(profile, address.url) or self._keys.may_go(profile, address, asked)
            text = no_key(
                profile,
                self._config,
                address,
                own_host=own,
                variable=asked.variable,
                main=asked.main,
            )
            raise NoCredentials(text)
        return key

    def _saved_host(self) -> str | None:
        """Return the host that model.api_key was saved with."""
        url = expanded(self._config.base_url or self._profile.base_url or "", self._config)
        if "{region}" in url:
            url = url.replace("{region}", region_of(self._config))
        return guard.host_of(tidy(url)) if url and is_remote(url) else None

    def _routed(self, address: Address, key: Key) -> str:
        """Return the address that the key itself asks for, where no other was chosen."""
        if address.trust != "built in":
            return address.url
        login = key.login.base_url if key.login else None
        if login and lives_at(self._profile, login):
            self._trail.append(f"address {login}: what the login names")
            return login
        value = key.secret.reveal()
        for beginning, url in self._profile.key_routes:
            if value.startswith(beginning):
                self._trail.append(f"address {url}: where keys {beginning}… belong")
                return url
        return address.url

    def _dialect(self, url: str) -> ProviderProfile:
        """Return whose peculiarities hold at ``url``."""
        profile = self._profile
        if not is_remote(url) or lives_at(profile, url):
            return profile
        return self._directory.owner_of(url) or profile

    # The model and the rest

    def _model(self) -> str:
        config, profile = self._config, self._profile
        if self._request.model:
            return self._taken(self._request.model, "asked for")
        if config.model and self._is_ours and profile.auth_kind != "none":
            return self._taken(config.model, "model.default in config.yaml")
        if profile.default_model:
            own = f"{profile.name} in config.yaml"
            return self._taken(profile.default_model, own if profile.entry else "built in")
        raise no_model(profile, config, self._chosen.saved)

    def _taken(self, model: str, reason: str) -> str:
        for prefix in self._profile.model_prefixes:
            model = model.removeprefix(prefix)
        self._trail.append(f"model {model}: {reason}")
        return model

    def _window(self, model: str) -> int:
        profile, config = self._profile, self._config
        own = config.context_window if self._is_ours and model == config.model else None
        listed = dict(profile.entry.models).get(model) if profile.entry else None
        return own or listed or profile.default_window or DEFAULT_WINDOW

    def _max_output(self) -> int | None:
        entry = self._profile.entry
        of_entry = entry.max_tokens if entry else None
        return of_entry or (self._config.max_tokens if self._is_ours else None)

    def _headers(self, url: str) -> tuple[tuple[str, str], ...]:
        profile, config = self._profile, self._config
        own = profile.headers
        if profile.entry is not None and is_remote(url) and not is_at_own(profile, config, url):
            own = ()  # they may hold secrets of the entry's host
        if not self._chosen.is_saved or not is_remote(url):
            return own
        here = guard.host_of(url) == self._saved_host()
        return own + (config.extra_headers if here else ())

    def _options(self) -> tuple[tuple[str, str], ...]:
        """Return what one carrier needs. Programs are named in ``.env`` alone: they are run."""
        profile, config = self._profile, self._config
        if profile.auth == "aws":
            named = config.user_env.get("AWS_PROFILE")
            return (("region", region_of(config)), *((("profile", named),) if named else ()))
        if profile.auth != "process":
            return ()
        command = next(filter(None, map(config.user_env.get, _COMMAND)), None)
        found = (("command", command), ("args", config.user_env.get(_ARGUMENTS)))
        return tuple((name, value) for name, value in found if value)


def _with_path(endpoint: Endpoint, mode: ApiMode) -> str:
    more = dict(endpoint.dialect.mode_paths).get(mode, "")
    return endpoint.url + more if "/" not in endpoint.place else endpoint.url


def _at_speed(runtime: Runtime, speeds: tuple[Speed, ...], wanted: str | None) -> Runtime:
    """Return the runtime with the speeds there are, and with what asks for the wanted one."""
    chosen = next((speed for speed in speeds if speed.word == wanted), None)
    if chosen is None:
        return replace(runtime, speeds=speeds)
    body = {**chosen.fields, **runtime.compat.extra_body}
    return replace(
        runtime,
        speeds=speeds,
        speed=chosen,
        headers=(*runtime.headers, *chosen.headers),
        compat=replace(runtime.compat, extra_body=body),
    )
