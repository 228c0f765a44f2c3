"""``/new``: a new conversation. What opens sessions is the client, so only it can do that."""

from hermes_core.commands.seat import Seat

IN_EDITOR = (
    "Only your editor can open a new session here, with its own button or command: in Zed "
    "`agent: new thread`, in CodeCompanion a new chat buffer. This one stays in the list of "
    "sessions. In `hermes chat`, `/new` opens one."
)


def run_new(_seat: Seat, _argument: str) -> str:
    """Tell how a new session is opened."""
    return IN_EDITOR
