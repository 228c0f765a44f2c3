"""Going back to prompts that a summary took the place of."""

from pathlib import Path

import pytest

from hermes_core import AIAgent
from hermes_core.ground.events import Compacted
from hermes_core.sessions.store import Store
from tests.fakes.provider import call, say
from tests.hermes_core.agent.compression.conversations import ids, sent
from tests.hermes_core.agent.compression.talker import Talker
from tests.hermes_core.agent.doubles import MakeAgent, Screen

TURNS = 40


@pytest.fixture
def screen() -> Screen:
    return Screen(lambda question: question.reply.set_result("allow_once"))


@pytest.fixture
def agent(talker: Talker, make_agent: MakeAgent, screen: Screen) -> AIAgent:
    """An agent whose turn 3 wrote a file, and whose first turns a summary holds."""
    agent = make_agent(emit=screen, mode="bypass")
    written = call("write_file", {"path": "new.py", "content": "three\n"})
    talker.says = [say("0"), say("1"), say("2"), written, say("Understood. " + "y" * 1_000)]
    for number in range(TURNS):
        agent.chat(f"prompt {number} " + "x" * 1_000)
    assert agent.compress() is not None
    assert "prompt 3 " not in str(agent._session.conversation.messages)
    return agent


def prompts(talker: Talker) -> list[str]:
    asked = [str(m["content"]) for m in sent(talker) if m["role"] == "user"]
    return [" ".join(text.split()[:2]) for text in asked]


def test_a_prompt_inside_the_summary_can_be_gone_back_to_and_from(
    agent: AIAgent, talker: Talker, project: Path, make_agent: MakeAgent
) -> None:
    shortened = list(agent._session.conversation.messages)
    first = agent.rewind.checkpoints()[3]
    assert first.title.startswith("prompt 3 ")
    done = agent.rewind.go_back(first)
    assert done is not None
    assert done.turns == TURNS - 3
    assert not (project / "new.py").exists()
    agent = make_agent(session_id=agent.session_id, mode="bypass")
    assert agent.rewind.redo()
    assert (project / "new.py").read_text() == "three\n"
    assert list(agent._session.conversation.messages) == shortened
    assert agent.rewind.go_back(agent.rewind.checkpoints()[3])
    agent.chat("rather this")
    assert prompts(talker) == ["prompt 0", "prompt 1", "prompt 2", "rather this"]
    assert [one.title.split("x")[0] for one in agent.rewind.checkpoints()] == [
        *("prompt 0 ", "prompt 1 ", "prompt 2 "),
        "rather this",
    ]


def test_what_was_said_since_the_summary_is_taken_back_and_the_summary_stays(
    agent: AIAgent, talker: Talker, store: Store
) -> None:
    agent.chat("after it")
    before = prompts(talker)
    assert agent.rewind.undo()
    agent.chat("instead")
    assert prompts(talker) == [*before[:-1], "instead"]
    assert len(ids(store, agent)) == 3


def test_a_turn_in_which_the_summary_came_is_taken_back_with_it(
    talker: Talker, make_agent: MakeAgent, screen: Screen
) -> None:
    agent = make_agent(emit=screen)
    talker.says = [say("Understood. " + "y" * 1_600)]
    number = 0
    while not screen.of(Compacted) and number < 60:
        agent.chat(f"prompt {number} " + "x" * 1_600)
        number += 1
    assert screen.of(Compacted)[-1].status == "completed"
    assert agent.rewind.undo()
    agent.chat("instead")
    assert agent.rewind.undo()
    told = [m for m in agent._session.conversation.messages if m["role"] == "user"]
    assert [str(m["content"]).split()[1] for m in told] == [str(n) for n in range(number - 1)]
