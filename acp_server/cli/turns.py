"""Turns in the terminal: the live part, what is typed meanwhile, Ctrl-C, and how they ended."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field
from functools import partial

from acp_server.cli.client import AcpClient
from acp_server.cli.connection import Params, RpcFailure
from acp_server.cli.console import Failure, Quit
from acp_server.cli.keyboard import Keyboard
from acp_server.cli.live import FRAME_SECONDS, LivePaper
from acp_server.cli.printable import visible, visible_line
from acp_server.cli.transcript import Transcript
from hermes_core.ground.advice import parts_of

AUTH_REQUIRED = -32000
FAILED = "failed"

NEW = "/new"
"""What opens a new session. It is for the client to do, so it is not sent."""

LEAVE = ("/quit", "/exit")
LATER = (NEW, *LEAVE)
"""What cannot be done while a turn runs."""

WITHOUT_KEY = (
    "Run `hermes acp --setup` to choose a provider, or `hermes doctor` to see what is set."
)
WITH_LOG = "Run `hermes doctor`; its log, logs/hermes.log in your Hermes folder, may tell more."


def explained(failure: RpcFailure) -> Failure:
    """Return an error answer of the agent as one that is told in two lines."""
    what, next_step = parts_of(failure.details or failure.message)
    advice = WITHOUT_KEY if failure.code == AUTH_REQUIRED else WITH_LOG
    return Failure(what, next_step or advice)


@dataclass(slots=True, eq=False)
class Sent:
    """A prompt that was sent. told: whether the transcript shows it.

    began: when its turn did, or it was sent; begun: whether its turn did.
    """

    text: str
    told: bool
    began: float
    begun: bool
    task: "asyncio.Future[None]" = field(init=False)


class Turns:
    """Runs the turns of one session. ``live`` is the paper, where that is a terminal.

    What is typed with Enter while a turn runs is sent at once: the agent answers it now, or when
    what is before it has ended. ``count`` is how many prompts there were, ``typed`` those of them
    that were typed during the last run.
    """

    def __init__(
        self,
        client: AcpClient,
        transcript: Transcript,
        live: LivePaper | None,
        keyboard: Keyboard | None,
    ) -> None:
        self.count = 0
        self.typed: list[str] = []
        self._client = client
        self._transcript = transcript
        self._live = live
        self._keyboard = keyboard
        self._running = False
        self._stopping = False
        self._cancelling: asyncio.Task[None] | None = None
        self._open: list[Sent] = []
        self._reasons: list[str] = []

    async def run(self, text: str) -> str:
        """Send ``text`` and show its turn, and those of what is typed meanwhile.

        Returns the first stop reason that is not ``end_turn`` (``FAILED`` for an error), else that.
        The first Ctrl-C cancels, the second raises ``Quit``. Raises ``Failure`` if the agent dies.
        """
        self.typed, self._reasons = [], []
        self._running, self._stopping = True, False
        self._send(text, told=True)
        with ExitStack() as stack:
            stack.enter_context(self._interruptible())
            if self._keyboard is not None:
                stack.enter_context(self._listening(self._keyboard))
            async with self._drawing():
                try:
                    while self._open:
                        await self._open[0].task
                except asyncio.CancelledError:
                    if self._stopping:
                        raise Quit from None
                    raise
                finally:
                    self._running = False
                    await self._give_up()
        return next((reason for reason in self._reasons if reason != "end_turn"), "end_turn")

    def take_typed(self) -> str:
        """Return the text that was typed while turns ran and not sent, and forget it."""
        return "" if self._keyboard is None else self._keyboard.take_typed()

    def _listening(self, keyboard: Keyboard) -> AbstractContextManager[None]:
        if self._live is None:
            return keyboard.listening()
        return keyboard.listening(self._take, self._live.draw)

    def _send(self, text: str, *, told: bool) -> None:
        self.count += 1
        one = Sent(text, told, time.monotonic(), begun=told)
        self._open.append(one)
        one.task = asyncio.ensure_future(self._ask(one))

    async def _ask(self, one: Sent) -> None:
        with suppress(RpcFailure):  # told when it came
            await self._client.prompt(one.text, partial(self._answered, one))

    def _take(self, line: str) -> bool:
        """Send a line that was typed; return False for one that has to wait in its place."""
        if not self._running:
            return False
        if line.strip() in LATER:
            words = f"{line.strip()} is for when nothing runs. Ctrl-C stops what runs."
            self._transcript.remark(words, "yellow", "later")
            return False
        self._stopping = False
        self.typed.append(line)
        self._send(line, told=False)
        if len(self._open) == 1:
            self._begin_next()
        if line.lstrip().startswith("/"):  # it may be answered at once
            self._tell(self._open[-1])
        self._show_waiting()
        return True

    def _answered(self, one: Sent, answer: "asyncio.Future[Params]") -> None:
        """Show how a prompt ended; if it is the one whose turn ran, the next one begins."""
        ran = self._open[0] is one
        self._open.remove(one)
        failure = answer.exception()
        if isinstance(failure, RpcFailure):
            reason = FAILED
            self._fail(failure)
        else:
            reason = str(answer.result().get("stopReason", ""))
        self._reasons.append(reason)
        if reason == "cancelled" and not one.begun:
            self._transcript.remark(f"Not sent: {visible(one.text)}", "yellow", "forgotten")
        elif ran:
            self._transcript.settle()
            if reason != FAILED:
                self._transcript.end_turn(reason, time.monotonic() - one.began)
        if ran:
            self._begin_next()
        self._show_waiting()

    def _begin_next(self) -> None:
        if self._open and not self._stopping:
            self._open[0].began, self._open[0].begun = time.monotonic(), True
            self._tell(self._open[0])
            if self._live is not None:
                self._live.begin_next()

    def _tell(self, one: Sent) -> None:
        if not one.told:
            one.told = True
            self._transcript.typed(one.text)

    def _show_waiting(self) -> None:
        if self._live is not None:
            self._live.waiting([one.text for one in self._open[1:]])

    async def _give_up(self) -> None:
        """Let go of what is still open, and close what is still shown of it."""
        tasks = [one.task for one in self._open]
        self._open.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._transcript.settle()

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    def _interrupt(self) -> None:
        if self._stopping:
            for one in self._open:
                one.task.cancel()
            return
        self._stopping = True
        self._cancelling = asyncio.create_task(self._client.cancel())
        self._transcript.remark("Stopping. Ctrl-C again leaves at once.")

    @asynccontextmanager
    async def _drawing(self) -> AsyncIterator[None]:
        if self._live is None:
            yield
            return
        self._live.begin(None if self._keyboard is None else self._keyboard.line)
        ticker = asyncio.create_task(_tick(self._live))
        try:
            yield
        finally:
            ticker.cancel()
            with suppress(asyncio.CancelledError):
                await ticker
            self._live.end()

    def _fail(self, failure: RpcFailure) -> None:
        """Show of an error what the answer's text has not said already."""
        told = explained(failure)
        said = " ".join(self._transcript.said.split())
        if visible_line(told.what) not in said:
            self._transcript.remark(f"✗ {visible(told.what)}", "red", "error")
        if visible_line(told.next_step) not in said:
            self._transcript.remark(visible(told.next_step), "", "error")


async def _tick(live: LivePaper) -> None:
    while True:
        live.tick()
        await asyncio.sleep(FRAME_SECONDS)
