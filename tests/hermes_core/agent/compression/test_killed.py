"""A process that is killed while a shorter history takes its place leaves one of the two, whole."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from hermes_core.ground.messages import Message, user_message
from hermes_core.sessions.lineage import generations, replace_history
from hermes_core.sessions.store import FILE_NAME, SessionRow, Store
from tests.hermes_core.agent.compression.histories import assistant, chat

OLD = [*chat(3), user_message("the latest request")]
NEW: list[tuple[Message, bool]] = [
    ({"role": "user", "content": "a summary", "made": "summary"}, False),
    (assistant("noted"), False),
    (OLD[-1], True),
]
EVENT = {"kind": "compacted", "text": "shorter"}

REPLACE = """
import json, os, signal, sys
from pathlib import Path
from hermes_core.sessions.lineage import replace_history
from hermes_core.sessions.store import Store

path, at, new, event = sys.argv[1:]
store, count = Store(Path(path)), 0

def killing(statement):
    global count
    count += 1
    if count == int(at):
        os.kill(os.getpid(), signal.SIGKILL)

store.database._connection.set_trace_callback(killing)
replace_history(store, "s", "child", json.loads(new), [json.loads(event)])
store.database._connection.set_trace_callback(None)
store.close()
"""


def replaced(path: Path, at: int) -> int:
    """Replace the history in another process that is killed at its statement ``at``."""
    command = [sys.executable, "-c", REPLACE, str(path), str(at), json.dumps(NEW)]
    return subprocess.run([*command, json.dumps(EVENT)], check=False, timeout=60).returncode


def state(store: Store) -> tuple[list[Message], list[str], int]:
    """Return the history, the ids it stood under, and how much was shown."""
    ids = [one.id for one in generations(store, "s")]
    return store.messages("s"), ids, len(list(store.shown("s")))


def test_at_every_statement_the_old_history_stays_whole_and_can_be_shortened_later(
    tmp_path: Path,
) -> None:
    killed, code, at = 0, -1, 0
    while code != 0:
        at += 1
        assert at < 60
        path = tmp_path / str(at) / FILE_NAME
        store = Store(path)
        store.create_session(SessionRow("s", "/w"))
        store.append("s", OLD, [])
        store.close()
        code = replaced(path, at)
        store = Store(path)
        if code == -signal.SIGKILL:
            killed += 1
            assert state(store) == (OLD, ["s"], 0)
            replace_history(store, "s", "child", NEW, [EVENT])
        assert state(store) == ([message for message, _ in NEW], ["s", "child"], 1)
        store.close()
    assert killed >= 6  # begin, child, three messages, tip, event, commit
