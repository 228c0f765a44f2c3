"""Shortening that fails or is stopped: the conversation stays as it was."""

import threading
from typing import Any

import pytest

from hermes_core.ground.events import Compacted, CompactionStarted, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.sessions.lineage import rest_of
from hermes_core.sessions.store import Store
from tests.fakes.provider import Finish, Reply, Text, Wait, fail, say
from tests.hermes_core.agent.compression.conversations import LONG, ids, sent
from tests.hermes_core.agent.compression.talker import SUMMARY, Talker
from tests.hermes_core.agent.doubles import MakeAgent, Screen


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (say("I'm sorry, but I can't help with summarising that conversation."), "gave no summary"),
        (say(""), "empty"),
        (Reply([Text(SUMMARY), Finish("length")]), "cut off"),
        (say("## Goal\n" + "x " * 60_000), "too long"),
        (fail(500, "no"), "500"),
        (fail(401, "no key"), "401"),
    ],
)
def test_a_failed_summary_changes_nothing_is_told_and_waits_over_a_restart(
    reply: Reply,
    why: str,
    talker: Talker,
    make_agent: MakeAgent,
    store: Store,
) -> None:
    talker.summarises = [reply]
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("Go.", conversation_history=LONG)
    assert result["completed"]
    (failed,) = screen.of(Compacted)
    assert failed.status == "failed"
    assert why in failed.text
    assert "is as it was" in failed.text
    assert failed.before_tokens == failed.after_tokens
    assert [m["content"] for m in sent(talker)] == [m["content"] for m in LONG] + ["Go."]
    assert ids(store, agent) == [agent.session_id]
    asked = len(talker.summaries)
    again = make_agent(session_id=agent.session_id)
    again.run_conversation("Go on.")
    assert len(talker.summaries) == asked
    assert rest_of(store, agent.session_id).failures == 1


def test_the_wait_after_failures_grows_and_ends_with_a_success(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    talker.summarises = [say("")] * 8 + [say(SUMMARY)]
    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=LONG)
    rests = [rest_of(store, agent.session_id)]
    while len(talker.summarises) > 1:
        event = agent.compress()
        assert event
        assert event.status == "failed"
        rests.append(rest_of(store, agent.session_id))
    assert [rest.failures for rest in rests] == list(range(1, len(rests) + 1))
    assert rests[-1].until - rests[0].until > 60
    event = agent.compress()
    assert event
    assert event.status == "completed"
    assert rest_of(store, agent.session_id).failures == 0


def test_a_cancel_during_the_summary_changes_nothing(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    held = threading.Event()
    talker.summarises = [Reply([Text("## Goal"), Wait(held)])]
    screen, latch = Screen(), Interrupt()
    agent = make_agent(emit=screen)
    done: list[Any] = []
    thread = threading.Thread(
        target=lambda: done.append(
            agent.run_conversation("Go.", conversation_history=LONG, interrupt=latch)
        )
    )
    thread.start()
    screen.wait_for(CompactionStarted)
    latch.set()
    thread.join(30)
    held.set()
    assert done[0]["stop_reason"] == "cancelled"
    assert [event.status for event in screen.of(Compacted)] == ["cancelled"]
    assert ids(store, agent) == [agent.session_id]
    assert store.messages(agent.session_id)[: len(LONG)] == LONG
    assert rest_of(store, agent.session_id).failures == 0
    assert talker.chats == []


@pytest.mark.parametrize("reply", [fail(500, "no"), say("There is nothing."), say("[1, 2")])
def test_facts_that_cannot_be_kept_are_told_and_stop_nothing(
    reply: Reply, talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    talker.remembers = [reply]
    screen = Screen()
    make_agent(emit=screen).run_conversation("Go.", conversation_history=LONG)
    assert [event.status for event in screen.of(Compacted)] == ["completed"]
    told = [event.text for event in screen.of(StatusChanged) if "lasting facts" in event.text]
    assert len(told) == 1
    assert not (config.home / "memories" / "USER.md").exists()
