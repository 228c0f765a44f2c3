"""``/retry``: send the last message again."""

from hermes_core.commands.seat import Prompt, Prompts, Seat
from hermes_core.ground.errors import HermesError


def run_retry(seat: Seat) -> Prompts:
    """Return the last prompt, to be run again; raise ``HermesError`` if there was none."""
    content = seat.agent.last_prompt
    if content is None:
        raise HermesError("There is nothing to send again: this session holds no message yet.")
    return Prompts((Prompt(content),))
