"""Titles that a model makes in the background."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.titles import excerpt, title_in
from hermes_core.ground.events import TitleChanged, UsageUpdated
from hermes_core.ground.messages import Message, user_message
from hermes_core.local.config import Config
from hermes_core.sessions.store import Store
from hermes_core.sessions.titling import titled_by
from hermes_core.sessions.usage import usage_of
from tests.fakes.provider import FakeProvider, Reply, Text, Usage, Wait, fail, say
from tests.hermes_core.agent.doubles import WATCHDOG, MakeAgent, Screen

Titled = Callable[..., AIAgent]


@pytest.fixture
def titled(make_agent: MakeAgent) -> Titled:
    """Make an agent whose sessions a model names."""

    def make(**more: Any) -> AIAgent:
        agent = make_agent(**more)
        agent.records.titles.enabled = True
        agent.records.titles.delay = 0
        return agent

    return make


def chat(agent: AIAgent, text: str) -> None:
    agent.chat(text)
    assert agent.records.titles.wait(WATCHDOG)


def test_a_better_title_follows_the_first_turn(
    titled: Titled, provider: FakeProvider, store: Store
) -> None:
    screen = Screen()
    agent = titled(emit=screen)
    provider.script(say("It is mended."), say('"Mending the parser."\n'), say("yes"))
    chat(agent, "please mend it")
    assert screen.of(TitleChanged) == [
        TitleChanged("please mend it"),
        TitleChanged("Mending the parser"),
    ]
    assert agent.records.title == "Mending the parser"
    assert titled_by(store, agent.session_id) == "model"
    chat(agent, "thanks")  # and no second one
    asked = provider.requests[1].messages
    assert [message["role"] for message in asked] == ["system", "user"]
    assert "<user>\nplease mend it\n</user>" in asked[1]["content"]
    assert "tools" not in provider.requests[1].body
    tasks = [used.task for used in usage_of(store, agent.session_id)]
    assert tasks == ["", "title_generation"]


def test_nobody_waits_for_it_and_it_ends_with_the_agent(
    titled: Titled, provider: FakeProvider, store: Store
) -> None:
    never = threading.Event()
    provider.script(say("Done."), Reply([Wait(never), Text("too late")]))
    agent = titled()
    agent.chat("go")
    request = provider.wait_for_request(2)
    agent.close()
    assert agent.records.titles.wait(WATCHDOG)
    assert request.gone.wait(WATCHDOG)
    assert agent.records.title == "go"
    assert titled_by(store, agent.session_id) == "prompt"


def test_a_program_that_ends_with_its_only_turn_asks_for_none(
    titled: Titled, provider: FakeProvider
) -> None:
    provider.script(say("Done."))
    agent = titled()
    agent.records.titles.delay = WATCHDOG
    agent.chat("go")
    agent.close()
    assert agent.records.titles.wait(WATCHDOG)
    assert len(provider.requests) == 1


def test_a_person_s_title_that_came_meanwhile_stays(titled: Titled, provider: FakeProvider) -> None:
    gate = threading.Event()
    provider.script(say("Done."), Reply([Wait(gate), Text("A model's title")]))
    agent = titled()
    agent.chat("go")
    provider.wait_for_request(2)
    agent.records.rename("Mine")
    gate.set()
    assert agent.records.titles.wait(WATCHDOG)
    assert agent.records.title == "Mine"


@pytest.mark.parametrize(
    "reply", [fail(401, "no"), fail(400, "no"), say("x" * 5_000), say("…" * 0)]
)
def test_a_failure_is_silent(
    titled: Titled, provider: FakeProvider, reply: Reply, store: Store
) -> None:
    screen = Screen()
    provider.handler = lambda request: say("Done.") if "tools" in request.body else reply
    agent = titled(emit=screen)
    chat(agent, "go")
    assert screen.of(TitleChanged) == [TitleChanged("go")]
    assert titled_by(store, agent.session_id) == "prompt"


def test_none_is_made_where_none_is_wanted(
    titled: Titled, make_agent: MakeAgent, provider: FakeProvider, config: Config
) -> None:
    provider.script(say("one"), say("two"), fail(400, "no"))
    chat(titled(config=replace(config, titles_enabled=False)), "go")
    chat(make_agent(), "a library's sessions have none")
    chat(titled(), "a turn that failed")
    assert provider.left == 0
    assert provider.unexpected == []


def test_a_scripted_model_makes_none(titled: Titled, config: Config) -> None:
    agent = titled(config=replace(config, provider="demo", base_url=None, model=None))
    chat(agent, "go")
    assert agent.records.title == "go"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Fix the parser", "Fix the parser"),
        ("“Fix the parser.”", "Fix the parser"),
        ("**Title: Fix it**", "Title: Fix it"),
        ("Title: Fix it\n\nBecause", "Fix it"),
        ("\n\n# 検索を直す", "検索を直す"),
        ("\x1b[31mred", "[31mred"),
        ("", ""),
        ("\n", ""),
        ("word " * 500, ""),
    ],
)
def test_the_name_alone_is_taken(said: str, title: str) -> None:
    assert title_in(said) == title


def test_only_the_user_s_and_the_model_s_words_are_shown() -> None:
    messages: list[Message] = [
        user_message("first " + "x" * 5_000),
        {"role": "assistant", "content": ""},
        {"role": "tool", "tool_call_id": "c", "content": "secret output"},
        {"role": "assistant", "content": "the answer"},
        user_message("second"),
    ]
    told = excerpt(messages)
    assert "first" in told
    assert "the answer" in told
    assert "secret output" not in told
    assert len(told) < 2_200


def test_what_it_cost_is_the_sessions_and_no_turns(
    titled: Titled, provider: FakeProvider, config: Config, store: Store
) -> None:
    screen = Screen()
    agent = titled(config=replace(config, input_price=1.0, output_price=10.0), emit=screen)
    used = Usage(1_000_000, 0)
    for text in ("It is mended.", "Mending the parser", "Gladly."):
        provider.script(Reply([Text(text), used]))
    chat(agent, "please mend it")
    result = agent.run_conversation("thanks")
    assert (result["api_calls"], result["usage"]["input"]) == (1, 1_000_000)
    assert [event.cost for event in screen.of(UsageUpdated)] == [1.0, 3.0]
    assert [used.cost for used in usage_of(store, agent.session_id)] == [2.0, 1.0]
