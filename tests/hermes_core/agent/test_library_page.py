"""docs/library.md: its example runs, its tables name what there is."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from hermes_core.agent.consent import REJECTED
from hermes_core.agent.results import Result
from hermes_core.ground.callbacks import Callbacks
from hermes_core.ground.events import ApprovalRequested
from tests.fakes.provider import FakeProvider, call, say

PAGE = Path(__file__).parents[3] / "docs" / "library.md"
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
    reason = "commands are confirmed in this mode"
    assert shown[:2] == [f"touch ran - {reason}", f"python3 -m pytest -q - {reason}"]
    assert shown[2].startswith("It is fixed. ")
    rejected, allowed = provider.requests[-1].tool_results[2:]
    assert rejected == REJECTED
    assert allowed != REJECTED


def test_every_callback_and_field_has_its_row(page: str) -> None:
    rows = " ".join(re.findall(r"^\|(.*?)\|", page, re.MULTILINE))
    named = set(re.findall(r"`(\w+)`", rows))
    wanted = {field.name for field in (*fields(Callbacks), *fields(ApprovalRequested))}
    assert (wanted | Result.__annotations__.keys()) - {"reply"} <= named
