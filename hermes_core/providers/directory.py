"""Who is who among the providers, known before any of their folders is loaded."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.providers.profile import ProviderProfile
from hermes_core.transport import guard

Place = tuple[str, str, str]
"""A pattern of ``host:port``, the beginning of a path, and whose they are.

``*`` in a pattern stands for one label of a name, so that nobody else's name can be meant.
"""

_REGION = "*"
_RESERVED = ("auto", "main")


@dataclass(frozen=True, slots=True)
class Index:
    """What is looked up of providers without loading them.

    names: canonical, in order. aliases: each with the name it stands for, in lower case.
    places: where providers live. auto: names with the variables that make ``auto`` take them, in
    the order in which it tries.
    """

    names: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    auto: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Directory:
    """Finds providers by name, alias and address; a profile is loaded when it is asked for."""

    def __init__(self, index: Index, load: Callable[[str], ProviderProfile | None]) -> None:
        self.index = index
        self._load = load
        self._names = {name.lower(): name for name in index.names}

    def get(self, name: str) -> ProviderProfile | None:
        """Return the provider with that name or alias, in any case."""
        canonical = self.canonical(name)
        return None if canonical is None else self._load(canonical)

    def canonical(self, name: str) -> str | None:
        """Return the canonical name for a name or alias, in any case."""
        name = name.strip().lower()
        return self._names.get(name) or self.index.aliases.get(name)

    def is_name(self, name: str) -> bool:
        """Tell whether that is a canonical name, in any case."""
        return name.strip().lower() in self._names

    def owner_of(self, url: str) -> ProviderProfile | None:
        """Return the provider that lives at ``url``; of several, the one with the nearest path."""
        host, path = guard.host_of(url), urlsplit(url).path
        found = [
            (len(start) if path.startswith(start) else 0, name)
            for pattern, start, name in self.index.places
            if matches_host(pattern, host)
        ]
        if not found:
            return None
        return self._load(max(found, key=lambda item: item[0])[1])

    def knows_host(self, url: str) -> bool:
        """Tell whether a provider lives at the host of ``url``, on whatever port."""
        name = guard.origin(url)[1].rstrip(".")
        patterns = (pattern.rpartition(":")[0] for pattern, _, _ in self.index.places)
        return any(matches_host(pattern, name) for pattern in patterns)


def directory_of(profiles: Iterable[ProviderProfile]) -> Directory:
    """Return the directory of profiles that are loaded already."""
    known = {profile.name: profile for profile in profiles}
    return Directory(index_of(known.values()), known.get)


def index_of(profiles: Iterable[ProviderProfile]) -> Index:
    """Return the index of ``profiles``.

    Raises ``ConfigError`` if a name or alias stands twice, or has a meaning of its own.
    """
    profiles = sorted(profiles, key=lambda profile: profile.name)
    taken: dict[str, str] = {}
    for profile in profiles:
        for word in (profile.name.lower(), *_aliases(profile)):
            if ":" in word or word in _RESERVED:
                raise ConfigError(f"{word} is no name for a provider: it has a meaning of its own.")
            if word in taken:
                raise ConfigError(f"{word} stands for {taken[word]} and for {profile.name}.")
            taken[word] = profile.name
    tried = sorted((p for p in profiles if p.auto and not p.key_optional), key=lambda p: p.auto)
    return Index(
        names=tuple(profile.name for profile in profiles),
        aliases={alias: profile.name for profile in profiles for alias in _aliases(profile)},
        places=tuple(place for profile in profiles for place in places_of(profile)),
        auto=tuple((p.name, (*p.key_envs, *p.login_envs)) for p in tried),
    )


def _aliases(profile: ProviderProfile) -> tuple[str, ...]:
    return tuple(alias.strip().lower() for alias in profile.aliases)


def places_of(profile: ProviderProfile) -> list[Place]:
    """Return where a provider lives; nowhere, if the address is the user's to choose."""
    if profile.entry is not None:
        return []
    url = profile.base_url or ""
    if not url.startswith("http") or profile.roams:
        return []
    host = guard.host_of(url.replace("{region}", "region")).replace(".region.", f".{_REGION}.")
    places = [(host, urlsplit(url).path, profile.name)]
    places += [(host, "", profile.name) for host in profile.hosts]
    return places


def lives_at(profile: ProviderProfile, url: str) -> bool:
    """Tell whether ``url`` is on a host of the provider's own."""
    host = guard.host_of(url)
    return any(matches_host(pattern, host) for pattern, _, _ in places_of(profile))


def matches_host(pattern: str, host: str) -> bool:
    """Tell whether ``host`` fits ``pattern``."""
    if "*" not in pattern:
        return host == pattern
    return re.fullmatch(re.escape(pattern).replace(r"\*", "[a-z0-9-]+"), host) is not None
