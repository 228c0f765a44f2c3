"""Which key goes to an address, and how it is shown there.

Order, within one provider:

1. a key that was given, or the variable that was named with the choice;
2. ``model.api_key`` or ``model.key_env``, at the host they were saved with; the key of an entry;
3. a variable in ``.env``: the user's word for this program;
4. what is stored in ``auth.json``, or kept by another program's login;
5. a variable of the process environment, which may be stale, or somebody else's.

Of 3 to 5, one that rests after a refusal gives way to the next.

Where keys may go:

- ``model.api_key`` goes to the host it was saved with.
- A provider's variable goes to that provider's hosts, and to the address that ``.env`` holds under
  the provider's own variable, unless the provider is ``bound``.
- Where the address is the user's to choose (``custom``, servers on the own machine), the variable
  goes to the address that the user gave or saved, but not to the host of another known provider.
  ``OPENAI_API_KEY`` goes to the chat's endpoint only, never to one of a fallback or a side task.
- What belongs to a named endpoint goes to the host of its entry, whatever else is named with it; so
  does, but for the chat, the variable of a server on the own machine.
- A login goes to its provider's hosts alone, and only where that provider was chosen.
- Nothing but a key given with it goes to an address from the process environment: that may come
  from the project that is being worked on.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import ApiMode, Auth
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NO_KEY
from hermes_core.providers.addresses import Address
from hermes_core.providers.credentials import Credential, Credentials
from hermes_core.providers.directory import Directory, lives_at
from hermes_core.providers.named import expanded
from hermes_core.providers.profile import ProviderProfile, first_match
from hermes_core.transport import guard

_PLACEHOLDERS = ("your_api_key", "your-api-key", "your_key_here", "your-key-here", "changeme")


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where it was found.

    holder: whose key it is, by its rules it is shown. credential: its identity, "" for one that
    has no place of its own. login: the stored login that it belongs to, if it does. withheld:
    whether there is one that does not go to the address, for the reason.
    """

    secret: Secret
    reason: str
    holder: ProviderProfile
    credential: str = ""
    login: Credential | None = None
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for about the key: itself, or the variable that holds it.

    main: whether the chat asks, rather than a fallback or a side task.
    """

    key: Secret | None = None
    variable: str | None = None
    main: bool = True


class Keys:
    """The keys that the user has. resting: ids of those that others are preferred to."""

    def __init__(
        self,
        config: Config,
        credentials: Credentials,
        directory: Directory,
        resting: Collection[str] = (),
    ) -> None:
        self._config = config
        self._credentials = credentials
        self._directory = directory
        self._resting = resting

    def find(
        self, profile: ProviderProfile, address: Address, asked: Asked, *, saved_here: bool
    ) -> Key:
        """Return the key for ``address``; its secret is empty where there is none.

        saved_here: whether the key in config.yaml was saved with this provider and host. Raises
        ``ConfigError`` for one that cannot be a key.
        """
        holder = self._holder(profile, address)
        found = self._explicit(profile, holder or profile, asked)
        if found is None and address.trust == "ambient":
            return self._withheld(profile, address)
        if found is None and saved_here:
            found = self._saved(holder or profile)
        lent = self._is_lent(profile, address, asked)
        if found is None and profile.entry is not None and not lent:
            found = self._of_entry(profile)
        if found is None and holder and not (holder is profile and lent):
            found = self._own(holder, address, logins=holder.name == profile.name)
        return _checked(found or Key(NO_KEY, "none", holder or profile))

    def may_go(self, profile: ProviderProfile, address: Address, asked: Asked) -> bool:
        """Tell whether the provider's own keys may go to ``address``."""
        lent = self._is_lent(profile, address, asked)
        return self._holder(profile, address) is profile and not lent

    def _withheld(self, profile: ProviderProfile, address: Address) -> Key:
        """Return no key, and which one would have gone to an address from another place."""
        holder = self._holder(profile, replace(address, own_variable=True))
        own = self._own(holder, address, logins=holder is profile) if holder else None
        if own is None:
            return Key(NO_KEY, "none", profile)
        reason = f"{own.reason} is not sent, since the address is {address.reason}"
        return Key(NO_KEY, reason, profile, withheld=True)

    def _holder(self, profile: ProviderProfile, address: Address) -> ProviderProfile | None:
        """Return the provider whose keys may go to ``address``."""
        if lives_at(profile, address.url):
            return profile
        owner = self._directory.owner_of(address.url)
        if owner is not None or self._directory.knows_host(address.url):
            return owner
        own_address = address.own_variable and not profile.bound
        return profile if profile.roams or own_address else None

    def _is_lent(self, profile: ProviderProfile, address: Address, asked: Asked) -> bool:
        """Tell whether the provider's own keys would go to an address that is not its own."""
        if not profile.roams or (asked.main and profile.entry is None):
            return False
        if not profile.base_url and profile.key_optional:
            return True  # a key that is OpenAI's as well
        return address.trust == "given" and not is_at_own(profile, self._config, address.url)

    def _explicit(
        self, profile: ProviderProfile, holder: ProviderProfile, asked: Asked
    ) -> Key | None:
        if asked.key:
            return Key(asked.key, "given", holder)
        if not asked.variable:
            return None
        return self._named_variable(asked.variable, profile, holder)

    def _saved(self, holder: ProviderProfile) -> Key | None:
        if self._config.api_key:
            return Key(self._config.api_key, "model.api_key in config.yaml", holder)
        if self._config.key_env:
            return self._named_variable(self._config.key_env, holder, holder)
        return None

    def _of_entry(self, profile: ProviderProfile) -> Key | None:
        entry = profile.entry
        if entry is not None and entry.api_key:
            return Key(entry.api_key, f"api_key of {profile.name} in config.yaml", profile)
        if entry is not None and entry.key_env:
            return self._named_variable(entry.key_env, profile, profile)
        return None

    def _named_variable(
        self, name: str, profile: ProviderProfile, holder: ProviderProfile
    ) -> Key | None:
        value = self._config.variable(name)
        if not value:
            return None
        place = "in .env" if self._config.user_env.get(name) else "in the environment"
        return Key(Secret(value), f"{name} {place}", holder, f"{profile.name}:env:{name}")

    def _own(self, holder: ProviderProfile, address: Address, *, logins: bool) -> Key | None:
        """Return the provider's own key; one that is traded before use is among what is stored."""
        stored = list(self._stored(holder, address, logins=logins))
        every = (
            stored
            if stored and holder.auth_kind == "copilot"
            else [
                *self._variables(holder, self._config.user_env, "in .env"),
                *stored,
                *self._variables(holder, self._config.env, "in the environment"),
            ]
        )
        ready = next((key for key in every if key.credential not in self._resting), None)
        if ready is None or ready is every[0]:
            return every[0] if every else None
        return replace(ready, reason=f"{ready.reason}; {every[0].reason} rests after a refusal")

    def _variables(
        self, holder: ProviderProfile, variables: Mapping[str, str], place: str
    ) -> Iterator[Key]:
        for name in holder.key_envs:
            value = variables.get(name)
            if value:
                credential = f"{holder.name}:env:{name}"
                yield Key(Secret(value), f"{name} {place}", holder, credential)
        pair = self._aws(holder, variables, place) if holder.auth == "aws" else None
        if pair is not None:
            yield pair

    def _aws(self, holder: ProviderProfile, variables: Mapping[str, str], place: str) -> Key | None:
        """Return AWS's pair as one key; the process environment is left to AWS's own library."""
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        values = [variables.get(name) or "" for name in names]
        if variables is not self._config.user_env or not (values[0] and values[1]):
            return None
        return Key(Secret(":".join(filter(None, values))), f"{names[0]} {place}", holder)

    def _stored(self, holder: ProviderProfile, address: Address, *, logins: bool) -> Iterator[Key]:
        for credential in self._credentials.get(holder.name, ()):
            at_home = logins and self._is_at_home(holder, address.url)
            if credential.kind == "api_key" or at_home:
                reason = credential.source
                yield Key(credential.token, reason, holder, credential.id, credential)

    def _is_at_home(self, holder: ProviderProfile, url: str) -> bool:
        """Tell whether ``url`` is on a host of the provider's own, be it of the user's making."""
        own = expanded(holder.base_url or "", self._config)
        if not own.startswith("http") or "{" in own:
            return lives_at(holder, url)
        return lives_at(holder, url) or guard.host_of(url) == guard.host_of(own)


def is_at_own(profile: ProviderProfile, config: Config, url: str) -> bool:
    """Tell whether ``url`` is on the host of the address that the provider itself has."""
    own = expanded(profile.base_url or "", config)
    return own.startswith("http") and guard.host_of(url) == guard.host_of(own)


def auth_of(key: Key, profile: ProviderProfile, mode: ApiMode) -> Auth:
    """Return how a key is shown."""
    holder = key.holder
    if profile.auth in ("process", "none"):
        return profile.auth
    if key.login is not None and key.login.kind == "oauth":
        return key.login.auth
    if holder.auth == "aws" and (not key.secret or ":" in key.secret.reveal()):
        return "aws"
    by_key = first_match(holder.key_auth, key.secret.reveal()) if key.secret else None
    if by_key is not None:
        return by_key
    if holder.auth != "x-api-key" and mode == "anthropic_messages":
        return holder.messages_auth
    if holder.auth == "x-api-key" and mode == "anthropic_messages":
        return "x-api-key"
    return "bearer"


def _checked(key: Key) -> Key:
    value = key.secret.reveal().strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(
            f"The key ({key.reason}) has characters that no key has. Copy it again, without quotes."
        )
    if value.lower() in _PLACEHOLDERS and not key.holder.key_optional:
        raise ConfigError(f"The key ({key.reason}) is a placeholder. Put the real one there.")
    return replace(key, secret=Secret(value))
