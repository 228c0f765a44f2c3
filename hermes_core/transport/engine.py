"""The HTTP engine: httpcore, or the fork of it that the SDKs bring along.

Both have the same interface. Carriers name the one they need, so that a process loads one of
them until two kinds of provider are in use.
"""

import sys
from importlib import import_module
from typing import Any, Literal

EngineName = Literal["httpcore", "httpcore2"]


def engine(name: EngineName) -> Any:
    """Return the engine's module, loaded at the first use."""
    return import_module(name)


def loaded_engine() -> EngineName:
    """Return the engine that is loaded already; ``httpcore`` if none or both are."""
    only_fork = "httpcore2" in sys.modules and "httpcore" not in sys.modules
    return "httpcore2" if only_fork else "httpcore"
