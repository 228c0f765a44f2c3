"""Keeps, turn by turn, what it takes to go back: where the history stood, and the files before."""

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from hermes_core.agent.authorship import Authorship
from hermes_core.agent.consent import Consent
from hermes_core.ground.actions import Action
from hermes_core.ground.errors import HermesError, ToolError
from hermes_core.ground.events import Emit, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.environment import find_program
from hermes_core.sessions.checkpoints import Checkpoints
from hermes_core.sessions.shadow import TIMEOUT, Shadow
from hermes_core.sessions.store import Store

FOLDER = "snapshots"
"""The folder of ``$HERMES_HOME`` that holds the shadows, one a workspace folder."""

_PATIENCE = 120.0
"""Seconds for a run of git that nobody waits for."""

_STEP = 0.02
_QUIET = 1.0
"""Seconds that are waited for before a person is told why."""

_WAITING = "A first snapshot of the workspace is being taken, so that this turn can be undone."

_log = logging.getLogger(__name__)


class Shadows:
    """The shadows of a session's folders, by folder; none without git.

    environ: returns the environment of commands, of which the PATH is used.
    """

    def __init__(
        self, home: Path, roots: Sequence[Path], environ: Callable[[], Mapping[str, str]]
    ) -> None:
        self._home = home
        self._roots = [root.resolve() for root in roots]
        self._environ = environ
        self._made: dict[str, Shadow] | None = None

    @property
    def by_root(self) -> Mapping[str, Shadow]:
        """Real path of a folder and its shadow; raises ``ToolError`` where there is no git."""
        if self._made is None:
            self._made = {str(root): self.shadow_of(str(root)) for root in self._roots}
        return self._made

    def shadow_of(self, root: str, patience: float = TIMEOUT) -> Shadow:
        """Return the shadow of any folder; ``patience`` in seconds for each run of git."""
        environ = self._environ()
        git = find_program("git", environ.get("PATH", ""))
        if git is None:
            raise ToolError("git is needed to keep snapshots of files, and it is not installed.")
        name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:20]
        place = self._home / FOLDER / f"{name}.git"
        return Shadow(
            place, Path(root), git=git, env=environ, patience=patience, without=self._home
        )


def forget_snapshots(
    home: Path, environ: Mapping[str, str], is_kept: Callable[[str, str], bool]
) -> None:
    """Delete the snapshots that ``is_kept`` denies, by session id and tree. Never raises."""
    git = find_program("git", environ.get("PATH", ""))
    for place in sorted((home / FOLDER).glob("*.git")) if git else ():
        try:
            Shadow(place, place, git=git or "", env=environ).forget(is_kept, Interrupt())
        except HermesError as error:
            _log.warning("old snapshots could not be deleted: %s", error)


class Checkpointing:
    """Makes one checkpoint a turn; the files are looked at before the turn's first change.

    What fails is said once a session, and never stops a turn.
    """

    def __init__(
        self, store: Store, session_id: Callable[[], str], shadows: Shadows, emit: Emit
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._shadows = shadows
        self._emit = emit
        self._number: int | None = None
        self._taken: dict[str, str] = {}
        self._authorship = Authorship()
        self._looked = False
        self._told = False
        self._lock = threading.Lock()
        self._warming: threading.Thread | None = None

    def begin(self, title: str, message_id: str) -> None:
        """Begin a turn whose prompt is stored; ``title`` is its text. One before it ends."""
        self.end()
        self._taken, self._looked = {}, False
        self._authorship = Authorship()
        self._number = self._rows().add(message_id, title)

    def warm(self) -> None:
        """Begin in the background what the first snapshot of a large folder takes long for."""
        with self._lock:
            if self._warming is None and self._number is not None:
                self._warming = threading.Thread(target=self._warm, name="snapshot", daemon=True)
                self._warming.start()

    def before_change(self, interrupt: Interrupt) -> None:
        """Look at the files, if this is the turn's first change; raises ``Interrupted``.

        May be called from any thread; each returns once the files have been looked at.
        """
        with self._lock:
            if self._looked or self._number is None:
                return
            self._looked = True
            self._await_warming(interrupt)
            self._look(self._number, interrupt)

    def watch(self, consent: Consent) -> None:
        """Be told of the calls that ``consent`` lets run, in any thread."""
        consent.before_call = self.warm
        consent.before_change = self.before_change
        consent.around = self._around

    def _around(self, action: Action) -> AbstractContextManager[None]:
        return self._authorship.watch(action)  # that of the turn which runs now

    def _warm(self) -> None:
        try:
            for root in self._shadows.by_root:
                self._shadows.shadow_of(root, _PATIENCE).take(Interrupt())
        except HermesError as error:
            _log.info("the first snapshot was not made ahead: %s", error)

    def _await_warming(self, interrupt: Interrupt) -> None:
        """Wait for the first snapshot, as long as one may take; a person is told of it."""
        waited = 0.0
        while self._warming is not None and self._warming.is_alive() and waited < TIMEOUT:
            if waited >= _QUIET and waited - _STEP < _QUIET:
                self._emit(StatusChanged("info", _WAITING))
            interrupt.wait(_STEP)
            interrupt.raise_if_set()
            waited += _STEP

    def _look(self, number: int, interrupt: Interrupt) -> None:
        left_out: list[str] = []
        try:
            for root, shadow in self._shadows.by_root.items():
                taken = shadow.take(interrupt)
                shadow.keep(self._session_id(), taken.tree, interrupt)
                self._rows().set_before(number, root, taken.tree)
                self._taken[root] = taken.tree
                left_out += taken.left_out
        except HermesError as error:
            if not isinstance(error, ToolError):
                raise
            self._tell(f"{error} What this session changes in files cannot be undone by /undo.")
        else:
            if left_out:
                self._tell(_left_out(left_out))

    def end(self) -> None:
        """Look at the files again, if the turn may have changed some."""
        number, self._number = self._number, None
        if number is None:
            return
        try:
            for root, before in self._taken.items():
                shadow = self._shadows.by_root[root]
                taken = shadow.take(Interrupt())
                shadow.keep(self._session_id(), taken.tree, Interrupt())
                changes = shadow.changes(before, taken.tree, Interrupt())
                others = self._authorship.others(root, changes)
                others |= dict.fromkeys(shadow.hidden(before, changes, Interrupt()), "only")
                self._rows().set_after(number, root, taken.tree, others)
        except HermesError as error:
            _log.warning("the files after a turn could not be kept: %s", error)

    def _rows(self) -> Checkpoints:
        return Checkpoints(self._store, self._session_id())

    def _tell(self, text: str) -> None:
        _log.info("session %s: %s", self._session_id(), text)
        if not self._told:
            self._told = True
            self._emit(StatusChanged("info", text))


def _left_out(paths: Sequence[str]) -> str:
    named = ", ".join(sorted(paths)[:3]) + (" and more" if len(paths) > 3 else "")
    return (
        f"Not covered by /undo: {named}. It holds files of up to 5 MB, and no repositories within"
        " the workspace."
    )
