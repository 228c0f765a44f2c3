"""One session of the editor, and the turn that runs in it.

A turn is a thread. It is registered before anything is awaited, so that a cancel which follows the
prompt at once finds it. A cancelled turn is answered within ``GRACE`` seconds even if its thread
hangs in something that cannot be interrupted; what the thread still shows is then dropped, and the
next turn waits for it.
"""

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from acp_server.rpc.errors import INVALID_REQUEST, RpcError
from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import Event
from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent

GRACE = 0.08
"""Seconds that a cancelled turn has to end by itself before it is answered over its head."""

_log = logging.getLogger(__name__)


class Ask(Protocol):
    """Sends a request to the client, from any thread; ``timeout`` in seconds, None for ever."""

    def __call__(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "concurrent.futures.Future[dict[str, Any]]": ...


class Screen(Protocol):
    """What shows a session's events; open during a turn only."""

    def begin(self, interrupt: Interrupt) -> None:
        """Let events through from now on; ``interrupt`` ends any waiting for a slow client."""
        ...

    def __call__(self, event: Event) -> None:
        """Show ``event``, if a turn runs."""
        ...

    def send(self, update: dict[str, Any]) -> None:
        """Show one update of the protocol as it is, if a turn runs."""
        ...

    def end(self) -> None:
        """End every card that is still open and let nothing through any more."""
        ...


Work = Callable[[Interrupt], Mapping[str, Any]]
"""What a turn does until its latch is set; raises ``Interrupted`` then, or returns early."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended: with what the work returned, with an error, or cancelled."""

    result: Mapping[str, Any] | None = None
    error: BaseException | None = None
    cancelled: bool = False


class Turn:
    """One prompt, from its acceptance to its answer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.interrupt = Interrupt()
        self.answered: asyncio.Future[Outcome] = loop.create_future()
        self.finished: concurrent.futures.Future[None] = concurrent.futures.Future()
        """Done when neither this turn's thread nor one before it runs any more."""


class AcpSession:
    """A session that the editor has open. ``agent`` is set once, before the first turn.

    stale: whether the last turn failed for its settings, which may be better by now.
    """

    agent: "AIAgent"
    stale: bool = False

    def __init__(self, session_id: str, cwd: Path, screen: Screen) -> None:
        self.id = session_id
        self.cwd = cwd
        self.screen = screen
        self._notices: list[str] = []
        self._turn: Turn | None = None
        self._idle = Interrupt()

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
        return self._turn is not None and not self._turn.answered.done()

    @property
    def interrupt(self) -> Interrupt:
        """The latch of the running turn; one that nobody sets while there is none."""
        return self._idle if self._turn is None else self._turn.interrupt

    def start_turn(self, work: Work) -> Turn:
        """Run ``work`` as the session's turn, on a thread of its own.

        Call it on the loop's thread. Raises ``RpcError`` (-32600) while another turn runs.
        """
        if self.busy:
            text = "A turn is already running in this session; wait for its end or cancel it."
            raise RpcError(INVALID_REQUEST, text)
        loop = asyncio.get_running_loop()
        before = self._turn.finished if self._turn else None
        turn = self._turn = Turn(loop)
        threading.Thread(
            target=self._run, args=(turn, before, work, loop), name=f"turn-{self.id}", daemon=True
        ).start()
        return turn

    def cancel(self) -> None:
        """Cancel the running turn, if there is one; on the loop's thread, at any time, repeatedly.

        Its answer is ``cancelled`` from here on, whatever the turn still does.
        """
        turn = self._turn
        if turn is None or not self.busy or turn.interrupt.is_set():
            return
        turn.interrupt.set()
        asyncio.get_running_loop().call_later(GRACE, self._answer, turn, Outcome(cancelled=True))

    def wait_for_thread(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the last turn's thread to end; return whether it has."""
        if self._turn is None:
            return True
        done, _ = concurrent.futures.wait([self._turn.finished], seconds)
        return bool(done)

    def _run(
        self,
        turn: Turn,
        before: "concurrent.futures.Future[None] | None",
        work: Work,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        try:
            _wait_for(before, turn.interrupt)
            self.screen.begin(turn.interrupt)
            outcome = Outcome(result=work(turn.interrupt))
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
