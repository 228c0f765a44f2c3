"""What a session has changed in files, all turns together."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.rewind import Changed
from hermes_core.ground.errors import ToolError
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen

MAIN = "def add(a, b):\n    return a - b\n"


def allow(question: Any) -> None:
    question.reply.set_result("allow_once")


def write(path: str, text: str) -> Any:
    return call("write_file", {"path": path, "content": text})


@pytest.fixture
def agent(make_agent: MakeAgent) -> AIAgent:
    return make_agent(emit=Screen(allow))


def seen(agent: AIAgent) -> dict[str, Changed]:
    return {one.path.name: one for one in agent.rewind.changes()}


def run(agent: AIAgent, provider: FakeProvider, *answers: Any) -> None:
    provider.script(*answers, say("Done."))
    assert agent.chat("go") == "Done."


def test_nothing_was_changed_before_the_first_change(
    agent: AIAgent, provider: FakeProvider
) -> None:
    assert seen(agent) == {}
    run(agent, provider)
    assert seen(agent) == {}


def test_the_turns_together_are_shown(
    agent: AIAgent, provider: FakeProvider, project: Path
) -> None:
    run(agent, provider, write("new.py", "one\n"))
    run(agent, provider, write("new.py", "two\n"), write("other.py", "x\n"))
    run(agent, provider, call("terminal", {"command": "rm main.py other.py"}))
    found = seen(agent)
    assert sorted(found) == ["main.py", "new.py"]
    assert (found["new.py"].old, found["new.py"].new) == (None, "two\n")
    assert found["new.py"].is_new
    assert not found["new.py"].is_gone
    assert (found["main.py"].old, found["main.py"].new) == (MAIN, None)
    assert found["main.py"].is_gone
    assert found["main.py"].path == project.resolve() / "main.py"


def test_what_somebody_else_did_is_not_the_sessions(
    agent: AIAgent, provider: FakeProvider, project: Path
) -> None:
    run(agent, provider, write("new.py", "one\n"))
    (project / "main.py").write_text("mine\n")
    (project / "new.py").write_text("one, and mine\n")
    found = seen(agent)
    assert sorted(found) == ["new.py"]
    assert found["new.py"].new == "one\n"
    assert found["new.py"].since


def test_what_was_taken_back_is_not_shown(agent: AIAgent, provider: FakeProvider) -> None:
    run(agent, provider, write("new.py", "one\n"))
    run(agent, provider, write("new.py", "two\n"))
    agent.rewind.undo()
    assert seen(agent)["new.py"].new == "one\n"
    agent.rewind.undo()
    assert seen(agent) == {}


def test_what_is_binary_has_no_text(agent: AIAgent, provider: FakeProvider) -> None:
    run(agent, provider, call("terminal", {"command": "printf 'a\\0b' > data.bin"}))
    one = seen(agent)["data.bin"]
    assert (one.old, one.new) == (None, None)
    assert one.is_new


def test_without_git_there_is_an_error(
    make_agent: MakeAgent, provider: FakeProvider, tmp_path: Path, config: Any
) -> None:
    from dataclasses import replace

    agent = make_agent(emit=Screen(allow))
    run(agent, provider, write("new.py", "one\n"))
    bare = replace(config, env={"PATH": str(tmp_path), "HOME": str(tmp_path), "SHLVL": "1"})
    later = make_agent(emit=Screen(allow), session_id=agent.session_id, config=bare)
    with pytest.raises(ToolError, match="git is needed"):
        later.rewind.changes()
