"""``/logout``: forget the keys and logins that are stored for a provider."""

from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import ConfigError, HermesError


def run_logout(seat: Seat, argument: str) -> str:
    """Forget what is stored for the provider ``argument``; list what there is without one.

    Raises ``HermesError`` for what is no provider.
    """
    from hermes_core.commands.auth import log_out, provider_named

    config = seat.config()
    words = argument.split()
    if not words:
        return _stored(seat)
    if len(words) > 1:
        raise HermesError("Name one provider: `/logout PROVIDER`.")
    lines = log_out(config, provider_named(config, words[0]))
    seat.configure(seat.config())
    return "\n".join(f"- {line}" for line in lines)


def _stored(seat: Seat) -> str:
    from hermes_core.commands.auth import status

    rows, notices = status(seat.config())
    try:
        used = seat.runtime().provider
    except ConfigError:
        used = ""
    if not rows:
        lines = ["No key and no login is stored here; `.env` and the environment are yours."]
    else:
        lines = ["Stored:"]
        for row in rows:
            mark = " (in use)" if row.provider == used else ""
            lines.append(f"- `{row.provider}`{mark}: {row.source}, {row.state}")
        lines += ["", "`/logout PROVIDER` forgets all that is stored for one. It is not undone."]
    return "\n".join([*lines, *notices])
