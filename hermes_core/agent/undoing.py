"""Going back to before a prompt, history and files, and forth again.

Only what still is as the turns left it is put back; what was changed since stays and is named.
What is replaced is kept, so that ``redo`` finds it.
"""

import difflib
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_core.agent.checkpointing import Shadows
from hermes_core.agent.net_changes import Net, net_changes
from hermes_core.ground.content import CardContent, Diff, Text
from hermes_core.ground.errors import HermesError, ToolError
from hermes_core.ground.events import Rewound
from hermes_core.ground.events_json import to_json
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.restoring import blob_id, found_at, put, remove
from hermes_core.sessions.checkpoints import Checkpoint, Checkpoints, Replaced
from hermes_core.sessions.lineage import messages_of, replace_history, return_to_history
from hermes_core.sessions.shadow import Shadow, State
from hermes_core.sessions.store import Store

LARGEST_DIFF = 200_000
"""Bytes of a file whose change is shown whole."""

_log = logging.getLogger(__name__)

Confirm = Callable[[str, Sequence[CardContent], Sequence[Path]], bool]
"""Shows what would be put back (a title, the diffs, the paths) and returns whether it may be."""


@dataclass(frozen=True, slots=True)
class Undone:
    """How an undoing or a redoing went. Paths are absolute.

    title: the beginning of the first prompt that it is about. turns: how many turns.
    changed: put back. kept: left alone, since others changed them, after the turns or meanwhile.
    """

    title: str
    turns: int
    changed: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()


class Undoer:
    """Goes back and forth in one session, while no turn runs.

    forget: called after the history has changed in the store. Every public method raises
    ``HermesError`` where there is nothing to do, and ``Interrupted``.
    """

    def __init__(
        self,
        store: Store,
        session_id: Callable[[], str],
        shadows: Shadows,
        forget: Callable[[], None],
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._shadows = shadows
        self._forget = forget

    def checkpoints(self) -> list[Checkpoint]:
        """Return the turns that can be taken back, oldest first."""
        return self._rows().all()

    def undo(self, first: Checkpoint, confirm: Confirm, interrupt: Interrupt) -> Undone | None:
        """Go back to before ``first``; None if a person declined."""
        turns = [one for one in self._rows().all() if one.number >= first.number]
        files, kept = self._backwards(turns, interrupt)
        title = f"Go back to before: {first.title}{_staying(kept)}"
        if files and not confirm(title, *self._shown(files, interrupt)):
            return None
        interrupt.raise_if_set()
        self._rows().undo(first, files)
        messages = messages_of(self._store, first.history)[: first.length]
        replace_history(
            self._store,
            self._session_id(),
            str(uuid.uuid4()),
            [(message, True) for message in messages],
            [to_json(Rewound(first.message_id))],
            relation="rewound",
        )
        self._forget()
        late = self._apply(files)  # last: what a killed process leaves undone here, redo finds
        done = [_place(one) for one in files if one not in late]
        return Undone(first.title, len(turns), tuple(done), (*kept, *map(_place, late)))

    def redo(self, confirm: Confirm, interrupt: Interrupt) -> Undone | None:
        """Take the last undoing back, if nothing was said since; None if a person declined."""
        undoing = self._rows().last_undoing()
        if undoing is None:
            raise HermesError("There is nothing to redo: nothing was undone since the last prompt.")
        files = [Replaced(one.root, one.path, one.after, one.before) for one in undoing.files]
        ready = [one for one in files if _stands(one) or _makes_room(one, files)]
        kept = [_place(one) for one in files if one not in ready]
        if ready and not confirm(
            f"Redo what was undone{_staying(kept)}", *self._shown(ready, interrupt)
        ):
            return None
        interrupt.raise_if_set()
        late = self._apply(ready)  # first: redo can be asked for again
        before = len(self._rows().all())
        again = [to_json(Rewound(undoing.message_id, undone=False))]
        return_to_history(self._store, self._session_id(), undoing.history, again)
        self._rows().redo(undoing)
        self._forget()
        done = [_place(one) for one in ready if one not in late]
        titles = [one.title for one in self._rows().all()][before:]
        title = titles[0] if titles else ""
        return Undone(title, len(titles), tuple(done), (*kept, *map(_place, late)))

    def _rows(self) -> Checkpoints:
        return Checkpoints(self._store, self._session_id())

    def changes(self, interrupt: Interrupt) -> list[Net]:
        """Return what all turns that were not taken back changed in files, path by path."""
        return self._net(self._rows().all(), interrupt)

    def text(self, root: str, state: State | None, interrupt: Interrupt) -> str | None:
        """Return a snapshot's file as text; None for none, and for what is binary or large."""
        return _text(self._shadows.shadow_of(root), state, interrupt)

    def _net(self, turns: Sequence[Checkpoint], interrupt: Interrupt) -> list[Net]:
        return net_changes(turns, self._shadows.shadow_of, self._session_id(), interrupt)

    def _backwards(
        self, turns: Sequence[Checkpoint], interrupt: Interrupt
    ) -> tuple[list[Replaced], list[Path]]:
        """Return what to put back to undo ``turns``, and what was changed after them."""
        net = self._net(turns, interrupt)
        files = [Replaced(one.root, one.path, one.new, one.old) for one in net if not one.since]
        kept = [Path(one.root, one.path) for one in net if one.since]
        return [one for one in files if one.before != one.after], kept

    def _apply(self, files: Sequence[Replaced]) -> list[Replaced]:
        """Put files back; return those that turned out to be changed, or could not be written.

        What goes makes room first: a file may stand where a folder has to be, or the other way
        round. Nothing interrupts it: files and history go back together.
        """
        late = []
        for one in sorted(files, key=lambda one: one.after is not None):
            root = Path(one.root)
            try:
                if not _stands(one):
                    late.append(one)
                elif one.after is None:
                    remove(root, one.path)
                else:
                    shadow = self._shadows.shadow_of(one.root)
                    put(root, one.path, one.after.mode, shadow.content(one.after, Interrupt()))
            except (OSError, ToolError) as error:
                _log.warning("%s could not be put back: %s", one.path, error)
                late.append(one)
        return late

    def _shown(
        self, files: Sequence[Replaced], interrupt: Interrupt
    ) -> tuple[list[CardContent], list[Path]]:
        shown: list[CardContent] = []
        for one in files:
            shadow = self._shadows.shadow_of(one.root)
            old, new = (_text(shadow, state, interrupt) for state in (one.before, one.after))
            path = str(_place(one))
            if one.after is None:
                shown.append(Text(f"Deletes {path}\n\n{_quoted(old)}"))
            elif new is None or (old is None and one.before is not None):
                shown.append(Text(f"Puts back {path} (not shown: binary or large)"))
            else:
                shown.append(Diff(path, old, new))
        return shown, [_place(one) for one in files]


def _staying(kept: Sequence[Path]) -> str:
    """Return what a question adds of what others changed."""
    if not kept:
        return ""
    return f" ({len(kept)} {'file' if len(kept) == 1 else 'files'} that others changed: untouched)"


def _stands(one: Replaced) -> bool:
    """Return whether a path still is as ``one.before`` says."""
    try:
        found = found_at(Path(one.root), one.path)
    except OSError:
        return False
    if found is None or one.before is None:
        return found is None and one.before is None
    return found[0] == one.before.mode and blob_id(found[1]) == one.before.blob


def _makes_room(one: Replaced, files: Sequence[Replaced]) -> bool:
    """Return whether a folder stands at a path that ``files`` empty; what is left is seen later."""
    inside = f"{one.path}/"
    return (
        one.before is None
        and Path(one.root, one.path).is_dir()
        and any(two.root == one.root and two.path.startswith(inside) for two in files)
    )


def _text(shadow: Shadow, state: State | None, interrupt: Interrupt) -> str | None:
    if state is None:
        return None
    data = shadow.content(state, interrupt)
    if len(data) > LARGEST_DIFF or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _quoted(text: str | None) -> str:
    """Return the first lines of what is deleted, as a diff."""
    if text is None:
        return "(not shown: binary or large)"
    if not text:
        return "(it is empty)"
    lines = list(difflib.unified_diff(text.splitlines(), [], lineterm="", n=0))[2:]
    more = [f"({len(lines) - 40} more lines)"] if len(lines) > 40 else []
    return "\n".join(["```diff", *lines[:40], "```", *more])


def _place(one: Replaced) -> Path:
    return Path(one.root, one.path)
