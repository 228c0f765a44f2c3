"""Whether what a user's folder declares is what a profile must be: nothing checks its types."""

import re
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hermes_core.ground.errors import ConfigError
from hermes_core.providers.profile import ProviderProfile
from hermes_core.transport import guard

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


def check(profile: object) -> None:
    """Raise ``ConfigError``, naming the field, for what is no profile that can be used."""
    if not isinstance(profile, ProviderProfile):
        raise ConfigError(f"{profile!r:.60} is no ProviderProfile.")
    for name, hint in get_type_hints(ProviderProfile).items():
        value = getattr(profile, name)
        if not _fits(value, hint):
            raise ConfigError(f"{name} of a provider cannot be {value!r:.60}.")
    for word in (profile.name, *profile.aliases):
        if not _NAME.fullmatch(word):
            raise ConfigError(f"{word!r:.60} is no name for a provider.")
    url = profile.base_url
    if url is not None and not url.startswith(("scripted:", "acp:")):
        guard.origin(url.replace("{region}", "region"))


def _fits(value: object, hint: Any) -> bool:
    kind, inner = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if kind is Literal:
        return value in inner
    if kind is not tuple:
        return type(value) is hint if hint in (bool, int) else isinstance(value, hint)
    if not isinstance(value, tuple):
        return False
    if inner[-1] is ...:
        return all(_fits(one, inner[0]) for one in value)
    return len(value) == len(inner) and all(map(_fits, value, inner))
