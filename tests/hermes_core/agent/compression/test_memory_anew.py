"""What is remembered is read again when a conversation was summarised, and at no other time."""

from dataclasses import replace
from typing import Any

from hermes_core.agent.prompt.build import recalled
from hermes_core.ground.events import Compacted
from hermes_core.local.config import Config
from hermes_core.sessions.store import Store
from tests.fakes.provider import say
from tests.hermes_core.agent.compression.conversations import LONG
from tests.hermes_core.agent.compression.histories import assistant, long_turn
from tests.hermes_core.agent.compression.talker import Talker
from tests.hermes_core.agent.doubles import MakeAgent, Screen

FACT = '[{"about": "user", "fact": "He likes short answers."}]'


def prompt_of(request: Any) -> str:
    return str(request.messages[0]["content"])


def remember(config: Config, text: str) -> None:
    folder = config.home / "memories"
    folder.mkdir(exist_ok=True)
    (folder / "MEMORY.md").write_text(text)


def test_a_fact_that_was_kept_is_in_the_prompt_behind_the_summary(
    talker: Talker, make_agent: MakeAgent, store: Store
) -> None:
    agent = make_agent()
    agent.run_conversation("Hello.")
    before = agent.system_prompt
    talker.remembers = [say(FACT), say("[]")]
    history = [*agent.messages, *LONG]
    agent.run_conversation("Go.", conversation_history=history)
    (first, then) = talker.chats
    assert prompt_of(first) == before
    assert prompt_of(then).startswith(before)
    assert "He likes short answers." in prompt_of(then)
    row = store.session(agent.session_id)
    assert row
    assert row.system_prompt == prompt_of(then)
    agent.compress()
    make_agent(session_id=agent.session_id).run_conversation("Go on.")
    assert prompt_of(talker.chats[-1]) == prompt_of(then)


def test_without_news_not_a_byte_of_it_changes(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    remember(config, "uses uv")
    agent = make_agent()
    agent.run_conversation("Hello.")
    (config.home / "SOUL.md").write_text("You are somebody else.")
    event = agent.compress()
    agent.run_conversation("Go.", conversation_history=[*agent.messages, *LONG])
    assert event is None or event.status == "completed"
    assert len(talker.summaries) >= 1
    assert prompt_of(talker.chats[0]) == prompt_of(talker.chats[-1])


def test_where_only_old_outputs_are_cut_the_prompt_stays(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.run_conversation("Hello.")
    remember(config, "uses uv")
    history = [*agent.messages, *long_turn(40, 2_400), assistant("Done.")]
    agent.run_conversation("Go on.", conversation_history=history)
    (cut,) = screen.of(Compacted)
    assert (cut.status, cut.summary) == ("completed", "")
    assert prompt_of(talker.chats[0]) == prompt_of(talker.chats[-1])


def test_a_prompt_that_was_given_for_the_turn_stays(
    talker: Talker, make_agent: MakeAgent, config: Config
) -> None:
    remember(config, "uses uv")
    agent = make_agent()
    agent.run_conversation("Go.", "You are a clerk.", conversation_history=LONG)
    assert len(talker.summaries) == 1
    assert prompt_of(talker.chats[-1]) == "You are a clerk."


def test_only_the_layers_of_memory_are_made_anew(config: Config) -> None:
    prompt = "I am.\n\n# Memory\n<memory>\nold\n</memory>\n"
    assert recalled(prompt, config) == "I am.\n"
    remember(config, "uses uv\n§\nruns make")
    renewed = recalled(prompt, config)
    assert renewed.startswith("I am.\n\n# Memory\n")
    assert "uses uv\n§\nruns make" in renewed
    assert "old" not in renewed
    assert recalled(renewed, config) == renewed
    off = replace(config, memory_enabled=False)
    assert "uses uv" not in recalled(renewed, off)
    assert recalled("A text of another kind.", config) == "A text of another kind."
