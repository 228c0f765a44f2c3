"""Single keys from a terminal, without a library: used while a turn runs."""

import asyncio
import os
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress

END = "\x04"
ENTER = "\r"
NO_KEY = ""


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

    Several characters at once (a paste, an arrow key) are no key: they come as ``NO_KEY``.
    """
    loop = asyncio.get_running_loop()
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
    key = data.decode("utf-8", "replace")
    if len(key) > 1:
        return NO_KEY
    return ENTER if key == "\n" else key or END
