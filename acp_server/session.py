"""One session of the editor: the turn that runs in it, and those that wait.

A turn is a thread. It is registered before anything is awaited, so that a cancel which follows the
prompt at once finds it. A cancelled turn is answered within ``GRACE`` seconds even if its thread
hangs in something that cannot be interrupted; what the thread still shows is then dropped, and the
next turn waits for it.

A prompt that comes while a turn runs waits. It begins once the answer of the turn before is on its
way (``leave``), so that nothing of it can be taken for a part of that one.
"""

import asyncio
import concurrent.futures
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from acp_server.rpc.errors import INVALID_REQUEST, RpcError
from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import Event
from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent
    from hermes_core.commands.seat import Command

GRACE = 0.08
"""Seconds that a cancelled turn has to end by itself before it is answered over its head."""

MOST_WAITING = 100
"""Prompts that may wait in one session."""

_log = logging.getLogger(__name__)


class Ask(Protocol):
    """Sends a request to the client, from any thread; ``timeout`` in seconds, None for ever."""

    def __call__(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "concurrent.futures.Future[dict[str, Any]]": ...


class Screen(Protocol):
    """What shows a session's events; open while a prompt is."""

    def begin(self, interrupt: Interrupt) -> None:
        """Let events through from now on; ``interrupt`` ends any waiting for a slow client."""
        ...

    def __call__(self, event: Event) -> None:
        """Show ``event``, if a turn runs."""
        ...

    def send(self, update: dict[str, Any]) -> None:
        """Show one update of the protocol as it is, if a turn runs."""
        ...

    def tell(self, update: dict[str, Any]) -> None:
        """Send an update of the session itself, which may come between turns."""
        ...

    def announce(self, event: Event) -> None:
        """Show a notice about the session itself, whether a turn runs or not; from any thread."""
        ...

    def aside(self, interrupt: Interrupt) -> AbstractContextManager[None]:
        """Let what this thread shows through, whether a turn runs or not."""
        ...

    def end(self) -> None:
        """End every card that is still open and let nothing through any more."""
        ...


class Options(Protocol):
    """What a session can be set to, as its client sees it; may be used from any thread."""

    def listed(self) -> list[dict[str, Any]]:
        """Return all options, for an answer; the client knows them then."""
        ...

    def choose(self, option: str, value: object) -> None:
        """Set one; raises ``ConfigError``."""
        ...

    def changes(self) -> list[dict[str, Any]]:
        """Return the updates that tell what changed since the client was told last."""
        ...

    def tell_changes(self) -> None:
        """Tell the client what changed, when that may be told."""
        ...


class Commands(Protocol):
    """What can be typed in a session; may be used from any thread."""

    def find(self, blocks: Sequence[dict[str, Any]]) -> "tuple[Command, str] | None":
        """Return the command that a prompt is, and its argument; None for any other prompt."""
        ...

    def filled(self, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a prompt of several blocks with what its first one means."""
        ...

    def listed(self) -> dict[str, Any]:
        """Return the update that tells of them; the client knows them then."""
        ...

    def tell_changes(self) -> None:
        """Tell the client, if there are others than it was told of."""
        ...


Work = Callable[["Turn"], Mapping[str, Any]]
"""What a turn does until its latch is set; raises ``Interrupted`` then, or returns early."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended: with what the work returned, with an error, or cancelled."""

    result: Mapping[str, Any] | None = None
    error: BaseException | None = None
    cancelled: bool = False


class Turn:
    """One prompt, from its acceptance to its answer.

    number: under which its message waits in the store, if it does. sends: the numbers of what an
    earlier run left, and this turn sends. held: whether it is not to begin yet. dropped: whether
    the user gave up all of it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Work) -> None:
        self.work = work
        self.interrupt = Interrupt()
        self.number: int | None = None
        self.sends: tuple[int, ...] = ()
        self.dropped = False
        self.held = False
        self.answered: asyncio.Future[Outcome] = loop.create_future()
        self.finished: concurrent.futures.Future[None] = concurrent.futures.Future()
        """Done when neither this turn's thread nor one before it runs any more."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """All its numbers in the store."""
        return self.sends if self.number is None else (self.number, *self.sends)


class AcpSession:
    """A session that the editor has open. ``agent``, ``options`` and ``commands`` are set
    before any turn.

    trace: the trace context of the running turn, for ``_meta`` of what it sends.
    told: what the client was told last of the session itself, see ``methods.kept.told_of``.
    stale: whether the last turn failed for its settings, which may be better by now.
    keeping: held while a waiting prompt is stored, so that the store has them in their order.
    All methods but ``wait_for_thread`` are for the loop's thread.
    """

    agent: "AIAgent"
    options: Options
    commands: Commands
    stale: bool = False

    def __init__(self, session_id: str, cwd: Path, screen: Screen) -> None:
        self.id = session_id
        self.cwd = cwd
        self.screen = screen
        self.keeping = asyncio.Lock()
        self.trace: Mapping[str, str] = {}
        self.told: list[dict[str, Any]] = []
        self._notices: list[str] = []
        self._turn: Turn | None = None
        self._last: Turn | None = None
        self._waiting: deque[Turn] = deque()
        self._idle = Interrupt()
        self._open: set[Turn] = set()
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def add_notice(self, text: str) -> None:
        """Have the person told at the next prompt to the model."""
        self._notices.append(text)

    def take_notices(self) -> list[str]:
        """Return what the person should be told, each text once."""
        texts, self._notices = self._notices, []
        return texts

    @property
    def busy(self) -> bool:
        """Whether a prompt waits for its answer."""
        return self._turn is not None or bool(self._waiting)

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers in the store of all that the open prompts say."""
        turns = self._waiting if self._turn is None else (self._turn, *self._waiting)
        return frozenset(number for turn in turns for number in turn.numbers)

    @property
    def interrupt(self) -> Interrupt:
        """The latch of the running turn; one that nobody sets while there is none."""
        return self._idle if self._turn is None else self._turn.interrupt

    def place(self, turn: Turn) -> int:
        """Return how many turns are to end before ``turn`` begins; 0 for the one that runs."""
        return 1 + self._waiting.index(turn) if turn in self._waiting else 0

    def enter(self, work: Work) -> Turn:
        """Run ``work`` as the session's turn on a thread of its own, once no other one runs.

        One that has to wait is held until ``admit``. Every turn is to be given to ``leave``. Raises
        ``RpcError`` (-32600) if too many wait.
        """
        if len(self._waiting) >= MOST_WAITING:
            text = f"{MOST_WAITING} prompts wait in this session already; let some end, or cancel."
            raise RpcError(INVALID_REQUEST, text)
        turn = Turn(asyncio.get_running_loop(), work)
        self._open.add(turn)
        self._is_idle.clear()
        if not self.busy:
            self._start(turn)
            return turn
        turn.held = True
        self._waiting.append(turn)
        return turn

    def admit(self, turn: Turn, number: int | None = None) -> None:
        """Let a waiting turn begin when its time comes; ``number``: its number in the store."""
        turn.number = number
        turn.held = False
        self._advance()

    def leave(self, turn: Turn) -> None:
        """Let the next turn begin: the answer of this one is on its way."""
        self._open.discard(turn)
        if not self._open:
            self._is_idle.set()
        if turn is self._turn:
            self._turn = None
            self._advance()

    def cancel(self) -> None:
        """Cancel the running turn and all that wait; at any time, repeatedly."""
        for turn in list(self._waiting):
            self.drop(turn)
        if self._turn is not None:
            self.drop(self._turn)

    def stop(self) -> bool:
        """Cancel the running turn alone; return whether there was one.

        Its answer is ``cancelled`` from here on, whatever the turn still does.
        """
        turn = self._turn
        if turn is None or turn.answered.done():
            return False
        self._interrupt(turn)
        return True

    def drop(self, turn: Turn) -> None:
        """Cancel one turn, whether it runs or waits."""
        turn.dropped = True
        if turn is self._turn:
            self.stop()
        elif turn in self._waiting:
            self._dismiss(turn, Outcome(cancelled=True))

    def drop_numbers(self, numbers: Iterable[int]) -> None:
        """Cancel the waiting turns that have these numbers in the store."""
        wanted = set(numbers)
        for turn in [turn for turn in self._waiting if turn.number in wanted]:
            self.drop(turn)

    def fail(self, turn: Turn, error: BaseException) -> None:
        """Answer a waiting turn with an error; it never begins."""
        if turn in self._waiting:
            self._dismiss(turn, Outcome(error=error))

    def close(self) -> None:
        """Cancel all turns because the session ends; what waits stays in the store."""
        for turn in list(self._waiting):
            self._dismiss(turn, Outcome(cancelled=True))
        if self._turn is not None and not self._turn.answered.done():
            self._interrupt(self._turn)

    async def wait_until_idle(self) -> None:
        """Wait until every prompt has its answer; of one that is not cancelled, for its end."""
        await self._is_idle.wait()

    def wait_for_thread(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the last turn's thread to end; return whether it has."""
        if self._last is None:
            return True
        done, _ = concurrent.futures.wait([self._last.finished], seconds)
        return bool(done)

    def _dismiss(self, turn: Turn, outcome: Outcome) -> None:
        self._waiting.remove(turn)
        turn.interrupt.set()
        turn.finished.set_result(None)
        turn.answered.set_result(outcome)
        self._advance()

    def _interrupt(self, turn: Turn) -> None:
        if not turn.interrupt.is_set():
            turn.interrupt.set()
            loop = asyncio.get_running_loop()
            loop.call_later(GRACE, self._answer, turn, Outcome(cancelled=True))

    def _advance(self) -> None:
        if self._turn is None and self._waiting and not self._waiting[0].held:
            self._start(self._waiting.popleft())

    def _start(self, turn: Turn) -> None:
        before = self._last.finished if self._last else None
        self._turn = self._last = turn
        arguments = (turn, before, asyncio.get_running_loop())
        threading.Thread(
            target=self._run, args=arguments, name=f"turn-{self.id}", daemon=True
        ).start()

    def _run(
        self,
        turn: Turn,
        before: "concurrent.futures.Future[None] | None",
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        try:
            _wait_for(before, turn.interrupt)
            self.screen.begin(turn.interrupt)
            outcome = Outcome(result=turn.work(turn))
        except Interrupted:
            outcome = Outcome(cancelled=True)
        except BaseException as error:
            _log.exception("the turn of session %s failed", self.id)
            outcome = Outcome(error=error)
        self.screen.end()
        if before is None:
            turn.finished.set_result(None)
        else:  # which may still run if this turn was cancelled while it waited
            before.add_done_callback(lambda _: turn.finished.set_result(None))
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(self._answer, turn, outcome)

    def _answer(self, turn: Turn, outcome: Outcome) -> None:
        if turn.answered.done():
            return
        if turn.interrupt.is_set():
            self.screen.end()
            outcome = Outcome(cancelled=True)
        turn.answered.set_result(outcome)


def _wait_for(before: "concurrent.futures.Future[None] | None", interrupt: Interrupt) -> None:
    """Wait for the thread of a turn that was answered over its head."""
    if before is not None and not before.done():
        wake = threading.Event()
        before.add_done_callback(lambda _: wake.set())
        forget = interrupt.listen(wake.set)
        wake.wait()
        forget()
    interrupt.raise_if_set()
