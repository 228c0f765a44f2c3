"""``/undo``, ``/rewind`` and ``/redo`` of one session: what a person sees of going back."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from hermes_core.agent.checkpointing import Checkpointing, Shadows
from hermes_core.agent.consent import ask
from hermes_core.agent.undoing import Undoer, Undone
from hermes_core.ground.actions import Action
from hermes_core.ground.content import CardContent, Location
from hermes_core.ground.errors import HermesError, Interrupted
from hermes_core.ground.events import (
    ApprovalRequested,
    Emit,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Files
from hermes_core.sessions.checkpoints import Checkpoint
from hermes_core.sessions.store import Store

NAME = "rewind"
"""What the card of an undoing is called."""

_LEFT = "Left as it is, since somebody else changed it, after the turn or meanwhile"
_DECLINED = "Nothing was changed: the user declined."
_WHY = (
    "Files are put back as they were. What others changed while a command of the turn ran cannot be"
    " told from what it changed, and is among this."
)


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that a session changed. old, new: its text; None for none, binary or large.

    since: whether it was changed again after the session's last turn.
    """

    path: Path
    old: str | None
    new: str | None
    is_new: bool
    is_gone: bool
    since: bool


class Rewind:
    """Takes turns back, files included, and back again.

    forget: called once the history has changed in the store. alone: keeps turns from beginning
    meanwhile, and raises ``HermesError`` while one runs; it is given the interrupt, and gives one.
    can_ask: whether a person is shown what would be put back, and decides.
    """

    def __init__(
        self,
        store: Store,
        session_id: Callable[[], str],
        roots: Sequence[Path],
        *,
        home: Path,
        environ: Callable[[], Mapping[str, str]],
        files: Files,
        emit: Emit,
        forget: Callable[[], None],
        alone: Callable[[Interrupt | None], AbstractContextManager[Interrupt]],
        can_ask: bool,
    ) -> None:
        shadows = Shadows(home, roots, environ)
        self.checkpointing = Checkpointing(store, session_id, shadows, emit)
        self._undoer = Undoer(store, session_id, shadows, forget)
        self._files = files
        self._emit = emit
        self._alone = alone
        self._can_ask = can_ask

    def checkpoints(self) -> list[Checkpoint]:
        """Return the turns that can be taken back, oldest first."""
        return self._undoer.checkpoints()

    def changes(self, interrupt: Interrupt | None = None) -> list[Changed]:
        """Return what this session has changed in files, by path; what was taken back is not.

        Raises ``ToolError`` where there is no git, and ``Interrupted``.
        """
        latch = interrupt or Interrupt()
        return [
            Changed(
                Path(one.root, one.path),
                self._undoer.text(one.root, one.old, latch),
                self._undoer.text(one.root, one.new, latch),
                is_new=one.old is None,
                is_gone=one.new is None,
                since=one.since,
            )
            for one in self._undoer.changes(latch)
            if one.old != one.new
        ]

    def undo(self, turns: int = 1, interrupt: Interrupt | None = None) -> Undone | None:
        """Take the last turns back; None if the user declined. Raises ``HermesError``."""
        those = self.checkpoints()
        if not those:
            raise HermesError(
                "There is nothing to undo: no turn of this session can be taken back."
            )
        if not 1 <= turns <= len(those):
            raise HermesError(f"Between 1 and {len(those)} turns can be taken back, not {turns}.")
        return self.go_back(those[-turns], interrupt)

    def go_back(self, first: Checkpoint, interrupt: Interrupt | None = None) -> Undone | None:
        """Go back to before ``first``; None if the user declined."""
        return self._card(
            lambda confirm, latch: self._undoer.undo(first, confirm, latch), interrupt
        )

    def redo(self, interrupt: Interrupt | None = None) -> Undone | None:
        """Take the last undoing back; None if the user declined. Raises ``HermesError``."""
        return self._card(self._undoer.redo, interrupt)

    def _card(
        self, work: "Callable[[_Confirm, Interrupt], Undone | None]", interrupt: Interrupt | None
    ) -> Undone | None:
        with self._alone(interrupt) as latch:
            return self._carry_out(work, latch)

    def _carry_out(
        self, work: "Callable[[_Confirm, Interrupt], Undone | None]", latch: Interrupt
    ) -> Undone | None:
        card = _Card(self._emit, latch, can_ask=self._can_ask)
        began = time.time_ns()
        try:
            done = work(card.confirm, latch)
        except BaseException as error:
            stopped = isinstance(error, Interrupted)
            card.end("Interrupted by the user." if stopped else str(error), failed=True)
            raise
        self._files.commands_ran(began)
        card.end(_DECLINED if done is None else told(done), failed=done is None)
        return done


_Confirm = Callable[[str, Sequence[CardContent], Sequence[Path]], bool]


class _Card:
    """The card of one undoing; it appears once there is something to put back."""

    def __init__(self, emit: Emit, interrupt: Interrupt, *, can_ask: bool) -> None:
        self._id = f"{NAME}_{uuid.uuid4().hex[:12]}"
        self._emit = emit
        self._interrupt = interrupt
        self._can_ask = can_ask
        self._open = False

    def confirm(self, title: str, content: Sequence[CardContent], paths: Sequence[Path]) -> bool:
        """Show what would be put back; return whether it may be."""
        shown = tuple(content)
        places = tuple(Location(str(path)) for path in paths)
        arguments = {"paths": [str(path) for path in paths]}
        self._open = True
        self._emit(ToolCallStarted(self._id, NAME, title, "edit", arguments, shown, places))
        if self._can_ask:
            action = Action("edit", title, tuple(paths))
            question = ApprovalRequested(
                self._id, title, "edit", action, _WHY, arguments, shown, places
            )
            if ask(question, self._emit, self._interrupt) not in ("allow_once", "allow_always"):
                return False
        self._emit(ToolCallRunning(self._id))
        return True

    def end(self, text: str, *, failed: bool) -> None:
        """End the card, if it appeared."""
        if self._open:
            self._emit(ToolCallFinished(self._id, NAME, "failed" if failed else "completed", text))


def told(done: Undone) -> str:
    """Return what was put back and what was not, as Markdown."""
    lines = []
    if done.changed:
        lines.append(f"Put back: {_named(done.changed)}.")
    if done.kept:
        lines.append(f"{_LEFT}: {_named(done.kept)}.")
    return " ".join(lines) or "No file had to be put back."


def _named(paths: Sequence[Path]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:20])
    return shown if len(paths) <= 20 else f"{shown} and {len(paths) - 20} more"
