"""Shortening that is asked for again and again: it is bounded, and every request still fits."""

from dataclasses import replace

from hermes_core.ground.events import Compacted
from hermes_core.local.config import Config
from tests.fakes.provider import FakeProvider, fail, say
from tests.hermes_core.agent.compression.conversations import LONG, WINDOW
from tests.hermes_core.agent.compression.talker import Talker
from tests.hermes_core.agent.doubles import MakeAgent, Screen


def test_summaries_that_are_always_the_same_still_keep_a_long_session_going(
    talker: Talker, make_agent: MakeAgent
) -> None:
    talker.says = [say("Understood. " + "z" * 6_000)]
    screen = Screen()
    agent = make_agent(emit=screen)
    for number in range(40):
        assert agent.run_conversation(f"request {number} " + "y" * 4_000)["completed"]
    assert len(talker.chats) == 40
    for number, chat in enumerate(talker.chats):
        assert len(chat.raw) // 4 < WINDOW
        assert f"request {number} " in str(chat.messages[-1]["content"])
    ends = screen.of(Compacted)
    assert 2 <= len(ends) <= 10
    assert all(end.status == "completed" and end.after_tokens < end.before_tokens for end in ends)


def test_where_nothing_ever_fits_each_turn_asks_a_few_times_and_says_why(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.handler = lambda _request: fail(400, "maximum context length is 10 tokens")
    screen = Screen()
    agent = make_agent(emit=screen)
    for text in ("Go.", "Again.", "Again."):
        before = len(provider.requests)
        result = agent.run_conversation(text, conversation_history=None if before else LONG)
        assert result["stop_reason"] == "error"
        assert "longer than fake takes" in (result["error"] or "")
        assert 1 <= len(provider.requests) - before <= 8
    assert [end.status for end in screen.of(Compacted)] == ["failed"]


def test_a_window_that_prompt_and_tools_nearly_fill_makes_no_loop(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    agent = make_agent(config=replace(config, context_window=4_000))
    talker.says = [say("Understood. " + "z" * 3_000)]
    for number in range(10):
        assert agent.run_conversation(f"request {number} " + "y" * 2_000)["completed"]
    assert len(talker.chats) == 10
    assert len(talker.summaries) <= 20
