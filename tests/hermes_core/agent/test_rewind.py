"""Going back to before a prompt, history and files, and forth again."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent import undoing
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import (
    ApprovalRequested,
    Rewound,
    StatusChanged,
    ToolCallFinished,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.restoring import remove
from hermes_core.sessions.store import Store
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen, events_of


def allow(question: Any) -> None:
    reply: Future[str] = question.reply
    reply.set_result("allow_once")


def write(path: str, text: str) -> Any:
    return call("write_file", {"path": path, "content": text})


@pytest.fixture
def screen() -> Screen:
    return Screen(allow)


@pytest.fixture
def agent(provider: FakeProvider, make_agent: MakeAgent, screen: Screen) -> AIAgent:
    agent = make_agent(emit=screen)
    provider.script(
        write("new.py", "one\n"),
        say("First."),
        call("terminal", {"command": "printf two > new.py; rm main.py"}),
        say("Second."),
        say("Third."),
    )
    for text in ("make it", "change it", "thanks"):
        assert agent.chat(text)
    return agent


def said(agent: AIAgent) -> list[str]:
    history = agent.run_conversation("last")["messages"]
    return [str(m["content"]) for m in history if m["role"] == "user"]


def files(project: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in project.iterdir() if p.is_file()}


MAIN = "def add(a, b):\n    return a - b\n"


def test_every_prompt_can_be_gone_back_to(agent: AIAgent) -> None:
    those = agent.rewind.checkpoints()
    assert [one.title for one in those] == ["make it", "change it", "thanks"]
    assert [len(one.snapshots) for one in those] == [1, 1, 0]


def test_the_last_turn_is_taken_back_and_no_file_with_it(
    agent: AIAgent, project: Path, screen: Screen
) -> None:
    before = files(project)
    questions = len(screen.of(ApprovalRequested))
    done = agent.rewind.undo()
    assert done is not None
    assert (done.title, done.turns, done.changed) == ("thanks", 1, ())
    assert files(project) == before
    assert len(screen.of(ApprovalRequested)) == questions
    assert [one.title for one in agent.rewind.checkpoints()] == ["make it", "change it"]


def test_files_are_put_back_after_their_diff_was_shown(
    agent: AIAgent, provider: FakeProvider, project: Path, screen: Screen
) -> None:
    done = agent.rewind.undo(2)
    assert done is not None
    assert files(project) == {"main.py": MAIN, "new.py": "one\n"}
    assert {path.name for path in done.changed} == {"main.py", "new.py"}
    question = screen.of(ApprovalRequested)[-1]
    assert {part.path.rpartition("/")[2]: (part.old, part.new) for part in question.content} == {
        "main.py": (None, MAIN),
        "new.py": ("two", "one\n"),
    }
    assert screen.of(ToolCallFinished)[-1].call_id == question.call_id
    provider.script(say("ok"))
    assert said(agent) == ["make it", "last"]
    assert [m["role"] for m in provider.requests[-1].messages[1:]] == [
        "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


def test_an_empty_file_that_goes_is_said_to_be_empty(
    make_agent: MakeAgent, provider: FakeProvider, screen: Screen
) -> None:
    agent = make_agent(emit=screen)
    provider.script(write("empty.py", ""), say("Done."))
    agent.chat("make it")
    assert agent.rewind.undo()
    (shown,) = screen.of(ApprovalRequested)[-1].content
    assert shown.text.endswith("empty.py\n\n(it is empty)")


def test_what_was_undone_can_be_done_again(
    agent: AIAgent, provider: FakeProvider, project: Path
) -> None:
    before = files(project)
    assert agent.rewind.undo(3)
    assert files(project) == {"main.py": MAIN}
    done = agent.rewind.redo()
    assert done is not None
    assert (done.title, done.turns) == ("make it", 3)
    assert files(project) == before
    provider.script(say("ok"))
    assert said(agent) == ["make it", "change it", "thanks", "last"]


def test_undoings_come_back_one_by_one(agent: AIAgent, project: Path) -> None:
    before = files(project)
    agent.rewind.undo()
    agent.rewind.undo()
    agent.rewind.redo()
    assert [one.title for one in agent.rewind.checkpoints()] == ["make it", "change it"]
    agent.rewind.redo()
    assert files(project) == before
    assert len(agent.rewind.checkpoints()) == 3
    with pytest.raises(HermesError, match="nothing to redo"):
        agent.rewind.redo()


def test_a_new_prompt_ends_what_could_be_redone(agent: AIAgent, provider: FakeProvider) -> None:
    agent.rewind.undo()
    provider.script(say("ok"))
    agent.chat("something else")
    with pytest.raises(HermesError, match="nothing to redo"):
        agent.rewind.redo()


def test_what_the_user_changed_since_is_left_alone_and_named(
    agent: AIAgent, project: Path, screen: Screen
) -> None:
    (project / "new.py").write_text("my own\n")
    (project / "other.py").write_text("mine\n")
    done = agent.rewind.undo(3)
    assert done is not None
    assert files(project) == {"main.py": MAIN, "new.py": "my own\n", "other.py": "mine\n"}
    assert [path.name for path in done.kept] == ["new.py"]
    title = screen.of(ApprovalRequested)[-1].title
    assert title == "Go back to before: make it (1 file that others changed: untouched)"


def test_a_users_change_between_turns_is_not_lost(
    provider: FakeProvider, make_agent: MakeAgent, screen: Screen, project: Path
) -> None:
    agent = make_agent(emit=screen)
    provider.script(write("a.py", "agent 1\n"), say("1"), write("b.py", "agent 2\n"), say("2"))
    agent.chat("one")
    (project / "a.py").write_text("user\n")
    agent.chat("two")
    done = agent.rewind.undo(2)
    assert done is not None
    assert files(project) == {"main.py": MAIN, "a.py": "user\n"}
    assert [path.name for path in done.kept] == ["a.py"]


def test_nothing_changes_if_the_user_declines(
    agent: AIAgent, project: Path, screen: Screen, provider: FakeProvider
) -> None:
    before = files(project)
    screen.answers(lambda question: question.reply.set_result("reject_once"))
    assert agent.rewind.undo(2) is None
    assert files(project) == before
    assert len(agent.rewind.checkpoints()) == 3
    assert screen.of(ToolCallFinished)[-1].status == "failed"
    provider.script(say("ok"))
    assert said(agent) == ["make it", "change it", "thanks", "last"]


def test_it_holds_after_a_restart(
    agent: AIAgent, make_agent: MakeAgent, provider: FakeProvider, project: Path
) -> None:
    agent.rewind.undo(2)
    again = make_agent(session_id=agent.session_id, emit=Screen(allow))
    assert [one.title for one in again.rewind.checkpoints()] == ["make it"]
    provider.script(say("ok"))
    redone = again.rewind.redo()
    assert redone is not None
    assert redone.turns == 2
    assert said(again) == ["make it", "change it", "thanks", "last"]


def test_the_log_says_what_is_hidden(agent: AIAgent, store: Store) -> None:
    agent.rewind.undo()
    agent.rewind.redo()
    marks = [event for event in events_of(store, agent) if isinstance(event, Rewound)]
    assert [mark.undone for mark in marks] == [True, False]
    assert marks[0].message_id == marks[1].message_id


@pytest.mark.parametrize("turns", [0, 4, -1])
def test_a_number_that_is_none_is_explained(agent: AIAgent, turns: int) -> None:
    with pytest.raises(HermesError, match="Between 1 and 3"):
        agent.rewind.undo(turns)


def test_a_session_without_turns_has_nothing_to_undo(make_agent: MakeAgent) -> None:
    with pytest.raises(HermesError, match="nothing to undo"):
        make_agent().rewind.undo()


def test_without_git_the_turn_goes_on_and_it_is_said_once(
    provider: FakeProvider,
    make_agent: MakeAgent,
    screen: Screen,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hermes_core.agent.checkpointing.find_program", lambda *_: None)
    agent = make_agent(emit=screen)
    provider.script(write("a", "1"), say("1"), write("b", "2"), say("2"))
    agent.chat("one")
    agent.chat("two")
    told = [s.text for s in screen.of(StatusChanged) if "git is needed" in s.text]
    assert len(told) == 1
    assert agent.rewind.undo(2)
    assert {"a", "b"} <= set(files(project))


def test_the_library_is_not_asked(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    agent = make_agent(mode="accept_edits")
    provider.script(write("a.py", "1\n"), say("1"))
    agent.chat("one")
    assert agent.rewind.undo()
    assert files(project) == {"main.py": MAIN}


def test_nothing_is_taken_back_under_a_turn_that_runs(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    refused: list[str] = []

    def take_back(_call_id: str, name: str, *_: Any) -> None:
        if name != "write_file":
            return
        first = agent.rewind.checkpoints()[0]
        for act in (agent.rewind.undo, agent.rewind.redo, lambda: agent.rewind.go_back(first)):
            with pytest.raises(HermesError) as error:
                act()
            refused.append(str(error.value))

    agent = make_agent(mode="accept_edits", tool_complete_callback=take_back)
    provider.script(write("new.py", "one\n"), say("First."))
    assert agent.chat("make it") == "First."
    assert len(refused) == 3
    assert all("already running" in text for text in refused)
    assert (project / "new.py").exists()
    assert agent.rewind.undo() is not None
    assert not (project / "new.py").exists()


def test_an_interrupt_leaves_files_and_history_together(
    agent: AIAgent, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    latch = Interrupt()

    def remove_and_stop(root: Path, path: str) -> None:
        remove(root, path)
        latch.set()

    monkeypatch.setattr(undoing, "remove", remove_and_stop)
    done = agent.rewind.undo(3, latch)
    assert done is not None
    assert len(done.changed) == 2
    assert files(project) == {"main.py": MAIN}
    assert agent.rewind.checkpoints() == []


def test_redo_mends_what_a_killed_process_left_half_undone(
    agent: AIAgent, project: Path, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: Any) -> None:
        raise KilledError

    before = files(project)
    with monkeypatch.context() as patch:
        patch.setattr(undoing, "put", die)
        with pytest.raises(KilledError):
            agent.rewind.undo(3)
    assert files(project) != before
    assert agent.rewind.redo() is not None
    assert files(project) == before
    provider.script(say("Last."))
    assert said(agent) == ["make it", "change it", "thanks", "last"]


def test_our_own_home_is_in_no_snapshot(
    tmp_path: Path, make_agent: MakeAgent, provider: FakeProvider, screen: Screen
) -> None:
    agent = make_agent(cwd=tmp_path, emit=screen)
    provider.script(write("a.txt", "1\n"), say("One."), write("a.txt", "2\n"), say("Two."))
    agent.chat("one")
    agent.chat("two")
    done = agent.rewind.undo()
    assert done is not None
    assert (done.changed, done.kept) == ((tmp_path / "a.txt",), ())
