"""What a person has answered "always" to, in one session."""

import threading

from hermes_core.ground.actions import Action


class Grants:
    """Keys of granted actions; thread-safe, kept in memory, gone with the session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: set[str] = set()

    def grant(self, action: Action) -> None:
        """Allow ``action`` and what is the same from now on; an action without a key, never."""
        if action.key:
            with self._lock:
                self._keys.add(action.key)

    def covers(self, action: Action) -> bool:
        """Return whether an earlier grant allows ``action``."""
        with self._lock:
            return bool(action.key) and action.key in self._keys
