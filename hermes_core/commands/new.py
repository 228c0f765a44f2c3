"""``/new``: a new conversation. What opens sessions is the client, so only it can do that."""

from hermes_core.commands.seat import Seat, refuse_argument

IN_EDITOR = (
    "Only your editor can open a new session here, with its own button or command: in Zed "
    "`agent: new thread`, in CodeCompanion a new chat buffer. This one stays in the list of "
    "sessions. In `hermes chat`, `/new` opens one."
)


def run_new(_seat: Seat, argument: str) -> str:
    """Tell how a new session is opened. Raises ``HermesError`` for an argument."""
    refuse_argument("new", argument)
    return IN_EDITOR
