"""Sixty turns of one session, with tools, children, summaries and interrupts: nothing piles up."""

import gc
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core import AIAgent
from hermes_core.ground.events import Compacted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from tests.fakes.provider import Call, FakeProvider, Recorded, Reply, Usage, calls, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen

HANDLES = Path("/proc/self/fd" if sys.platform == "linux" else "/dev/fd")

ALLOWED = 4
"""Handles and threads that may be on their way out when they are counted."""


def answer(request: Recorded) -> Reply:
    """Read, plan and delegate, then answer; children and other tasks just answer."""
    messages = request.messages
    size = Usage(len(request.raw) // 4, 50)
    if "working notes of a coding agent" in str(messages[0]["content"]):
        reply = say("## Goal\nThe user wants things done.\n## Done\n1. A lot of reading.")
    elif "long-term memory" in str(messages[0]["content"]):
        reply = say("[]")
    elif messages[-1]["role"] == "user" and str(messages[-1]["content"]).startswith("request"):
        given = Call("delegate_task", {"tasks": [{"task": "child: look"}]}, id="give")
        reply = calls(Call("read_file", {"path": "main.py"}, id="read"), given)
    else:
        reply = say("Done. " + "z" * 600)
    return Reply([*reply.steps, size])


def in_use() -> tuple[int, int]:
    gc.collect()
    return len(os.listdir(HANDLES)), threading.active_count()


def turns(agent: AIAgent, first: int, count: int) -> None:
    for number in range(first, first + count):
        latch = Interrupt()
        if number % 10 == 9:
            latch.set()
        text = f"request {number} " + "y" * 1_500
        result = agent.run_conversation(text, interrupt=latch)
        assert result["stop_reason"] == ("cancelled" if latch.is_set() else "end_turn")


@pytest.mark.skipif(not HANDLES.exists(), reason="no list of open handles here")
def test_handles_and_threads_stay_as_few_as_they_were(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    provider.handler = answer
    screen = Screen()
    agent = make_agent(config=replace(config, context_window=24_000), emit=screen)
    turns(agent, 0, 10)
    handles, threads = in_use()
    turns(agent, 10, 50)
    now = in_use()
    assert now[0] <= handles + ALLOWED
    assert now[1] <= threads + ALLOWED
    ends = screen.of(Compacted)
    assert len(ends) >= 2
    assert all(end.status == "completed" for end in ends)
    assert len(agent.messages) < 200
    agent.close()
