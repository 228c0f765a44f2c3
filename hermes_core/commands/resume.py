"""``/resume``: going on with another session, in this one.

An editor addresses a session by the id that it was given, and nothing in the protocol gives it
another. So the session that is open becomes a copy (a fork) of the one that is meant, which itself
stays as it is. The editor's own list opens the original.
"""

from hermes_core.commands.seat import Seat
from hermes_core.sessions.finding import last_session, short


def run_resume(seat: Seat, argument: str) -> str:
    """Answer ``/resume SESSION``; without one it is the folder's last. Raises ``HermesError``."""
    wanted = argument.strip() or last_session(seat.agent.records.store, seat.cwd).id
    source = seat.agent.resume(wanted)
    seat.show_history()
    said = (
        f"This session goes on as a copy of `{short(source.id)}`"
        f"{f' “{source.title}”' if source.title else ''}, which stays as it is."
    )
    if source.cwd != seat.cwd:
        said += f" It worked in `{source.cwd}`; this one works in `{seat.cwd}`."
    return said
