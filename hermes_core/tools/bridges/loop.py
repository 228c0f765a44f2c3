"""The core's one event loop, on a thread of its own that starts at the first use."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt

_T = TypeVar("_T")


class BridgeLoop:
    """Runs coroutines for threads. It serves a process, and is never stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, _T]) -> "concurrent.futures.Future[_T]":
        """Begin ``work`` on the loop; cancelling what is returned cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._serve, name="bridges", daemon=True).start()
            return self._loop

    def _serve(self) -> None:
        loop = self._loop
        if loop is not None:
            asyncio.set_event_loop(loop)
            loop.run_forever()


LOOP = BridgeLoop()


def wait_for(
    future: "concurrent.futures.Future[_T]", interrupt: Interrupt, seconds: float | None = None
) -> _T:
    """Return what ``future`` comes to; whatever ends the wait before also cancels it.

    Raises ``Interrupted`` at once when ``interrupt`` is set, and ``TimeoutError`` after
    ``seconds``.
    """
    wake = threading.Event()
    future.add_done_callback(lambda _: wake.set())
    forget = interrupt.listen(wake.set)
    try:
        wake.wait(seconds)
    finally:
        forget()
    if not future.done():
        future.cancel()
        if interrupt.is_set():
            raise Interrupted
        raise TimeoutError
    return future.result()
