"""Processes that are killed while they write files, take turns back and forth, and queue prompts.

Whatever the moment: nothing that was acknowledged is lost, nothing is said twice, and all turns can
still be taken back, byte for byte. ``HERMES_KILLS=100`` makes the run as long as one wants it.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_core.sessions.queue import Queue
from hermes_core.sessions.store import FILE_NAME, Store
from tests.fakes.provider import Call, FakeProvider, Recorded, Reply, calls, say
from tests.hermes_core.agent.doubles import MakeAgent

KILLS = int(os.environ.get("HERMES_KILLS", "4"))

WORKER = """
import os, sys
from pathlib import Path
from hermes_core import AIAgent
from hermes_core.ground.errors import HermesError
from hermes_core.local.config import Config
home, project, url, first = sys.argv[1:]
env = {"PATH": "/usr/bin:/bin", "HOME": home}
config = Config(home=Path(home), provider="custom", model="fake", base_url=url, env=env)
agent = AIAgent(cwd=project, config=config, session_id="s", mode="bypass")
for number in range(int(first), int(first) + 1000):
    prompt = f"prompt {number}"
    agent.queue.add(prompt)
    print(prompt, flush=True)
    waiting = agent.queue.all()[0]
    agent.run_conversation(waiting.content, queued=waiting.number)
    print("ran", flush=True)
    if number % 2:
        agent.rewind.undo(1)
        print("undone", flush=True)
    if number % 4 == 1:
        agent.rewind.redo()
        print("redone", flush=True)
"""


def answer(request: Recorded) -> Reply:
    """Write two files for each prompt, one by a tool and one by a command."""
    last = request.messages[-1]
    if last["role"] == "tool":
        return say("Done.")
    number = str(last["content"]).rpartition(" ")[2]
    return calls(
        Call("write_file", {"path": f"{number}.txt", "content": number}),
        Call("terminal", {"command": f"echo {number} >> all.txt"}),
    )


def said(store: Store) -> list[str]:
    rows = store.database.rows(
        "SELECT json_extract(message, '$.content') FROM messages "
        "WHERE role = 'user' AND carried = 0 ORDER BY number"
    )
    return [str(text) for (text,) in rows]


def killed(home: Path, project: Path, url: str, first: int, after: int) -> list[str]:
    """Run the worker, kill it once it has said so many lines; return the prompts it had kept."""
    arguments = [sys.executable, "-c", WORKER, str(home), str(project), url, str(first)]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        for _ in range(random.randrange(200_000)):  # a moment of its own
            pass
    finally:
        process.kill()
        rest, _ = process.communicate()
    lines += rest.splitlines(keepends=True)
    return [line.strip() for line in lines if line.startswith("prompt") and line.endswith("\n")]


def test_killed_at_any_moment_nothing_is_lost_and_all_can_be_taken_back(
    provider: FakeProvider, make_agent: MakeAgent, store: Store, project: Path
) -> None:
    provider.handler = answer
    home, kept, first = project.parent / "home", list[str](), 0
    make_agent(session_id="s", mode="bypass").close()
    store.release("s")
    assert (home / FILE_NAME).exists()
    for _ in range(KILLS):
        first += 1000
        kept += killed(home, project, provider.base_url, first, random.randrange(1, 12))
        waiting = [str(one.content) for one in Queue(store, "s").all()]
        assert sorted([*said(store), *waiting]) == sorted({*kept, *said(store), *waiting})
        assert {*kept} <= {*said(store), *waiting}
        agent = make_agent(session_id="s", mode="bypass")
        if agent.rewind._undoer._rows().last_undoing() is not None:
            agent.rewind.redo()
        turns = len(agent.rewind.checkpoints())
        if turns:
            before = {path.name: path.read_bytes() for path in project.iterdir()}
            done = agent.rewind.undo(turns)
            assert done is not None
            assert done.kept == ()
            assert [path.name for path in project.iterdir()] == ["main.py"]
            assert agent.rewind.redo()
            assert {path.name: path.read_bytes() for path in project.iterdir()} == before
            agent.rewind.undo(turns)
        agent.close()
        store.release("s")


@pytest.fixture(autouse=True)
def _seeded(request: pytest.FixtureRequest) -> None:
    random.seed(KILLS)
