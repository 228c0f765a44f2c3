"""Who changed what during a turn, and what an undoing leaves to others."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.authorship import Authorship
from hermes_core.ground.actions import Action
from hermes_core.local.restoring import blob_id
from hermes_core.sessions.checkpoints import Checkpoints
from hermes_core.sessions.shadow import Change, State
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent

MAIN = "def add(a, b):\n    return a - b\n"


def write(path: str, text: str) -> Any:
    return call("write_file", {"path": path, "content": text})


def run(command: str) -> Any:
    return call("terminal", {"command": command})


def later(path: Path, text: str) -> None:
    """Write a file so that the clock of the file system has moved on."""
    begun = time.time_ns()
    path.write_text(text)
    while path.stat().st_ctime_ns <= begun:
        os.utime(path)


def files(project: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in project.iterdir() if p.is_file()}


Meanwhile = Callable[..., AIAgent]


@pytest.fixture
def meanwhile(make_agent: MakeAgent) -> Meanwhile:
    """Make an agent in whose turns others do something after a tool of a name has run."""

    def make(**after: Callable[[], None]) -> AIAgent:
        def done(_call_id: str, name: str, *_: Any) -> None:
            after.get(name, lambda: None)()

        return make_agent(mode="bypass", tool_complete_callback=done)

    return make


def test_what_others_change_meanwhile_is_left_and_named(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path
) -> None:
    agent = meanwhile(write_file=lambda: (project / "theirs.py").write_text("theirs\n") and None)
    provider.script(write("ours.py", "ours\n"), say("Done."))
    agent.chat("make it")
    assert [one.path.name for one in agent.rewind.changes() if not one.since] == ["ours.py"]
    done = agent.rewind.undo()
    assert done is not None
    assert [path.name for path in done.changed] == ["ours.py"]
    assert [path.name for path in done.kept] == ["theirs.py"]
    assert files(project) == {"main.py": MAIN, "theirs.py": "theirs\n"}
    assert agent.rewind.redo()
    assert files(project) == {"main.py": MAIN, "theirs.py": "theirs\n", "ours.py": "ours\n"}


def test_what_both_changed_is_left_and_named(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path
) -> None:
    agent = meanwhile(write_file=lambda: (project / "main.py").write_text("theirs too\n") and None)
    provider.script(write("main.py", "ours\n"), say("Done."))
    agent.chat("make it")
    done = agent.rewind.undo()
    assert done is not None
    assert (done.changed, [path.name for path in done.kept]) == ((), ["main.py"])
    assert files(project) == {"main.py": "theirs too\n"}


def test_what_a_tool_found_changed_by_others_is_not_lost(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path
) -> None:
    def change_once() -> None:
        if not (project / "ours.py").exists():
            (project / "main.py").write_text("theirs\n")
        (project / "ours.py").touch()

    agent = meanwhile(write_file=change_once)
    provider.script(write("new.py", "new\n"), write("main.py", "ours\n"), say("Done."))
    agent.chat("make it")
    assert files(project)["main.py"] == "ours\n"
    done = agent.rewind.undo()
    assert done is not None
    assert [path.name for path in done.kept] == ["main.py", "ours.py"]
    assert files(project) == {"main.py": "ours\n", "ours.py": ""}


def test_a_command_is_answerable_for_what_changed_while_it_ran_alone(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path
) -> None:
    agent = meanwhile(terminal=lambda: later(project / "theirs.py", "theirs\n"))
    provider.script(
        run("printf ours > ours.py; touch -d 2001-01-01 ours.py; rm main.py"), say("Done.")
    )
    agent.chat("make it")
    done = agent.rewind.undo()
    assert done is not None
    assert {path.name for path in done.changed} == {"ours.py", "main.py"}
    assert files(project) == {"main.py": MAIN, "theirs.py": "theirs\n"}


@pytest.mark.parametrize("third", [False, True])
def test_turns_are_undone_up_to_what_others_did_between_their_changes(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path, *, third: bool
) -> None:
    def change() -> None:
        if (project / "b.py").exists() and (project / "main.py").read_text() == "one\n":
            (project / "main.py").write_text("theirs\n")

    agent = meanwhile(write_file=change)
    provider.script(write("main.py", "one\n"), say("1"), write("b.py", "two\n"), say("2"))
    provider.script(run("echo three > main.py"), say("3"))
    for text in ("one", "two", "three")[: 2 + third]:
        agent.chat(text)
    done = agent.rewind.undo(2 + third)
    assert done is not None
    assert files(project) == {"main.py": "theirs\n"}
    assert [path.name for path in done.kept] == ([] if third else ["main.py"])


def test_what_was_changed_after_a_turn_that_was_killed_counts_as_its_own_up_to_the_next(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = meanwhile()
    provider.script(write("a.py", "one\n"), say("1"), write("b.py", "two\n"), say("2"))
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "set_after", lambda *_: None)
        agent.chat("one")
    agent.chat("two")
    (project / "a.py").write_text("mine\n")
    done = agent.rewind.undo(2)
    assert done is not None
    assert files(project) == {"main.py": MAIN, "a.py": "mine\n"}
    assert [path.name for path in done.kept] == ["a.py"]


def test_a_call_of_a_foreign_tool_may_work_on_after_its_answer(tmp_path: Path) -> None:
    for kind, others in (("mcp", {}), ("execute", {"f": "only"}), ("fetch", {"f": "only"})):
        authorship = Authorship()
        with authorship.watch(Action(kind, "x")):  # type: ignore[arg-type]
            pass
        later(tmp_path / "f", "x")
        change = Change("f", None, State("100644", blob_id(b"x")))
        assert authorship.others(str(tmp_path), [change]) == others


def test_a_call_that_was_given_up_is_answerable_for_all_that_follows(tmp_path: Path) -> None:
    authorship = Authorship()
    with pytest.raises(KeyError), authorship.watch(Action("execute", "x")):
        raise KeyError
    writing = authorship.watch(Action("edit", "g", (tmp_path / "g",)))
    writing.__enter__()
    later(tmp_path / "f", "x")
    later(tmp_path / "g", "x")
    changes = [Change(name, None, State("100644", blob_id(b"x"))) for name in ("f", "g")]
    assert authorship.others(str(tmp_path), changes) == {}


def test_what_a_child_wrote_is_the_turns(
    provider: FakeProvider, meanwhile: Meanwhile, project: Path
) -> None:
    agent = meanwhile()
    task = {"goal": "make it", "context": ""}
    provider.script(
        call("delegate_task", {"tasks": [task]}),
        write("child.py", "child\n"),
        say("Made."),
        say("Done."),
    )
    agent.chat("make it")
    assert "child.py" in files(project)
    done = agent.rewind.undo()
    assert done is not None
    assert ([path.name for path in done.changed], done.kept) == (["child.py"], ())


def test_a_file_system_that_keeps_whole_seconds_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authorship = Authorship()
    monkeypatch.setattr("time.time_ns", lambda: 101_900_000_000)
    with authorship.watch(Action("execute", "x")):
        pass
    change = Change("f", None, State("100644", blob_id(b"x")))
    for at, others in ((100_000_000_000, {}), (101_800_000_000, {"f": "only"})):
        monkeypatch.setattr("hermes_core.agent.authorship._changed_at", lambda _, at=at: at)
        assert authorship.others(str(tmp_path), [change]) == others
