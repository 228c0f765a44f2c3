"""docs/library.md: its examples run, its tables and examples name what there is."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from hermes_core import AIAgent
from hermes_core.agent.consent import REJECTED
from hermes_core.agent.results import Result
from hermes_core.ground.callbacks import Callbacks
from hermes_core.ground.events import ApprovalRequested
from tests.fakes.provider import Call, FakeProvider, Reasoning, Reply, call, calls, say

PAGE = Path(__file__).parents[3] / "docs" / "library.md"
BETWEEN_ROOMS = {"attach", "in_context", "interrupt_child", "last_prompt", "messages"} | {
    "resume_cost",
    "rules",
    "trace",
}
"""What the server and the slash commands use."""

EDIT = {"path": "main.py", "edits": [{"old": "a - b", "new": "a + b"}]}


@pytest.fixture
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: FakeProvider) -> Path:
    """A home whose settings lead to the provider on loopback."""
    home = tmp_path / "users-home"
    home.mkdir()
    settings = {"provider": "custom", "base_url": provider.base_url, "default": "fake"}
    (home / "config.yaml").write_text(json.dumps({"model": settings}))
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


@pytest.mark.usefixtures("users_home")
def test_the_example_lets_edits_run_and_one_command(
    page: str,
    provider: FakeProvider,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    provider.script(
        call("read_file", {"path": "main.py"}),
        call("patch", EDIT),
        call("terminal", {"command": "touch ran"}),
        call("terminal", {"command": "python3 -m pytest -q"}),
        say("It is fixed."),
    )
    example = page.partition("```python\n")[2].partition("```")[0]
    exec(compile(example, str(PAGE), "exec"), {})
    assert "return a + b" in (project / "main.py").read_text()
    assert not (project / "ran").exists()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "touch ran - Asks because: touch writes files"
    assert shown[1] == "Programs: touch"
    assert shown[3].startswith("python3 -m pytest -q - Asks because: ")
    assert shown[-1].startswith("It is fixed. ")
    rejected, allowed = provider.requests[-1].tool_results[2:]
    assert rejected == REJECTED
    assert allowed != REJECTED


THOUGHT = Reasoning("Hm.")
READ = Call("read_file", {"path": "main.py"})
RESULT = "interrupted: the process ended while this ran; it may have run"

EXAMPLES: dict[str, tuple[list[Reply], str]] = {
    "One question": ([say("It adds.")], "It adds.\n"),
    "A whole turn": ([say("Bonjour")], "Bonjour greeting-1 4\n"),
    "A turn that was not finished": (
        [say("They may have run.")],
        f"{RESULT}\nThey may have run.\n",
    ),
    "A session later": ([say("Yes."), say("blue"), say("BLUE")], "blue\nBLUE\n"),
    "While a turn runs": (
        [calls(READ), say("Enough."), say("Written."), calls(READ)],
        "Enough.\nWritten.\n"
        "True [The user interrupted this turn. Not run: read_file main.py.]\ncancelled\n",
    ),
    "A long conversation": ([say("Hello.")], "nothing to gain\n"),
    "Model, mode and settings": (
        [say("Hello.")],
        "custom fake\nfake-large high flex True\nfake-large\nTrue True\n"
        "You are Hermes, a coding agent in the user's editor\nHello\n",
    ),
    "Callbacks": (
        [
            Reply([THOUGHT, READ]),
            calls(Call("terminal", {"command": "rm main.py"})),
            calls(Call("clarify", {"question": "Keep it?", "choices": ["Yes", "No"]})),
            say("I keep it."),
        ],
        """\
step 1 []
thinking thinking
thinking\x20
reasoning Hm.
writes a call read_file
text None
begins read_file {'path': 'main.py'}
progress tool.started read_file
ends def add(a, b):
    return a - b
progress tool.completed read_file
""",
    ),
    "Going back": (
        [calls(Call("patch", EDIT)), say("Done.")],
        "['main.py'] True\n['Add the numbers.'] True\n",
    ),
    "Children": (
        [
            calls(Call("delegate_task", {"tasks": [{"task": "Read main.py", "title": "Read"}]})),
            calls(READ),
            say("It adds."),
            say("It adds; there are no tests."),
        ],
        "subagent.start - Read\nsubagent.tool - Read main.py\nsubagent.complete - Read\n"
        "It adds; there are no tests. 4\n",
    ),
    "Events": (
        [calls(Call("terminal", {"command": "touch made"})), say("Done.")],
        "[touch made]\nDone.",
    ),
}
"""By heading: what the model answers, and what the examples print, or how that begins."""


@pytest.fixture
def in_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)


@pytest.mark.usefixtures("users_home", "in_project")
@pytest.mark.parametrize("heading", EXAMPLES)
def test_each_example_runs(
    heading: str, page: str, provider: FakeProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    replies, printed = EXAMPLES[heading]
    provider.script(*replies)
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for example in code_of(section):
        exec(compile(example, f"{PAGE}, {heading}", "exec"), {})
    assert provider.left == 0
    assert capsys.readouterr().out.startswith(printed)


def test_every_section_with_code_is_run(page: str) -> None:
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    with_code = {one.partition("\n")[0] for one in sections if code_of(one)}
    assert with_code == set(EXAMPLES)


def test_every_entry_and_callback_has_its_example(page: str) -> None:
    code = "\n".join(code_of(page))
    entries = {name for name in dir(AIAgent) if not name.startswith("_")} - BETWEEN_ROOMS
    shown = set(re.findall(r"\b(?:agent|first|again|stopped)\.(\w+)", code))
    assert entries - shown == set(), "give each an example, with its answers in EXAMPLES"
    passed = set(re.findall(r"\b(\w+_callback)=", code))
    assert {field.name for field in fields(Callbacks)} - passed == set()


def code_of(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_every_callback_and_field_has_its_row(page: str) -> None:
    rows = " ".join(re.findall(r"^\|(.*?)\|", page, re.MULTILINE))
    named = set(re.findall(r"`(\w+)`", rows))
    wanted = {field.name for field in (*fields(Callbacks), *fields(ApprovalRequested))}
    assert (wanted | Result.__annotations__.keys()) - {"reply"} <= named
