"""``hermes chat``: a conversation in the terminal, through the protocol that editors use."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.text import Text

from acp_server.cli.client import AcpClient
from acp_server.cli.connection import Params, RpcFailure
from acp_server.cli.console import Failure, Quit, is_terminal, say, terminal
from acp_server.cli.entry import Entry
from acp_server.cli.keyboard import Keyboard, silence
from acp_server.cli.live import LivePaper
from acp_server.cli.paper import Paper, PlainPaper
from acp_server.cli.piped import read_piped, with_piped
from acp_server.cli.printable import visible, visible_line
from acp_server.cli.questions import Asker, KeyAsker, NobodyAsker, TerminalFace
from acp_server.cli.transcript import Transcript
from acp_server.cli.turns import LEAVE, NEW, Turns, explained
from hermes_core.ground.advice import parts_of
from hermes_core.ground.version import __version__
from hermes_core.local.config import hermes_home
from hermes_core.sessions.finding import NotFound, choose

INTERRUPTED = 130
SHORT_ID = 8
HELP = "Enter sends · Alt-Enter starts a line · Ctrl-C stops a turn · /quit leaves"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What the command line said.

    ``resume``: None for a new session, empty for the folder's last one, else an id, the beginning
    of one, or a title.
    """

    cwd: Path
    command: Sequence[str]
    prompt: str | None = None
    resume: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """One agent, started and initialized, and what shows it."""

    client: AcpClient
    transcript: Transcript
    turns: Turns
    face: TerminalFace


def run_to_end(work: Coroutine[Any, Any, int]) -> int:
    """Run ``work`` on an event loop; SIGTERM and SIGHUP end it in order. Return the exit code."""
    ended_by: list[int] = []

    async def guarded() -> int:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)

        def end(number: int) -> None:
            ended_by.append(number)
            task.cancel()

        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end, number)
        try:
            return await task
        except Quit:
            return INTERRUPTED
        except asyncio.CancelledError:
            if not ended_by:
                raise
            return 128 + ended_by[0]

    try:
        return asyncio.run(guarded())
    except KeyboardInterrupt:
        return INTERRUPTED


@asynccontextmanager
async def seated(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], otherwise: Asker
) -> AsyncIterator[Seat]:
    """Start the agent ``command`` and show it on this terminal; end it on leaving.

    ``otherwise`` answers questions where no person can: without a terminal on both sides.
    """
    paper: Paper = PlainPaper(lambda text: say(text, end=""))
    live: LivePaper | None = None
    show: Callable[[Text | None], None] = partial(_show_block, paper)
    if is_terminal(sys.stdout) and not (console := terminal()).is_dumb_terminal:
        paper = live = LivePaper(console)
        show = live.footer
    keys: Keyboard | None = None
    asker = otherwise
    if is_terminal(sys.stdin) and is_terminal(sys.stdout):
        keys = Keyboard(sys.stdin.fileno())
        asker = KeyAsker(show, keys)
    transcript = Transcript(paper, cwd)
    face = TerminalFace(transcript, asker)
    client = await AcpClient.start(command, cwd=cwd, env=env, face=face)
    try:
        await client.initialize(__version__, forms=keys is not None)
        yield Seat(client, transcript, Turns(client, transcript, live, keys), face)
    except RpcFailure as failure:
        raise explained(failure) from failure
    finally:
        await client.close()


def run_chat(options: ChatOptions) -> int:
    """Run ``hermes chat``; return the exit code. Raises ``Failure``."""
    if options.prompt is not None:
        return run_to_end(_one_turn(options, with_piped(options.prompt)))
    if is_terminal(sys.stdin):
        return run_to_end(_conversation(options))
    prompt = read_piped().strip()
    if not prompt:
        raise Failure(
            "There is nothing to ask: no prompt was given, and stdin is empty.",
            'Ask with `hermes chat "your question"`, or run `hermes chat` in a terminal.',
        )
    return run_to_end(_one_turn(options, prompt))


async def _one_turn(options: ChatOptions, prompt: str) -> int:
    async with seated(options.command, options.cwd, os.environ, NobodyAsker()) as seat:
        await _open(seat, options)
        with _way_back_told(seat):
            reason = await seat.turns.run(prompt)
            if typed := seat.turns.take_typed():
                seat.transcript.remark(f"Typed meanwhile, and not sent: {visible(typed)}")
    if reason == "cancelled":
        return INTERRUPTED
    return 0 if reason == "end_turn" else 1


async def _conversation(options: ChatOptions) -> int:
    entry = Entry(hermes_home(os.environ) / "history")
    async with AsyncExitStack() as stack:
        stack.enter_context(silence(sys.stdin.fileno()))
        starting = seated(options.command, options.cwd, os.environ, NobodyAsker())
        seat = await stack.enter_async_context(starting)
        about = await _open(seat, options)
        seat.transcript.remark(_banner(options.cwd, about), "bold", "banner")
        seat.transcript.remark(HELP, "dim", "banner")
        with _way_back_told(seat):
            while True:
                say()
                prompt = await _next_prompt(seat.client, entry, seat.turns.take_typed())
                if prompt is None or prompt.strip() in LEAVE:
                    return 0
                if prompt.strip() == NEW:
                    await _open_new(seat, options)
                elif prompt.strip():
                    await seat.turns.run(prompt)
                    entry.remember(seat.turns.typed)


async def _open_new(seat: Seat, options: ChatOptions) -> None:
    """Begin again in a session of its own; the one before stays in the list."""
    before = visible_line(seat.client.session_id[:SHORT_ID])
    kept = bool(seat.turns.count or seat.client.resumed)
    about = await _open(seat, replace(options, resume=None))
    seat.client.resumed = False
    seat.turns.count = 0
    seat.transcript.remark(_banner(options.cwd, about), "bold", "banner")
    if kept:
        words = f"`hermes chat --resume={before}` goes on with the session before."
        seat.transcript.remark(words, "dim", "banner")


@contextmanager
def _way_back_told(seat: Seat) -> Iterator[None]:
    """In the end, tell a person at the terminal how to go on, if the session holds a message."""

    def tell() -> None:
        if is_terminal(sys.stdout) and (seat.turns.count or seat.client.resumed):
            short = visible_line(seat.client.session_id[:SHORT_ID])
            words = f"Session {short} · `hermes chat --resume={short}` goes on with it."
            seat.transcript.remark(words, "dim", "farewell")

    try:
        yield
    except Quit:
        tell()
        raise
    tell()


async def _next_prompt(client: AcpClient, entry: Entry, typed: str) -> str | None:
    """Wait for a prompt, or for the end of the agent, whichever comes first.

    ``typed`` is the beginning of the prompt, to be gone on with.
    """
    reading = asyncio.ensure_future(entry.read(typed))
    ending = asyncio.ensure_future(client.gone())
    try:
        await asyncio.wait((reading, ending), return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():
            raise await client.death()
        return reading.result()
    finally:
        for task in (reading, ending):
            task.cancel()
        await asyncio.gather(reading, ending, return_exceptions=True)


async def _open(seat: Seat, options: ChatOptions) -> Params:
    """Open the session that was asked for; a resumed one is shown from its beginning."""
    if options.resume is None:
        about = await seat.client.new_session(options.cwd)
    else:
        session_id, cwd = await _find_session(seat.client, options)
        about = await seat.client.load_session(session_id, cwd)
        seat.transcript.settle()
    if options.mode is not None:
        await seat.client.set_mode(options.mode)
        about = {**about, "modes": {"currentModeId": options.mode}}
    return about


async def _find_session(client: AcpClient, options: ChatOptions) -> tuple[str, Path]:
    wanted = options.resume or ""
    found = await client.sessions(None if wanted else options.cwd)
    if not wanted and not found:
        raise Failure(
            f"There is no earlier session in {options.cwd}.",
            "Start one with `hermes chat`, or name one from elsewhere: `hermes chat --resume ID`.",
        )
    if wanted:
        return _chosen(wanted, found, options.cwd)
    return str(found[0]["sessionId"]), Path(str(found[0].get("cwd", options.cwd)))


def _chosen(wanted: str, found: Sequence[Params], cwd: Path) -> tuple[str, Path]:
    """Return the session that ``wanted`` means and its folder; raises ``Failure``."""
    folders = {str(s.get("sessionId", "")): Path(str(s.get("cwd", cwd))) for s in found}
    titled = [(str(s.get("sessionId", "")), str(s.get("title") or "")) for s in found]
    try:
        session_id = choose(wanted, titled)
    except NotFound as error:
        what, next_step = parts_of(str(error))
        raise Failure(what, next_step) from None
    return session_id, folders[session_id]


def _show_block(paper: Paper, text: Text | None) -> None:
    if text is not None:
        paper.block(text)


def _banner(cwd: Path, about: Params) -> str:
    modes = about.get("modes") or {}
    home = str(Path.home())
    place = str(cwd)
    if place == home or place.startswith(f"{home}/"):
        place = f"~{place[len(home) :]}"
    model = ((about.get("_meta") or {}).get("hermes") or {}).get("model")
    mode = modes.get("currentModeId")
    parts = [f"Hermes {__version__}", place, model, mode and f"mode {mode}"]
    return " · ".join(visible_line(str(part)) for part in parts if part)
