"""Looking for processes from outside, by a number in their command line."""

import itertools
import random
import time
from collections.abc import Callable

import psutil

_numbers = itertools.count(random.randrange(10_000_000, 90_000_000))


def long_sleep() -> str:
    """Return a ``sleep`` command that no other process has."""
    return f"sleep {next(_numbers)}"


def alive(command: str) -> bool:
    """Return whether a process runs exactly ``command``."""
    return bool(pids_of(command))


def pids_of(command: str) -> list[int]:
    """Return the living processes whose command line is ``command``."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE
        and process.info["cmdline"] == command.split()
    ]


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until ``condition`` holds; fail if it does not come to that."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
