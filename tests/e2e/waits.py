"""Waits for what a started program does out of its client's sight."""

import sqlite3
import threading
from contextlib import closing

import psutil

from tests.e2e.stage import Stage


def wait_until_stored(stage: Stage, event: str) -> None:
    """Wait until the display log holds ``event``."""
    query = "SELECT count(*) FROM shown WHERE event LIKE ?"
    with closing(sqlite3.connect(stage.home / "hermes_sessions.db")) as store:
        while store.execute(query, (f"%{event}%",)).fetchone() == (0,):
            threading.Event().wait(0.01)


def wait_until_idle(program: psutil.Process) -> None:
    """Wait until the program has not used the processor for a while."""
    used = -1.0
    while (now := sum(program.cpu_times()[:2])) != used:
        used = now
        threading.Event().wait(0.3)
