"""A latch that stops a turn: once set it stays set, and it reaches everything that waits."""

import threading
from collections.abc import Callable
from contextlib import suppress

from hermes_core.ground.errors import Interrupted


class Interrupt:
    """A one-way latch with listeners and children.

    Listeners run once, on the thread that calls ``set``; a failing listener does not
    keep the others from running. A listener added after ``set`` runs at once.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[], None]] = {}
        self._next = 0

    def set(self) -> None:
        """Set the latch and run every listener; later calls do nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            listeners = list(self._listeners.values())
            self._listeners.clear()
        for listener in listeners:
            with suppress(Exception):
                listener()

    def is_set(self) -> bool:
        """Return whether the latch is set."""
        return self._event.is_set()

    def raise_if_set(self) -> None:
        """Raise ``Interrupted`` if the latch is set."""
        if self._event.is_set():
            raise Interrupted

    def wait(self, seconds: float | None) -> bool:
        """Wait up to ``seconds`` (None: for ever); return whether the latch is set."""
        return self._event.wait(seconds)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Run ``listener`` when the latch is set; return a function that takes it back."""
        with self._lock:
            if not self._event.is_set():
                key = self._next
                self._next += 1
                self._listeners[key] = listener
                return lambda: self._forget(key)
        with suppress(Exception):
            listener()
        return lambda: None

    def child(self) -> "Interrupt":
        """Return a latch that is set with this one, but may also be set alone."""
        child = Interrupt()
        forget = self.listen(child.set)
        child.listen(forget)
        return child

    def _forget(self, key: int) -> None:
        with self._lock:
            self._listeners.pop(key, None)
