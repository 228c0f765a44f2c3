"""What a copy of a session can take back of the turns that it took over."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.checkpointing import Shadows, forget_snapshots
from hermes_core.sessions.checkpoints import Checkpoints, still_needed
from hermes_core.sessions.forking import fork
from hermes_core.sessions.lineage import replace_history
from hermes_core.sessions.pruning import delete_session
from hermes_core.sessions.store import Store
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent

MAIN = "def add(a, b):\n    return a - b\n"

Copied = Callable[..., AIAgent]


def write(path: str, text: str) -> Any:
    return call("write_file", {"path": path, "content": text})


def files(project: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in project.iterdir() if p.is_file()}


@pytest.fixture
def agent(provider: FakeProvider, make_agent: MakeAgent) -> AIAgent:
    agent = make_agent(mode="bypass")
    provider.script(write("a.py", "one\n"), say("1"), write("b.py", "two\n"), say("2"))
    agent.chat("one")
    agent.chat("two")
    return agent


@pytest.fixture
def copied(agent: AIAgent, store: Store, make_agent: MakeAgent) -> Copied:
    """Fork the session at the prompt of a text, ``""`` for its end, and open the copy."""

    def copy(at: str = "", **row: Any) -> AIAgent:
        source = store.session(agent.session_id)
        assert source is not None
        ids = {one.title: one.message_id for one in agent.rewind.checkpoints()}
        fork(store, source.id, replace(source, id="copy", **row), ids.get(at, ""))
        return make_agent(session_id="copy", mode="bypass")

    return copy


def titles(agent: AIAgent) -> list[str]:
    return [one.title for one in agent.rewind.checkpoints()]


def test_a_copy_goes_back_to_the_prompts_that_it_inherited(
    agent: AIAgent, copied: Copied, provider: FakeProvider, project: Path
) -> None:
    copy = copied()
    assert titles(copy) == ["one", "two"]
    assert copy.rewind.undo()
    assert files(project) == {"main.py": MAIN, "a.py": "one\n"}
    assert copy.rewind.redo()
    assert copy.rewind.undo(2)
    assert files(project) == {"main.py": MAIN}
    provider.script(say("ok"))
    said = copy.run_conversation("last")["messages"]
    assert [m["content"] for m in said if m["role"] == "user"] == ["last"]
    assert titles(agent) == ["one", "two"]


def test_a_copy_from_a_message_on_has_the_turns_before_it(copied: Copied, project: Path) -> None:
    copy = copied("two")
    assert titles(copy) == ["one"]
    assert copy.rewind.undo()
    assert files(project) == {"main.py": MAIN, "b.py": "two\n"}


def test_files_stay_where_the_copy_does_not_work(
    copied: Copied, project: Path, tmp_path: Path
) -> None:
    before = files(project)
    done = copied(cwd=str(tmp_path)).rewind.undo(2)
    assert done is not None
    assert (done.turns, done.changed, files(project)) == (2, (), before)


def test_a_turn_of_which_the_end_is_not_known_is_copied_without_files(
    agent: AIAgent,
    copied: Copied,
    provider: FakeProvider,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Checkpoints, "set_after", lambda *_: None)
    provider.script(write("c.py", "three\n"), say("3"))
    agent.chat("three")
    before = files(project)
    copy = copied()
    assert copy.rewind.undo()
    assert files(project) == before


def test_the_snapshots_stay_when_the_original_is_deleted(
    agent: AIAgent, copied: Copied, store: Store, tmp_path: Path, project: Path
) -> None:
    copy = copied()
    agent.close()
    store.release(agent.session_id)
    assert delete_session(store, agent.session_id)
    home = next(tmp_path.rglob("snapshots")).parent
    forget_snapshots(home, os.environ, still_needed(store))
    assert copy.rewind.undo(2)
    assert files(project) == {"main.py": MAIN}
    copy.close()
    store.release("copy")
    assert delete_session(store, "copy")
    forget_snapshots(home, os.environ, still_needed(store))
    place = Shadows(home, [project], lambda: os.environ).shadow_of(str(project.resolve()))._place
    assert not [path for path in place.rglob("refs/hermes/*/*") if path.is_file()]


def test_a_prompt_of_before_a_compression_can_be_gone_back_to(
    agent: AIAgent, copied: Copied, store: Store, provider: FakeProvider
) -> None:
    shorter = [({"role": "user", "content": "(a summary)"}, True)]
    replace_history(store, agent.session_id, "shorter", shorter)  # type: ignore[arg-type]
    copy = copied()
    assert titles(copy) == ["one", "two"]
    assert copy.rewind.undo()
    provider.script(say("ok"))
    said = copy.run_conversation("last")["messages"]
    assert [m["content"] for m in said if m["role"] == "user"] == ["one", "last"]


def test_a_session_that_takes_over_another_one_goes_back_too(
    agent: AIAgent, make_agent: MakeAgent, project: Path
) -> None:
    other = make_agent(mode="bypass")
    other.records.resume(agent.session_id)
    assert titles(other) == ["one", "two"]
    assert other.rewind.undo(2)
    assert files(project) == {"main.py": MAIN}
