"""``/login``: where one logs in. A key that is typed with it is neither kept nor sent anywhere."""

from hermes_core.commands.providers import needs_of
from hermes_core.commands.seat import Remark
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers.named import find_provider

_SHORTEST = 16
"""Characters from which a word counts as a key that logs must not show."""

_HOW = (
    "Log in in a terminal: `hermes auth login PROVIDER` begins a login or asks for a key, unseen. "
    "`hermes auth status` tells what there is."
)
_TYPED = (
    "Keys do not belong into a chat, where they stay readable. What you typed was not kept here, "
    "and no model was sent it; your editor may have kept it. If it was a key, replace it with a "
    "new one at its provider."
)


def run_login(config: Config, argument: str) -> Remark:
    """Tell how to log in. What is no provider's name counts as a key.

    The answer is a remark, so that what was typed is not kept. Raises ``ConfigError``.
    """
    if not argument:
        return Remark(_HOW)
    profile = find_provider(argument, config)
    if profile is not None:
        return Remark(f"`{profile.name}` needs {needs_of(profile)}. Log in in a terminal.")
    for word in argument.split():
        if len(word) >= _SHORTEST:
            REDACTOR.register(Secret(word))
    return Remark(f"{_TYPED}\n\n{_HOW}")
