"""``/stop``: interrupt what runs, and let what waits go on."""

from hermes_core.commands.seat import Remark, Seat


def run_stop(seat: Seat) -> Remark:
    """Interrupt the running turn."""
    if seat.stop():
        return Remark("Stopped. What waits goes on; `/queue clear` forgets it.")
    return Remark("Nothing runs.")
