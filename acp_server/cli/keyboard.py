"""The keyboard while a turn runs: keys that answer a question, and a line that is typed."""

import asyncio
import codecs
import os
import re
import select
import termios
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from acp_server.cli.line import PASTE, PASTED, Enter, Line

END = "\x04"
ENTER = "\r"
NO_KEY = ""
PAUSE = 1.0
"""Seconds without a key after which a person who was typing text may be answering a question."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.|$)", re.DOTALL)
_ERASE = ("\x7f", "\x08")
_CLEAR = "\x15"
_NEVER = float("-inf")


@contextmanager
def silence(descriptor: int) -> Iterator[None]:
    """Stop the terminal from echoing and from gathering lines; Ctrl-C stays a signal.

    A terminal that gathers lines drops what is longer than it has room for.
    """
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:
        yield
        return
    quiet = termios.tcgetattr(descriptor)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class Keyboard:
    """Reads a terminal while a turn runs.

    Keys go to the open question, if there is one; all else is typed into ``line``, which stays for
    the next prompt. Text that is being typed when a question comes up does not answer it.
    """

    def __init__(self, descriptor: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.line = Line()
        self._enter: Enter | None = None
        self._show: Callable[[], None] = lambda: None
        self._typed_at = _NEVER
        self._asking = False
        self._pasting = False
        self._ended = False
        self._keys: deque[str] = deque()
        self._news = asyncio.Event()

    @contextmanager
    def listening(
        self, enter: Enter | None = None, show: Callable[[], None] = lambda: None
    ) -> Iterator[None]:
        """Read what is typed, until the block ends; needs a running event loop.

        enter: takes lines that are ended; without it they are kept as the beginning of the next
        prompt. show: called when the line has changed.
        """
        loop = asyncio.get_running_loop()
        self._enter, self._show = enter, show
        with silence(self._descriptor):
            loop.add_reader(self._descriptor, self._read)
            try:
                yield
            finally:
                loop.remove_reader(self._descriptor)
                self._enter, self._show = None, lambda: None
                self._read_rest()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Let keys answer a question; none that was pressed before does."""
        self._read_rest()
        self._asking = True
        try:
            yield
        finally:
            self._asking = False
            self._keys.clear()

    async def read_key(self) -> str:
        """Return the next single key; ``END`` at the end of input.

        Several characters at once (a paste, an arrow key) are no key: they come as ``NO_KEY``.
        """
        while not self._keys:
            if self._ended:
                return END
            self._news.clear()
            await self._news.wait()
        key = self._keys.popleft()
        if len(key) == 1:
            return ENTER if key == "\n" else key
        if len(text := text_of(key)) > 2:
            self.line.insert(text)
            self._show()
        return NO_KEY

    async def read_line(self, show: Callable[[str], None]) -> str | None:
        """Return a line that is typed; None at the end of input. ``show`` gets what there is."""
        typed = ""
        while True:
            while not self._keys:
                if self._ended:
                    return None
                self._news.clear()
                await self._news.wait()
            typed += self._keys.popleft().replace("\r", "\n")
            if END in typed:
                return None
            line, ended, _ = typed.partition("\n")
            if ended:
                return text_of(line)
            show(text_of(typed))

    def take_typed(self) -> str:
        """Return the text that was typed, and forget it."""
        return self.line.take().strip("\n")

    def _read_rest(self) -> None:
        while not self._ended and select.select([self._descriptor], [], [], 0)[0]:
            self._read()

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 4096)
        except OSError:
            data = b""
        if not data:
            self._ended = True
            asyncio.get_running_loop().remove_reader(self._descriptor)
        elif text := self._decoder.decode(data):
            if self._asking and not self._is_typing() and not self._is_pasted(text):
                self._keys.append(text)
            else:
                self._typed_at = self._clock()
                self.line.feed(text, self._enter)
                self._show()
        self._news.set()

    def _is_pasted(self, text: str) -> bool:
        """Return whether a part of ``text`` stands between the marks of a paste."""
        pasted = self._pasting or PASTE in text
        if pasted:
            self._pasting = text.rfind(PASTE) > text.rfind(PASTED) or (
                self._pasting and PASTED not in text
            )
        return pasted

    def _is_typing(self) -> bool:
        return self._clock() - self._typed_at < PAUSE


def text_of(keys: str) -> str:
    """Return the text that ``keys`` come to: erased characters, arrows and the like left out."""
    text = ""
    for char in _ESCAPE.sub("", keys).replace("\r", "\n"):
        if char in _ERASE:
            text = text[:-1]
        elif char == _CLEAR:
            text = text[: text.rfind("\n") + 1]
        elif char.isprintable() or char in "\n\t":
            text += char
    return text.strip("\n")
