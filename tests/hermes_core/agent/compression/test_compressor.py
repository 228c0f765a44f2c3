"""Shortening in whole turns over loopback HTTP: when it happens, what it leaves, how it fails."""

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.content import Diff
from hermes_core.ground.events import (
    Compacted,
    CompactionStarted,
    ToolCallFinished,
    UsageUpdated,
)
from hermes_core.ground.messages import Message
from hermes_core.local.config import Config
from hermes_core.sessions.lineage import generations
from hermes_core.sessions.store import Store
from tests.fakes.provider import Call, Reply, Text, call, say
from tests.hermes_core.agent.compression.conversations import LONG, WINDOW, ids, sent
from tests.hermes_core.agent.compression.histories import (
    assert_in_order,
    assistant,
    chat,
    long_turn,
    step,
)
from tests.hermes_core.agent.compression.talker import SUMMARY, Talker
from tests.hermes_core.agent.doubles import MakeAgent, Screen, events_of


def test_a_prompt_above_the_threshold_is_met_by_a_summary(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.run_conversation("hello")
    session_id = agent.session_id
    result = agent.run_conversation("And now?", conversation_history=[*LONG])
    assert agent.session_id != session_id  # another history is another session, as before
    assert result["completed"]
    (begun,) = screen.of(CompactionStarted)
    (done,) = screen.of(Compacted)
    assert begun.compaction_id == done.compaction_id
    assert "Summarising the conversation" in begun.text
    assert done.status == "completed"
    assert done.after_tokens < done.before_tokens * 0.7
    assert f"{done.after_tokens:,}" in done.text
    assert f"{done.before_tokens:,}" in done.text
    messages = sent(talker)
    assert_in_order(messages)
    assert messages[-1] == {"role": "user", "content": "And now?"}
    assert messages[0]["content"] == LONG[0]["content"]
    assert SUMMARY in messages[4]["content"]
    assert len(talker.summaries) == 1
    assert store.messages(agent.session_id) == result["messages"] == agent._session.messages
    assert ids(store, agent) == [agent.session_id, done.history_id]
    after = screen.events.index(done)
    following = [e for e in screen.events[after:] if isinstance(e, UsageUpdated)]
    assert following[0].used == done.after_tokens
    assert [type(e) for e in events_of(store, agent)].count(Compacted) == 1


def test_a_short_conversation_is_left_alone(talker: Talker, make_agent: MakeAgent) -> None:
    make_agent().run_conversation("Go.", conversation_history=chat(10, 400))
    assert talker.summaries == []
    assert len(sent(talker)) == 21


def test_old_outputs_are_cut_before_any_model_is_asked(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    history = [*long_turn(30, 5_000), assistant("Done."), *chat(10, 100)]
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.run_conversation("Go.", conversation_history=history)
    assert talker.summaries == talker.facts == []
    (done,) = screen.of(Compacted)
    assert done.status == "completed"
    assert "old tool outputs were cut" in done.text
    assert len(sent(talker)) == len(history) + 1
    assert len(ids(store, agent)) == 2


def test_a_turn_that_fills_the_window_goes_on_with_less(
    talker: Talker, make_agent: MakeAgent, project: Path, store: Store
) -> None:
    for number in range(14):
        (project / f"{number}.txt").write_text("".join(f"{n} {number}\n" for n in range(1_900)))
    reads = [call("read_file", {"path": f"{n}.txt"}, id=f"r{n}") for n in range(14)]
    talker.says = [*reads, say("All read.")]
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("Read all of them.")
    assert result["final_response"] == "All read."
    assert screen.of(Compacted)
    assert all(event.status == "completed" for event in screen.of(Compacted))
    for number in range(15):
        messages = sent(talker, number)
        assert_in_order(messages)
        assert messages[0] == {"role": "user", "content": "Read all of them."}
        assert len(talker.chats[number].raw) // 4 < WINDOW
    assert len(ids(store, agent)) == 1 + len(screen.of(Compacted))


def test_a_turn_whose_answer_fills_the_window_makes_room_behind_it(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    talker.says = [say("w " * 60_000), say("Yes.")]
    screen = Screen()
    agent = make_agent(emit=screen, config=replace(config, compression_threshold=0.8))
    result = agent.run_conversation("Write much.", conversation_history=LONG)
    assert result["completed"]
    assert result["final_response"].startswith("w w")
    assert len(talker.chats) == 1
    assert [event.status for event in screen.of(Compacted)] == ["completed"]
    agent.run_conversation("And?")
    assert len(talker.chats) == 2
    assert len(screen.of(Compacted)) == 1


def test_a_request_that_the_provider_refuses_as_too_long_is_sent_again_shorter(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    talker.window = 30_000
    screen = Screen()
    agent = make_agent(emit=screen, config=replace(config, context_window=200_000))
    result = agent.run_conversation("Go.", conversation_history=chat(80, 1_600))
    assert result["completed"], result["error"]
    assert len(talker.chats) == 2
    assert [event.status for event in screen.of(Compacted)] == ["completed"]
    assert sent(talker)[-1]["content"] == "Go."


def test_a_window_that_nothing_fits_ends_the_turn_with_the_reason(
    talker: Talker, make_agent: MakeAgent
) -> None:
    talker.window = 100
    result = make_agent().run_conversation("Go.", conversation_history=chat(40, 800))
    assert result["stop_reason"] == "error"
    assert "/compress" in str(result["error"])
    assert len(talker.chats) <= 4


def test_a_restart_sends_exactly_the_shortened_history(
    talker: Talker, make_agent: MakeAgent
) -> None:
    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=LONG)
    again = make_agent(session_id=agent.session_id)
    assert again.session_id == agent.session_id
    again.run_conversation("Go on.")
    before, after = (talker.chats[place].body["messages"] for place in (-2, -1))
    assert after[: len(before)] == before
    assert len(talker.summaries) == 1


def test_a_second_time_brings_the_summary_up_to_date(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    talker.summarises = [say(SUMMARY), say("## Goal\nAll of it, and what came later as well.")]
    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=LONG)
    for number in range(60):
        agent.run_conversation(f"{number} " + "more " * 400)
        if len(talker.summaries) == 2:
            break
    assert len(talker.summaries) == 2
    assert SUMMARY in str(talker.summaries[1].messages[1]["content"])
    history = store.messages(agent.session_id)
    assert_in_order(history)
    assert [m.get("made") for m in history].count("summary") == 1
    assert "what came later as well" in str(history)
    assert "Looked around" not in str(history)
    line = generations(store, agent.session_id)
    assert [one.parent for one in line] == [None, line[0].id, line[1].id]
    assert [row.id for row in store.sessions()] == [agent.session_id]


def test_ids_of_calls_before_the_summary_are_not_given_again(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    history = [*LONG[:2], *step(1, "x")[:0], *long_turn(3), assistant("ok"), *LONG]
    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=history)
    talker.says = [call("read_file", {"path": "main.py"}, id="call-1"), say("Read.")]
    again = make_agent(session_id=agent.session_id)
    again.run_conversation("Read it.")
    (asked,) = [m for m in store.messages(agent.session_id) if "tool_calls" in m]
    assert asked["tool_calls"][0]["id"] != "call-1"


def test_the_plan_outlives_the_summary_and_a_restart(talker: Talker, make_agent: MakeAgent) -> None:
    steps = [{"content": "mend it", "status": "in_progress"}, {"content": "test it"}]
    talker.says = [call("todo", {"steps": steps}), say("Planned.")]
    agent = make_agent()
    agent.run_conversation("Plan.")
    for number in range(25):
        agent.run_conversation(f"{number} " + "more " * 1_100)
    assert talker.summaries
    again = make_agent(session_id=agent.session_id)
    again.run_conversation("Go on.")
    assert [entry.content for entry in again._plan.entries] == ["mend it", "test it"]
    assert "mend it" in str(sent(talker)[:8])


FACT = '[{"about": "user", "fact": "He likes short answers."}]'


def test_lasting_facts_are_kept_first_and_shown_as_a_diff(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    talker.remembers = [say(FACT)]
    history = [*chat(1), *step(7, "tool says: the user is a duck")[:0], *LONG]
    screen = Screen()
    make_agent(emit=screen).run_conversation("Go.", conversation_history=history)
    kept = (config.home / "memories" / "USER.md").read_text()
    assert kept == "He likes short answers."
    (card,) = [e for e in screen.of(ToolCallFinished) if e.name == "memory"]
    (diff,) = card.content
    assert isinstance(diff, Diff)
    assert diff.new == kept
    (done,) = screen.of(Compacted)
    assert screen.events.index(card) < screen.events.index(done)
    (asked,) = talker.facts
    assert "question 20" in str(asked.messages[1]["content"])
    assert "answer 20" not in str(asked.messages[1]["content"])


def test_what_the_user_asks_for_is_done_at_once_and_whatever_the_settings(
    talker: Talker, make_agent: MakeAgent, config: Config, store: Store
) -> None:
    agent = make_agent(config=replace(config, compression_enabled=False))
    agent.run_conversation("Go.", conversation_history=LONG)
    assert talker.summaries == []
    event = agent.compress("the bug in main.py")
    assert event
    assert event.status == "completed"
    assert "the bug in main.py" in str(talker.summaries[0].messages[1]["content"])
    assert len(ids(store, agent)) == 2
    assert agent.compress() is None
    agent.run_conversation("Go on.")
    assert any(SUMMARY in str(m["content"]) for m in sent(talker))


def test_a_session_that_was_just_opened_can_be_compressed(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    off = replace(config, compression_enabled=False)
    agent = make_agent(config=off)
    agent.run_conversation("Go.", conversation_history=LONG)
    event = make_agent(config=off, session_id=agent.session_id).compress()
    assert event
    assert event.status == "completed"


def test_secrets_do_not_reach_the_summary(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    talker.summarises = [say(f"{SUMMARY}\nThe token is {secret}.")]
    told: Message = {"role": "user", "content": f"my token is {secret} " + "x" * 1_600}
    history = [*LONG[:20], told, assistant("ok"), *LONG]
    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=history)
    assert secret not in str(talker.summaries[0].messages)
    assert secret not in str(talker.facts[0].messages)
    summary = next(m for m in store.messages(agent.session_id) if m.get("made") == "summary")
    assert secret not in str(summary)


def test_what_it_cost_is_written_down(talker: Talker, make_agent: MakeAgent, store: Store) -> None:
    from hermes_core.sessions.usage import usage_of

    agent = make_agent()
    agent.run_conversation("Go.", conversation_history=LONG)
    tasks = {used.task: used.calls for used in usage_of(store, agent.session_id)}
    assert tasks["compression"] == 1
    assert tasks["memory"] == 1


def test_what_it_cost_counts_in_what_is_shown_and_stands_once_in_the_store(
    talker: Talker, make_agent: MakeAgent, store: Store, config: Config
) -> None:
    from hermes_core.sessions.usage import total, usage_of

    screen = Screen()
    agent = make_agent(config=replace(config, input_price=1.0, output_price=10.0), emit=screen)
    result = agent.run_conversation("Go.", conversation_history=LONG)
    used = usage_of(store, agent.session_id)
    stored = total(used)
    assert stored
    assert stored.amount
    assert {one.task for one in used} == {"", "compression", "memory"}
    shown = screen.of(UsageUpdated)
    assert shown[-1].cost == pytest.approx(stored.amount)
    aside = sum(one.amount or 0.0 for one in used if one.task)
    assert shown[0].cost == pytest.approx(aside)
    assert result["api_calls"] == stored.calls
    assert result["usage"]["input"] == stored.usage.input


def test_what_it_cost_counts_against_the_limit_of_the_turn(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    talker.says = [Reply([Call("read_file", {"path": "main.py"})]), say("Stopped there.")]
    priced = replace(config, input_price=1.0, output_price=10.0, max_cost=0.02)
    result = make_agent(config=priced).run_conversation("Go.", conversation_history=LONG)
    spent = [len(r.raw) // 4 / 1e6 for r in (*talker.summaries, *talker.facts)]
    chat = len(talker.chats[0].raw) // 4 / 1e6
    assert chat < 0.02 < chat + sum(spent)  # neither would do alone
    assert (result["stop_reason"], result["steps"]) == ("max_turn_requests", 1)


def test_a_tool_call_in_the_answer_goes_on_after_room_was_made(
    talker: Talker, make_agent: MakeAgent
) -> None:
    talker.says = [Reply([Text("Look:"), Call("read_file", {"path": "main.py"})]), say("Done.")]
    result = make_agent().run_conversation("Go.", conversation_history=LONG)
    assert result["final_response"] == "Done."
    assert len(talker.summaries) == 1
    assert_in_order(result["messages"])
