"""Single keys from a terminal, without a library: used while a turn runs."""

import asyncio
import os
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress

END = "\x04"
ENTER = "\r"


@contextmanager
def silence(descriptor: int) -> Iterator[None]:
    """Stop the terminal from echoing and from gathering lines; Ctrl-C stays a signal.

    What was typed meanwhile and not read is thrown away, so that it answers nothing later.
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
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def forget_typed(descriptor: int) -> None:
    """Throw away what was typed before a question was shown."""
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)


async def read_key(descriptor: int) -> str:
    """Return the next single key; ``END`` at the end of input.

    Several bytes at once that are not one character (a paste, an arrow key) count as no key.
    """
    loop = asyncio.get_running_loop()
    while True:
        ready = asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        try:
            data = os.read(descriptor, 1024)
        except OSError:
            return END
        if not data:
            return END
        key = data.decode("utf-8", "replace")
        if len(key) == 1:
            return ENTER if key == "\n" else key
