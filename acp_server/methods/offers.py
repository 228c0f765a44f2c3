"""The models that sessions of a connection can choose from, read again when something changed.

What they depend on is in a few files of the home; nobody is asked, but for ``refresh``.
"""

import logging
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config

if TYPE_CHECKING:
    from hermes_core.commands.choices import Choices

_FILES = ("config.yaml", ".env", "auth.json", "cache/models.json")

_log = logging.getLogger(__name__)


class Offers:
    """Returns the models to choose from, given what is in use; the same list while nothing changed.

    config: reads the settings; home: returns their folder. May be used from any thread.
    """

    def __init__(self, config: Callable[[], Config], home: Callable[[], Path]) -> None:
        self._config = config
        self._home = home
        self._lock = threading.Lock()
        self._stamp: object = None
        self._kept: dict[tuple[str, ...], Sequence[Choices]] = {}

    def __call__(self, runtime: Runtime | None) -> "Sequence[Choices]":
        """Return them, grouped by provider; nothing where the settings cannot be read."""
        from hermes_core.commands.choices import model_choices

        key: tuple[str, ...] = ()
        if runtime is not None:
            key = (runtime.provider, runtime.model, runtime.base_url)
        with self._lock:
            try:
                stamp = self._read_stamp()
                if stamp != self._stamp:
                    self._stamp, self._kept = stamp, {}
                if key not in self._kept:
                    self._kept[key] = model_choices(self._config(), runtime)
            except HermesError as error:
                _log.info("no models can be offered: %s", error)
                return ()
            return self._kept[key]

    def refresh(self, runtime: Runtime | None) -> bool:
        """Ask for the lists that are due; return whether one was asked for."""
        from hermes_core.commands.choices import refresh_lists

        return refresh_lists(self._config(), runtime, Interrupt())

    def _read_stamp(self) -> object:
        home = self._home()
        changed = tuple(_changed(home / name) for name in _FILES)
        return (*changed, "genai_prices" in sys.modules)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
