"""``/undo``, ``/rewind``, ``/redo`` and ``/checkpoints``: going back to before a prompt."""

import time
from collections.abc import Sequence

from hermes_core.agent.rewind import told
from hermes_core.agent.undoing import Undone
from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted, whole_number
from hermes_core.sessions.checkpoints import Checkpoint

_DECLINED = "Nothing was changed."
_REDO = "`/redo` takes this back, until the next message."


def run_undo(seat: Seat, argument: str) -> str:
    """Take the last turn back, or as many as ``argument`` says."""
    turns = whole_number(argument or "1")
    if turns is None:
        raise HermesError("`/undo` takes a number of turns, such as `/undo 2`.")
    done = seat.agent.rewind.undo(turns, seat.interrupt)
    return _undone(done)


def run_rewind(seat: Seat, argument: str) -> str:
    """Go back to before the turn of the number that ``argument`` is; list them without one."""
    those = seat.agent.rewind.checkpoints()
    if not argument:
        return f"{checkpoints_text(those)}\n\n`/rewind NUMBER` goes back to before that message."
    number = whole_number(argument.removeprefix("#")) or 0
    if not 1 <= number <= len(those):
        raise HermesError(
            f"There is no message {quoted(argument)} to go back to. See `/checkpoints`."
        )
    return _undone(seat.agent.rewind.go_back(those[number - 1], seat.interrupt))


def run_redo(seat: Seat, _argument: str) -> str:
    """Take the last undoing back."""
    done = seat.agent.rewind.redo(seat.interrupt)
    if done is None:
        return _DECLINED
    return f"The conversation goes on as it was before the undoing. {told(done)}"


def run_checkpoints(seat: Seat, _argument: str) -> str:
    """List what can be gone back to."""
    return checkpoints_text(seat.agent.rewind.checkpoints())


def checkpoints_text(those: Sequence[Checkpoint]) -> str:
    """Return the turns as a Markdown list, numbered from 1, the oldest first."""
    if not those:
        return "There is nothing to go back to: no turn of this session can be taken back."
    lines = []
    for number, one in enumerate(those, start=1):
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))
        changed = any(shot.before != shot.after for shot in one.snapshots)
        mark = " (changed files)" if changed else ""
        lines.append(f"{number}. {at}, before: {one.title or '(no text)'}{mark}")
    return "\n".join(lines)


def _undone(done: Undone | None) -> str:
    if done is None:
        return _DECLINED
    turns = "The last turn is" if done.turns == 1 else f"The last {done.turns} turns are"
    return (
        f"{turns} taken back: the conversation stands before \u201c{done.title}\u201d. "
        f"{told(done)} {_REDO}"
    )
