"""Commands in the editor's own terminals, where the user wants that and the editor has them.

One terminal a command: made, waited for, asked for its output, given back. It is given back once
and no more, whatever happens; also one that the editor tells of when nobody waits any more. What
is to end before its time is killed first. Every request has a time limit but the one that waits
for the program's end, which is given up when the caller's own limit is over.

What the editor answers is not trusted: what has another shape than the protocol says counts as no
answer. An editor that twice makes no terminal, or knows no such method, is not asked again. One
that answers with an error has refused that one terminal: some ask a person of their own.
"""

import concurrent.futures
import logging
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from acp_server.rpc.errors import METHOD_NOT_FOUND, RpcError
from acp_server.schema.terminals import CreateTerminalRequest
from acp_server.session import Ask
from hermes_core.ground.errors import NoTerminal
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Ended
from hermes_core.ground.visible import one_line

Future = concurrent.futures.Future[dict[str, Any]]
_Status = tuple[int | None, str | None]

TIME_LIMIT: Final = 10.0
"""Seconds that the editor has for one request."""

LATE: Final = 300.0
"""Seconds in which a terminal that nobody waits for is still taken, to be given back."""

GRACE: Final = 2.5
"""Seconds between a kill and the end that it leads to."""

CLOSING: Final = 5.0
"""Seconds that the next command waits for one before it that was killed."""

LAST_WORDS: Final = 0.04
"""Seconds that an interrupted command's output may take; its turn is to be answered at once."""

_PATIENCE: Final = 2
_MOST_WORDS: Final = 200
_LONGEST_ID: Final = 1_000
_MOST_CODE: Final = 0xFFFFFFFF

_log = logging.getLogger(__name__)


class ClientTerminals:
    """``ports.Terminals`` through ``terminal/create`` and what belongs to it."""

    def __init__(self, ask: Ask, session_id: str) -> None:
        self._ask = ask
        self._session_id = session_id
        self._failures = 0
        self._lock = threading.Lock()
        self._closing: set[Future] = set()

    def run(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        timeout: float,
        output_limit: int,
        interrupt: Interrupt,
        begun: Callable[[str], None],
    ) -> Ended:
        """Run a program in a new terminal; see ``ports.Terminals``."""
        self._wait_for_closing(interrupt)
        if interrupt.is_set():
            return Ended(interrupted=True)
        terminal = self._create(argv, cwd, output_limit, interrupt)
        if terminal is None:
            return Ended(interrupted=True)
        try:
            begun(terminal.id)
            return terminal.follow(timeout, interrupt)
        finally:
            self._close(terminal)

    def _create(
        self, argv: Sequence[str], cwd: Path, output_limit: int, interrupt: Interrupt
    ) -> "_Terminal | None":
        """Return a terminal, None if an interrupt came first; raise ``NoTerminal``."""
        if self._failures >= _PATIENCE:
            raise NoTerminal("it made none before")
        program, *arguments = argv
        params: CreateTerminalRequest = {
            "sessionId": self._session_id,
            "command": program,
            "args": arguments,
            "cwd": str(cwd),
            "outputByteLimit": output_limit,
        }
        future = self._ask("terminal/create", {**params}, timeout=LATE)
        if not _wait(future, TIME_LIMIT, interrupt):
            future.add_done_callback(self._close_late)
            if interrupt.is_set():
                return None
            self._failures += 1
            raise NoTerminal(f"it did not answer within {TIME_LIMIT:g} s")
        terminal = self._made(future)
        self._failures = 0
        return terminal

    def _made(self, future: Future) -> "_Terminal":
        try:
            name = _id_in(future.result())
        except RpcError as error:
            refused = error.code != METHOD_NOT_FOUND
            self._failures += 0 if refused else _PATIENCE
            raise NoTerminal(_reason(error), refused=refused) from error
        if name is None:
            self._failures += 1
            raise NoTerminal("its answer names none")
        return _Terminal(self._ask, self._session_id, name)

    def _close_late(self, future: Future) -> None:
        """Give back a terminal that came when nobody waited for it any more."""
        with suppress(RpcError, concurrent.futures.CancelledError):
            name = _id_in(future.result())
            if name is not None:
                terminal = _Terminal(self._ask, self._session_id, name)
                terminal.kill()
                self._close(terminal)

    def _close(self, terminal: "_Terminal") -> None:
        """Give the terminal back, after the answer to a kill if there was one; returns at once."""
        if terminal.killed is None:
            self._release(terminal)
            return
        closed: Future = concurrent.futures.Future()
        with self._lock:
            self._closing.add(closed)
        closed.add_done_callback(self._closed)

        def release(_: Future) -> None:
            released = self._release(terminal)
            released.add_done_callback(lambda _: closed.set_result({}))

        terminal.killed.add_done_callback(release)

    def _release(self, terminal: "_Terminal") -> Future:
        return terminal.request("terminal/release", TIME_LIMIT)

    def _closed(self, closed: Future) -> None:
        with self._lock:
            self._closing.discard(closed)

    def _wait_for_closing(self, interrupt: Interrupt) -> None:
        """Wait until the programs that were killed are gone, as far as the editor tells."""
        with self._lock:
            closing = list(self._closing)
        if closing:
            wake = threading.Event()
            forget = interrupt.listen(wake.set)
            for one in closing:
                one.add_done_callback(lambda _: _set_if_done(wake, closing))
            wake.wait(CLOSING)
            forget()


class _Terminal:
    """One terminal of the editor's. killed: the answer to the kill, once one was sent."""

    def __init__(self, ask: Ask, session_id: str, name: str) -> None:
        self.id = name
        self.killed: Future | None = None
        self._ask = ask
        self._params = {"sessionId": session_id, "terminalId": name}

    def request(self, method: str, timeout: float | None) -> Future:
        """Send a request about this terminal; its future fails where that is impossible."""
        try:
            return self._ask(method, dict(self._params), timeout=timeout)
        except Exception as error:
            _log.exception("%s could not be sent", method)
            failed: Future = concurrent.futures.Future()
            failed.set_exception(RpcError(0, f"it could not be asked ({type(error).__name__})"))
            return failed

    def kill(self) -> None:
        """Have the program ended; waits for nothing."""
        if self.killed is None:
            self.killed = self.request("terminal/kill", TIME_LIMIT)

    def follow(self, timeout: float, interrupt: Interrupt) -> Ended:
        """Wait for the program's end, or end it; return what is known then."""
        waiting = self.request("terminal/wait_for_exit", None)
        timed_out = not _wait(waiting, timeout, interrupt)
        if interrupt.is_set():
            return self._interrupted(waiting)
        if timed_out:
            self.kill()
            _wait(waiting, GRACE, interrupt)
        output = self.request("terminal/output", TIME_LIMIT)
        _wait(output, TIME_LIMIT + 1, interrupt)
        told = _Told(waiting, output)
        if not told.over:
            self.kill()
            told.troubles.append("it was told to end the command, which may still run")
        return told.ended(timed_out=timed_out)

    def _interrupted(self, waiting: Future) -> Ended:
        """End the program; its output is waited for as long as nobody notices."""
        output = self.request("terminal/output", TIME_LIMIT)
        _wait(output, LAST_WORDS, Interrupt())
        self.kill()
        return _Told(waiting, output).ended(interrupted=True)


class _Told:
    """What the answers about one terminal tell; one that has not come is given up.

    over: whether the program has ended. troubles: see ``Ended``.
    """

    def __init__(self, waiting: Future, output: Future) -> None:
        self.over = False
        self.troubles: list[str] = []
        self._status: _Status = (None, None)
        self._text = ""
        self._truncated = False
        self._take_exit(waiting)
        self._take_output(output)

    def ended(self, *, timed_out: bool = False, interrupted: bool = False) -> Ended:
        """Return all of it."""
        code, name = self._status
        troubles = () if interrupted else tuple(self.troubles)
        return Ended(code, name, self._text, self._truncated, timed_out, interrupted, troubles)

    def _take_exit(self, waiting: Future) -> None:
        if not waiting.done():
            waiting.cancel()
            return
        try:
            self._status = exit_status(waiting.result())
            self.over = True
        except RpcError as error:
            self.troubles.append(f"it did not tell how the command ended ({_reason(error)})")

    def _take_output(self, output: Future) -> None:
        if not output.done():
            output.cancel()
            self.troubles.append("it did not tell the output")
            return
        try:
            result = output.result()
        except RpcError as error:
            self.troubles.append(f"it did not tell the output ({_reason(error)})")
            return
        status = result.get("exitStatus")
        if isinstance(status, Mapping):
            self.over = True
            if self._status == (None, None):
                self._status = exit_status(status)
        text = result.get("output")
        if isinstance(text, str):
            self._text, self._truncated = text, result.get("truncated") is True
        else:
            self.troubles.append("its answer holds no output")


def _wait(future: Future, seconds: float, interrupt: Interrupt) -> bool:
    """Wait for ``future``, ``seconds`` or an interrupt; return whether the future is done."""
    wake = threading.Event()
    future.add_done_callback(lambda _: wake.set())
    forget = interrupt.listen(wake.set)
    wake.wait(seconds)
    forget()
    return future.done()


def _set_if_done(wake: threading.Event, futures: Sequence[Future]) -> None:
    if all(future.done() for future in futures):
        wake.set()


def _id_in(result: Mapping[str, Any]) -> str | None:
    """Return the id of the terminal that was made; None if there is none to be sent back."""
    name = result.get("terminalId")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID:
        return None
    try:
        name.encode()
    except UnicodeEncodeError:
        return None
    return name


def exit_status(told: object) -> _Status:
    """Return exit code and signal that an answer tells, one of them at most; neither if unclear.

    Some editors tell a signal's number, or a negative exit code for it.
    """
    if not isinstance(told, Mapping):
        return None, None
    code, name = told.get("exitCode"), told.get("signal")
    if isinstance(name, str) and name.strip():
        return None, _signal_name(name.strip())
    if not isinstance(code, int) or isinstance(code, bool):
        return None, None
    if code < 0:
        return None, _signal_name(str(-code))
    return (code, None) if code <= _MOST_CODE else (None, None)


def _signal_name(told: str) -> str:
    if told.isdecimal() and told.isascii():
        with suppress(ValueError):
            return signal.Signals(int(told[:9])).name
        return f"signal {told[:9]}"
    name = told.upper()
    for known in (name, f"SIG{name}"):
        if known in signal.Signals.__members__:
            return known
    return one_line(told)[:32]


def _reason(error: RpcError) -> str:
    return one_line(error.message)[:_MOST_WORDS].strip().rstrip(".") or "an error without a text"
