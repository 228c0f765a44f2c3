"""``AIAgent`` as a library: the example of the README, and each callback."""

import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hermes_core
from hermes_core import AIAgent
from hermes_core.agent.consent import NOBODY, REJECTED
from hermes_core.ground.actions import Answer
from hermes_core.ground.callbacks import Callbacks
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import ApprovalRequested
from hermes_core.local.config import Config
from tests.fakes.provider import Call, FakeProvider, Reasoning, Reply, Text, Usage, call, fail, say
from tests.hermes_core.agent.doubles import MakeAgent

EDIT = {"path": "main.py", "edits": [{"old": "a - b", "new": "a + b"}]}


def _example() -> str:
    readme = Path(hermes_core.__file__).parents[1] / "README.md"
    _, _, rest = readme.read_text(encoding="utf-8").partition("```python\n")
    return rest.partition("```")[0]


@pytest.mark.parametrize(
    ("name", "hint"), [("foo", ""), ("step_calback", " Did you mean 'step_callback'?")]
)
def test_an_unknown_argument_is_named_with_the_class(name: str, hint: str) -> None:
    given: dict[str, Any] = {name: None}
    with pytest.raises(TypeError) as caught:
        AIAgent(**given)
    assert str(caught.value) == f"AIAgent() has no argument {name!r}.{hint}"


def test_a_closed_agent_says_that_it_is_closed(
    provider: FakeProvider, project: Path, config: Config
) -> None:
    agent = AIAgent(cwd=project, config=config)
    agent.close()
    result = agent.run_conversation("Hi")
    assert str(result["error"]).startswith("The session's store is closed, so nothing can be kept")
    assert isinstance(result["exception"], HermesError)
    with pytest.raises(HermesError, match="store is closed"):
        agent.mode = "accept_edits"
    assert provider.requests == []


def test_the_example_of_the_readme(
    provider: FakeProvider,
    project: Path,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(config.home))
    monkeypatch.chdir(project)
    (config.home / "config.yaml").write_text(
        f"model:\n  provider: custom\n  base_url: {provider.base_url}\n  default: fake\n"
    )
    provider.script(
        call("read_file", {"path": "main.py"}),
        call("patch", EDIT),
        say("Fixed."),
        say("Added."),
    )
    names: dict[str, Any] = {}
    exec(_example(), names)
    assert names["answer"] == "Fixed."
    assert "a + b" in (project / "main.py").read_text()
    result = names["result"]
    assert capsys.readouterr().out.startswith("\n\nFixed.Added.\n end_turn {")
    assert (result["final_response"], result["task_id"]) == ("Added.", "task-1")
    assert (result["stop_reason"], result["api_calls"], result["steps"]) == ("end_turn", 1, 1)
    assert result["completed"]
    assert not result["interrupted"]
    assert result["error"] is None
    assert result["usage"]["total"] == result["usage"]["input"] + result["usage"]["output"] > 0
    assert [m["role"] for m in result["messages"]] == [
        *("user", "assistant", "tool", "assistant", "tool", "assistant"),
        *("user", "assistant"),
    ]
    assert (config.home / "hermes_sessions.db").is_file()


class Listener:
    """Has a method for each callback; keeps the calls in order."""

    def __init__(self, answer: Answer = "allow_once") -> None:
        self.heard: list[tuple[Any, ...]] = []
        self.answer = answer

    def hears(self) -> dict[str, Any]:
        names = Callbacks.__dataclass_fields__
        functions: dict[str, Any] = {name: self._hear(name) for name in names}
        functions["approval_callback"] = self._approve
        return functions

    def of(self, name: str) -> list[tuple[Any, ...]]:
        return [entry[1:] for entry in self.heard if entry[0] == name]

    def _hear(self, name: str) -> Any:
        return lambda *args, **more: self.heard.append((name, *args, *([more] if more else [])))

    def _approve(self, event: ApprovalRequested) -> Answer:
        self.heard.append(("approval_callback", event))
        return self.answer


@pytest.fixture
def listener(provider: FakeProvider, make_agent: MakeAgent, config: Config) -> Listener:
    """Return a listener that heard a turn with reasoning, a read, an edit and a retry."""
    provider.script(
        Reply(
            [
                Reasoning("Let me "),
                Reasoning("look."),
                Text("Looking"),
                Text(" now."),
                Call("read_file", {"path": "main.py"}, id="r1"),
            ]
        ),
        Reply([Call("patch", EDIT, id="p1"), Usage(200, 30)]),
        fail(503, retry_after="0"),
        say("Fixed."),
    )
    listener = Listener()
    agent = make_agent(**listener.hears(), config=replace(config, api_max_retries=3))
    assert agent.chat("Fix the bug") == "Fixed."
    return listener


def test_text_comes_piece_by_piece_and_is_closed_before_tools(listener: Listener) -> None:
    pieces = [args[0] for args in listener.of("stream_delta_callback")]
    closed = pieces.index(None)
    assert "".join(pieces[:closed]) == "Looking now."
    assert pieces[closed:] == [None, None, "Fixed."]


def test_reasoning_comes_apart_from_the_answer(listener: Listener) -> None:
    assert "".join(args[0] for args in listener.of("reasoning_callback")) == "Let me look."


def test_thinking_is_shown_from_the_call_to_its_first_piece(listener: Listener) -> None:
    assert listener.of("thinking_callback") == [("thinking",), ("",)] * 3
    names = [entry[0] for entry in listener.heard]
    assert names.index("thinking_callback") < names.index("reasoning_callback")


def test_tools_are_told_when_they_start_and_when_they_end(listener: Listener) -> None:
    assert listener.of("tool_start_callback") == [
        ("r1", "read_file", {"path": "main.py"}),
        ("p1", "patch", EDIT),
    ]
    ends = listener.of("tool_complete_callback")
    assert [end[:3] for end in ends] == listener.of("tool_start_callback")
    assert "return a - b" in ends[0][3]


def test_progress_names_the_tool_and_how_it_went(listener: Listener) -> None:
    told = listener.of("tool_progress_callback")
    assert [(entry[0], entry[1]) for entry in told] == [
        ("tool.started", "read_file"),
        ("tool.completed", "read_file"),
        ("tool.started", "patch"),
        ("tool.completed", "patch"),
    ]
    assert told[2][2] == "Edit main.py"
    details = told[3][4]
    assert details["tool_call_id"] == "p1"
    assert details["is_error"] is False
    assert details["duration"] >= 0
    assert details["result"]


def test_a_step_tells_what_ran_before_it(listener: Listener) -> None:
    steps = listener.of("step_callback")
    assert [number for number, _ in steps] == [1, 2, 3]
    assert steps[0][1] == []
    (before,) = steps[2][1]
    assert before["name"] == "patch"
    assert json.loads(before["arguments"]) == EDIT
    assert before["result"]


def test_a_question_shows_what_would_be_done(listener: Listener) -> None:
    ((event,),) = listener.of("approval_callback")
    assert event.call_id == "p1"
    assert event.kind == "edit"
    assert event.content[0].new == "def add(a, b):\n    return a + b\n"


def test_the_beginning_of_a_call_is_told_by_its_name(listener: Listener) -> None:
    assert listener.of("tool_gen_callback") == [("read_file",), ("patch",)]


def test_a_retry_is_told(listener: Listener) -> None:
    assert listener.of("status_callback")
    assert all(level in ("info", "warning") for level, _ in listener.of("status_callback"))


def test_a_rejection_reaches_the_model_and_the_turn_goes_on(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    provider.script(call("read_file", {"path": "main.py"}), call("patch", EDIT), say("Then not."))
    listener = Listener("reject_once")
    assert make_agent(**listener.hears()).chat("Fix it") == "Then not."
    assert provider.requests[2].tool_results[1:] == [REJECTED]
    assert "a - b" in (project / "main.py").read_text()
    assert listener.of("tool_progress_callback")[-1][4]["is_error"] is True


def test_always_is_asked_once(provider: FakeProvider, make_agent: MakeAgent) -> None:
    command = call("terminal", {"command": "touch made"})
    provider.script(command, command, say("Done."))
    listener = Listener("allow_always")
    assert make_agent(**listener.hears()).chat("Run it twice") == "Done."
    assert len(listener.of("approval_callback")) == 1


@pytest.mark.parametrize("mode", [None, "default"])
def test_without_anyone_to_ask_edits_and_commands_are_refused(
    provider: FakeProvider, make_agent: MakeAgent, project: Path, mode: Any
) -> None:
    provider.script(
        call("read_file", {"path": "main.py"}),
        call("patch", EDIT),
        call("terminal", {"command": "touch made"}),
        say("I could not."),
    )
    make_agent(mode=mode).chat("Fix it")
    assert "return a - b" in provider.requests[3].tool_results[0]
    assert provider.requests[3].tool_results[1:] == [
        f"{NOBODY} Why it asks: edits are confirmed in this mode.",
        f"{NOBODY} Why it asks: touch writes files.",
    ]
    assert sorted(path.name for path in project.iterdir()) == ["main.py"]


def test_a_configured_mode_counts_only_if_somebody_can_be_asked(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    lenient = replace(config, mode="accept_edits")
    assert make_agent(config=lenient).mode == "default"
    assert make_agent(config=lenient, emit=lambda _: None).mode == "accept_edits"
    assert make_agent(config=lenient, mode="accept_edits").mode == "accept_edits"


def test_an_unknown_callback_is_a_mistake_of_the_caller(make_agent: MakeAgent) -> None:
    with pytest.raises(TypeError, match="strem_delta_callback"):
        make_agent(strem_delta_callback=print)


def test_the_package_offers_the_agent_and_nothing_that_is_not_there() -> None:
    assert hermes_core.AIAgent is AIAgent
    with pytest.raises(AttributeError):
        _ = hermes_core.NoSuchThing


def test_importing_the_package_is_cheap() -> None:
    heavy = ["httpx", "httpx2", "yaml", "sqlite3", "json_repair", "rich", "psutil", "asyncio"]
    code = (
        "import sys, hermes_core\n"
        "assert 'hermes_core.agent' not in sys.modules\n"
        "hermes_core.AIAgent\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert hermes_core.__version__ == project["project"]["version"]
