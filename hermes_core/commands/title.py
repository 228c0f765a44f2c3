"""``/title``: what the session is called in lists."""

from hermes_core.commands.seat import Seat


def run_title(seat: Seat, argument: str) -> str:
    """Answer ``/title TEXT``; without a text the title is shown. Raises ``HermesError``."""
    records = seat.agent.records
    if argument.strip():
        return f"This session is called “{records.rename(argument)}” now."
    title = records.title
    return f"This session is called “{title}”." if title else "This session has no title yet."
