"""Prompt caches hit: each request begins with the bytes of the one before, notes aside."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from hermes_core.ground.runtime import ApiMode
from hermes_core.local.config import Config
from tests.fakes.provider import (
    Call,
    FakeProvider,
    Finish,
    Reasoning,
    Recorded,
    Reply,
    Text,
    Usage,
    call,
    calls,
    say,
)
from tests.hermes_core.agent.doubles import MakeAgent

NOTE = b"[Hermes: "
MARK = re.compile(rb',?\s*"cache_control":\s*\{"type":\s*"ephemeral"\}')
LIMIT = re.compile(rb'"max_(output_)?tokens":\d+,')
"""Where marks for the cache stand, and how long an answer may be, is no part of what is cached."""

MODES: list[ApiMode] = ["chat_completions", "anthropic_messages", "codex_responses"]
PLAN = {"steps": [{"content": "look"}, {"content": "fix"}]}


def read(number: int) -> Reply:
    """A step with thinking and two reads; what it reports fills the window more and more."""
    return Reply(
        [
            Reasoning(f"thought {number}"),
            Call("read_file", {"path": "main.py", "offset": 1, "limit": number}),
            Call("search_files", {"pattern": f"add{number}"}),
            Usage(prompt=4_000 * number, completion=10),
        ]
    )


def sent(request: Recorded) -> bytes:
    return LIMIT.sub(b"", MARK.sub(b"", request.raw))


def messages_of(request: Recorded) -> list[Any]:
    body = json.loads(sent(request))
    found: list[Any] = body.get("messages") or body["input"]
    return found


def stable(request: Recorded) -> bytes:
    """Return the bytes of a request up to the note, or to the end of its last message."""
    raw = sent(request)
    note = raw.find(NOTE)
    if note < 0:
        return raw[: raw.rindex(b"]")].rstrip(b'}] \n"')
    return raw[:note].removesuffix(b"\\n\\n").rstrip(b'"')


@pytest.mark.parametrize("mode", MODES)
def test_each_request_begins_with_the_one_before(
    mode: ApiMode, provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    settings = replace(
        config, api_mode=mode, max_turns=12, context_window=40_000, reasoning_effort="low"
    )
    provider.script(
        Reply([Reasoning("a plan"), Call("todo", PLAN)]),
        say(""),
        *[read(number) for number in range(2, 10)],
        say("There."),
        *map(read, (20, 21)),
        say("And there."),
    )
    agent = make_agent(config=settings)
    assert agent.chat("Look at it") == "There."
    result = agent.run_conversation("And again")
    assert result["final_response"] == "And there."
    assert NOTE.decode() not in json.dumps(result["messages"])
    requests = provider.requests
    assert len(requests) == 14
    noted = [NOTE in request.raw for request in requests]
    assert sum(noted) >= 5
    assert not all(noted)
    for request in requests:
        *before, _last = messages_of(request)
        assert NOTE.decode() not in json.dumps(before)
    for earlier, later in pairwise(requests):
        assert sent(later).startswith(stable(earlier))
        assert len(messages_of(later)) >= len(messages_of(earlier))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_continued_keeps_what_came_before_it(
    mode: ApiMode, provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    provider.script(
        call("read_file", {"path": "main.py"}),
        Reply([Text("uno "), Finish("length")]),
        Reply([Text("dos "), Finish("length")]),
        calls(Call("search_files", {"pattern": "add"})),
        say("done"),
    )
    agent = make_agent(config=replace(config, api_mode=mode))
    assert agent.chat("Look at it") == "done"
    first, second, third, fourth, fifth = provider.requests
    for request, partial in ((third, b"uno "), (fourth, b"uno dos "), (fifth, b"uno dos ")):
        whole = sent(request)
        assert whole.startswith(stable(second))
        assert whole.count(partial) == 1
    assert sent(fifth).startswith(sent(fourth)[: sent(fourth).index(b"uno dos ") + 8])
    assert sent(second).startswith(stable(first))
