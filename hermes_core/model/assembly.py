"""Models put together from the settings: the chat's and its fallbacks, each with its own key."""

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    NoCredentials,
    ProviderError,
    QuotaExhausted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice
from hermes_core.model.catalogue import ModelInfo, kept_model
from hermes_core.model.chain import Access, Candidate
from hermes_core.model.facts import Fact, known_fact
from hermes_core.model.respond import Model
from hermes_core.providers import credentials as stored
from hermes_core.providers.credentials import Credential, Credentials
from hermes_core.providers.pool import Outcome
from hermes_core.providers.resolution import DEFAULT_WINDOW, Request, request_for, resolve
from hermes_core.transport.guard import is_loopback, origin

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A candidate that is looked up in the settings when it is its turn."""

    request: Request
    config: Config

    @property
    def name(self) -> str:
        """The model and its provider."""
        return f"{self.request.model or 'the model'} through {self.request.provider or 'auto'}"

    def access(self, spent: Collection[str] = ()) -> Access:
        """Return it ready for use; see ``Candidate``."""
        found = {
            name: tuple(one for one in those if one.id not in spent)
            for name, those in stored.load_credentials(self.config, take=True).items()
        }
        resting = stored.resting(self.config) | set(spent)
        runtime = runtime_for(self.request, self.config, found, resting)
        if runtime.credential and runtime.credential in spent:
            raise NoCredentials(f"Every key for {runtime.provider} was refused.")
        those = found.get(runtime.provider, ())
        mine = next((one for one in those if one.id == runtime.credential), None)
        mine = mine or stored.of_variable(runtime.credential, runtime.api_key)
        if mine is None:
            return Access(runtime)
        return Access(runtime, mine, another=self._has_another(found, {*spent, mine.id}))

    def _has_another(self, found: Credentials, gone: Collection[str]) -> bool:
        """Tell whether the provider has a key besides those that are ``gone``."""
        left = {
            name: tuple(one for one in those if one.id not in gone) for name, those in found.items()
        }
        try:
            other = resolve(self.request, self.config, credentials=left, resting=gone)
        except ConfigError:
            return False
        return bool(other.credential) and other.credential not in gone


@dataclass(frozen=True, slots=True)
class StoredLogins:
    """What can be done about the credentials that are stored; see ``seat.Logins``."""

    config: Config

    def refresh(self, credential: Credential, interrupt: Interrupt) -> bool:
        """Renew a login in the store; return whether there is a new one."""
        return stored.refresh(self.config, credential, interrupt=interrupt) is not None

    def failed(self, credential: Credential, error: ProviderError) -> None:
        """Note that ``credential`` was refused, so that others are preferred for a while."""
        outcome: Outcome = "rate_limited"
        if isinstance(error, AuthFailed):
            outcome = "unauthorized"
        elif isinstance(error, QuotaExhausted):
            outcome = "quota"
        until = None if error.retry_after is None else time.time() + error.retry_after
        try:
            stored.report(self.config, credential.id, outcome, until)
        except ConfigError as problem:
            _log.warning("that %s was refused could not be noted: %s", credential.id, problem)


def runtime_for(
    request: Request,
    config: Config,
    credentials: Credentials | None = None,
    resting: Collection[str] | None = None,
) -> Runtime:
    """Return the runtime for ``request`` with all that is stored and known of the model.

    resting: ids of the keys that others are preferred to; by default those that rest now. Raises
    ``NoCredentials`` or ``ConfigError``.
    """
    if credentials is None:
        credentials = stored.load_credentials(config)
    if resting is None:
        resting = stored.resting(config)
    return with_facts(resolve(request, config, credentials=credentials, resting=resting), config)


def model_for(request: Request, config: Config) -> Model:
    """Return the chat's model: what ``request`` and the settings name, then the fallbacks."""
    return Model(chain_for(request, config), config, logins=StoredLogins(config))


def chain_for(request: Request, config: Config) -> list[Candidate]:
    """Return the candidates of the chat: the primary, then ``fallback_providers`` in order."""
    return [Wanted(request, config), *fallbacks_of(config.fallback_providers, config)]


def fallbacks_of(choices: Sequence[Choice], config: Config) -> list[Candidate]:
    """Return the entries of a chain as candidates, each with its own address and key."""
    return [Wanted(request_for(choice), config) for choice in choices]


def with_facts(runtime: Runtime, config: Config) -> Runtime:
    """Return ``runtime`` with what is known of its model, as far as the user set nothing.

    The endpoint's own list, as it was last asked for, wins over the committed table.
    """
    of_user = config.context_window if runtime.model == config.model else None
    is_own = _is_users_own(runtime)
    fact = known_fact(runtime.provider, runtime.model, elsewhere=not is_own)
    listed = kept_model(runtime, config)
    runtime = _with_senses(runtime, fact, _hears(runtime, config, fact, listed))
    prices = _users_prices(runtime, config) or (listed.prices if listed is not None else None)
    if prices is not None:
        runtime = replace(runtime, prices=prices)
    if of_user == runtime.context_window or (is_own and runtime.context_window != DEFAULT_WINDOW):
        return runtime
    if listed is not None and listed.window:
        return _with_window(runtime, listed.window, "the provider's own list")
    return runtime if fact is None else _with_window(runtime, fact.window, "built in")


def _with_senses(runtime: Runtime, fact: Fact | None, hears: bool) -> Runtime:
    """Return ``runtime`` without images, if the model is known to take none, and with sounds."""
    images = runtime.compat.images and (fact is None or fact.images is not False)
    return replace(runtime, compat=replace(runtime.compat, images=images, audio=hears))


def _hears(runtime: Runtime, config: Config, fact: Fact | None, listed: ModelInfo | None) -> bool:
    """Return whether the model is known to take sounds, in a format that has a form for them.

    The user's word wins, then the endpoint's own list.
    """
    if runtime.api_mode != "chat_completions":
        return False
    if config.audio is not None and runtime.model == config.model:
        return config.audio
    if listed is not None and listed.audio is not None:
        return listed.audio
    return fact is not None and fact.audio


def _users_prices(runtime: Runtime, config: Config) -> tuple[float, float, float] | None:
    read, written = config.input_price, config.output_price
    if read is None or written is None or runtime.model != config.model:
        return None
    return read / 1e6, written / 1e6, read / 1e6


def _with_window(runtime: Runtime, window: int, reason: str) -> Runtime:
    step = f"window {window}: {reason}"
    return replace(runtime, context_window=window, source=(*runtime.source, step))


def _is_users_own(runtime: Runtime) -> bool:
    """Tell whether the user runs the server, which then has limits of its own."""
    if runtime.provider.partition(":")[0] == "custom" or not runtime.base_url.startswith("http"):
        return True
    return is_loopback(origin(runtime.base_url)[1])
