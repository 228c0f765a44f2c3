"""``/login``: a login on a page, where the editor leads to pages, or where else one logs in.

A key that is typed with it is neither kept nor sent anywhere.
"""

from hermes_core.commands.page_login import can_begin, log_in
from hermes_core.commands.providers import needs_of
from hermes_core.commands.seat import Remark, Seat
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.providers.named import find_provider

_SHORTEST = 16
"""Characters from which a word counts as a key that logs must not show."""

_HOW = (
    "Log in in a terminal: `hermes auth login PROVIDER` begins a login or asks for a key, unseen. "
    "`hermes auth status` tells what there is."
)
_HERE = "`/login PROVIDER` begins a login on the provider's page, where it has one."
_TYPED = (
    "Keys do not belong into a chat, where they stay readable. What you typed was not kept here, "
    "and no model was sent it; your editor may have kept it. If it was a key, replace it with a "
    "new one at its provider."
)


def run_login(seat: Seat, argument: str) -> Remark:
    """Log in, or tell how to. What is no provider's name counts as a key.

    The answer is a remark, so that what was typed is not kept. Raises ``ConfigError``, and as
    ``log_in`` does.
    """
    config = seat.config()
    questions = seat.questions if seat.questions is not None and seat.questions.pages else None
    if not argument:
        return Remark(f"{_HERE} {_HOW}" if questions else _HOW)
    profile = find_provider(argument, config)
    if profile is not None and questions is not None and can_begin(config, profile.name):
        told = log_in(config, profile.name, questions, seat.interrupt)
        seat.configure(seat.config())
        return Remark(told)
    if profile is not None:
        return Remark(f"`{profile.name}` needs {needs_of(profile)}. Log in in a terminal.")
    for word in argument.split():
        if len(word) >= _SHORTEST:
            REDACTOR.register(Secret(word))
    return Remark(f"{_TYPED}\n\n{_HOW}")
