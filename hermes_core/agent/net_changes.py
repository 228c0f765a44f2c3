"""What turns of a session changed in files, all together, from the snapshots around them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.checkpoints import Checkpoint
from hermes_core.sessions.shadow import Shadow, State


@dataclass(frozen=True, slots=True)
class Net:
    """One path: what stood there before the turns, and what after them; None for nothing.

    since: whether it was changed after the turns. Where somebody else changed it between two of
    them, ``old`` is what the later ones found.
    """

    root: str
    path: str
    old: State | None
    new: State | None
    since: bool


def net_changes(
    turns: Sequence[Checkpoint],
    shadow_of: Callable[[str], Shadow],
    session_id: str,
    interrupt: Interrupt,
) -> list[Net]:
    """Return what ``turns``, oldest first, changed, by folder and path.

    A path that they changed and put back stands in the list too, with the same state twice.
    Raises ``ToolError`` for what git cannot do, and ``Interrupted``.
    """
    found: list[Net] = []
    for root in dict.fromkeys(shot.root for turn in turns for shot in turn.snapshots):
        shots = [shot for turn in turns for shot in turn.snapshots if shot.root == root]
        shadow = shadow_of(root)
        now = shadow.take(interrupt).tree
        shadow.keep(session_id, now, interrupt)
        first: dict[str, State | None] = {}
        standing: dict[str, State | None] = {}
        for shot in reversed(shots):
            for change in shadow.changes(shot.before, shot.after or now, interrupt):
                if change.path not in standing:
                    standing[change.path] = change.new
                elif first[change.path] != change.new:
                    continue  # somebody else changed it between the turns
                first[change.path] = change.old
        late = {one.path for one in shadow.changes(shots[-1].after or now, now, interrupt)}
        found += [
            Net(root, path, old, standing[path], path in late)
            for path, old in sorted(first.items())
        ]
    return found
