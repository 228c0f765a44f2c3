"""What turns of a session changed in files, all together, from the snapshots around them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.checkpoints import Checkpoint, Hand
from hermes_core.sessions.shadow import Change, Shadow, State


@dataclass(frozen=True, slots=True)
class Net:
    """One path: what stood there before the turns, and what after them; None for nothing.

    since: whether somebody else changed it after the turns, or during them. Where that was before
    the last of them that changed it, ``old`` is what the later ones found.
    """

    root: str
    path: str
    old: State | None
    new: State | None
    since: bool


class _Own:
    """What turns changed in one folder, told of backwards: the last change of a path first.

    first: what stood at a path before the earliest change that the later ones built upon.
    standing: what the last change left. others: what stands where others had the last word.
    """

    def __init__(self) -> None:
        self.first: dict[str, State | None] = {}
        self.standing: dict[str, State | None] = {}
        self.others: dict[str, State | None] = {}

    def add(self, change: Change, hand: Hand | None) -> None:
        """Add a change of one turn; ``hand``: that of others in it, None for none."""
        path = change.path
        if path not in self.standing:
            if hand:
                self.others.setdefault(path, change.new)
            if hand == "only":
                return
            self.standing[path] = change.new
        elif hand or self.first[path] != change.new:
            return  # somebody else changed it between the turns, or in this one
        self.first[path] = change.old


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
        following = [shot.before for shot in shots[1:]]  # what a killed turn left at the latest
        ends = [shot.after or end for shot, end in zip(shots, [*following, now], strict=True)]
        own = _Own()
        for shot, end in zip(reversed(shots), reversed(ends), strict=True):
            for change in shadow.changes(shot.before, end, interrupt):
                own.add(change, shot.others.get(change.path))
        late = {one.path for one in shadow.changes(ends[-1], now, interrupt)} | set(own.others)
        states = {path: (one, one) for path, one in own.others.items()}
        states |= {path: (old, own.standing[path]) for path, old in own.first.items()}
        found += [
            Net(root, path, old, new, path in late) for path, (old, new) in sorted(states.items())
        ]
    return found
