"""One turn in the terminal: the live part, Ctrl-C, and how it ended."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress

from acp_server.cli.client import AcpClient
from acp_server.cli.connection import RpcFailure
from acp_server.cli.console import Failure, Quit
from acp_server.cli.keyboard import Keyboard
from acp_server.cli.live import FRAME_SECONDS, LivePaper
from acp_server.cli.printable import visible, visible_line
from acp_server.cli.transcript import Transcript
from hermes_core.ground.advice import parts_of

AUTH_REQUIRED = -32000
FAILED = "failed"
WITHOUT_KEY = (
    "Run `hermes acp --setup` to choose a provider, or `hermes doctor` to see what is set."
)
WITH_LOG = "Run `hermes doctor`; its log, logs/hermes.log in your Hermes folder, may tell more."


def explained(failure: RpcFailure) -> Failure:
    """Return an error answer of the agent as one that is told in two lines."""
    what, next_step = parts_of(failure.details or failure.message)
    advice = WITHOUT_KEY if failure.code == AUTH_REQUIRED else WITH_LOG
    return Failure(what, next_step or advice)


class Turns:
    """Runs the turns of one session. ``live`` is the paper, where that is a terminal.

    ``count`` is how many there were.
    """

    def __init__(
        self,
        client: AcpClient,
        transcript: Transcript,
        live: LivePaper | None,
        keyboard: Keyboard | None,
    ) -> None:
        self.count = 0
        self._client = client
        self._transcript = transcript
        self._live = live
        self._keyboard = keyboard
        self._stopping = False
        self._cancelling: asyncio.Task[None] | None = None

    async def run(self, text: str) -> str:
        """Send ``text`` and show the turn; return its stop reason, or ``FAILED``.

        The first Ctrl-C cancels the turn, the second raises ``Quit``. Raises ``Failure`` if the
        agent dies.
        """
        self.count += 1
        began = time.monotonic()
        prompt = asyncio.ensure_future(self._client.prompt(text))
        with ExitStack() as stack:
            stack.enter_context(self._interruptible(prompt))
            if self._keyboard is not None:
                stack.enter_context(self._keyboard.listening())
            async with self._drawing():
                try:
                    reason = await prompt
                except RpcFailure as failure:
                    self._fail(failure)
                    return FAILED
                except asyncio.CancelledError:
                    if self._stopping:
                        raise Quit from None
                    raise
                finally:
                    self._transcript.settle()
                self._transcript.end_turn(reason, time.monotonic() - began)
        return reason

    def take_typed(self) -> str:
        """Return the text that was typed while turns ran, and forget it."""
        return "" if self._keyboard is None else self._keyboard.take_typed()

    @contextmanager
    def _interruptible(self, prompt: "asyncio.Future[str]") -> Iterator[None]:
        loop = asyncio.get_running_loop()
        self._stopping = False
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, self._interrupt, prompt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)
            if not prompt.done():
                prompt.cancel()

    def _interrupt(self, prompt: "asyncio.Future[str]") -> None:
        if self._stopping:
            prompt.cancel()
            return
        self._stopping = True
        self._cancelling = asyncio.create_task(self._client.cancel())
        self._transcript.remark("Stopping. Ctrl-C again leaves at once.")

    @asynccontextmanager
    async def _drawing(self) -> AsyncIterator[None]:
        if self._live is None:
            yield
            return
        self._live.begin()
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
