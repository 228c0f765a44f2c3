"""``/steer``: tell the running turn something."""

from hermes_core.commands.seat import Prompt, Prompts, Remark, Seat
from hermes_core.ground.errors import HermesError

TAKEN = "Taken: the model is told with its next step."


def run_steer(seat: Seat, text: str) -> Remark | Prompts:
    """Give ``text`` to the running turn; where none runs it is a prompt like any other.

    Raises ``HermesError`` if there is no text.
    """
    if not text:
        raise HermesError("There is nothing to tell. Type `/steer` and what the model should know.")
    if seat.agent.steer(text):
        return Remark(TAKEN)
    return Prompts((Prompt(text),))
