"""Plugins in whole turns: what they are told, what they may change, and what a broken one does."""

import re
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.hooks import PluginHooks
from hermes_core.ground.budget import Budget
from hermes_core.ground.content import Diff
from hermes_core.ground.events import (
    ApprovalRequested,
    StatusChanged,
    ToolCallFinished,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local import extensions
from hermes_core.local.config import Config
from hermes_core.local.workspace import Workspace
from tests.fakes.provider import Call, FakeProvider, call, calls, say
from tests.hermes_core.agent.doubles import WATCHDOG, MakeAgent, Screen, assert_requests_alternate

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"

RECORD = """
    SEEN = []
    def register(hooks):
        for name in ("pre_tool_call", "post_tool_call", "pre_llm_call", "post_llm_call",
                     "on_session_start", "on_session_end"):
            hooks.add(name, lambda name_=name, **told: SEEN.append((name_, told)))
"""


def install(home: Path, code: str, name: str = "guard", manifest: str = "api: 1\n") -> Path:
    folder = home / "plugins" / name
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text(manifest)
    (folder / "__init__.py").write_text(textwrap.dedent(code))
    for path in (folder.parent, folder, *folder.iterdir()):
        path.chmod(path.stat().st_mode & ~0o022)
    return folder


def seen_by(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = extensions._modules[folder.resolve()].SEEN
    return found


def warnings(screen: Screen) -> list[str]:
    return [e.text for e in screen.of(StatusChanged) if e.level == "warning"]


def test_every_hook_is_told_its_turn(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    folder = install(config.home, RECORD)
    provider.script(call("read_file", {"path": "main.py"}, id="c1"), say("Ok."))
    agent = make_agent()
    result = agent.run_conversation("look", task_id="turn-1")
    agent.close()
    seen = seen_by(folder)
    assert [name for name, _ in seen] == [
        "on_session_start",
        "pre_llm_call",
        "post_llm_call",
        "pre_tool_call",
        "post_tool_call",
        "pre_llm_call",
        "post_llm_call",
        "on_session_end",
    ]
    assert {told["task_id"] for _, told in seen} == {"turn-1"}
    assert {told["session_id"] for _, told in seen} == {agent.session_id}
    told = dict(seen)
    assert told["on_session_start"]["cwd"] == str(project)
    assert told["pre_tool_call"]["arguments"]["path"] == "main.py"
    post = told["post_tool_call"]
    assert (post["call_id"], post["name"], post["failed"]) == ("c1", "read_file", False)
    assert "def add" in post["output"]
    assert told["post_llm_call"]["message"]["content"] == "Ok."
    assert told["pre_llm_call"]["messages"] == result["messages"][:3]


def test_what_a_hook_gets_are_copies(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_llm_call", lambda messages, **_: messages[0].update(content="gone"))
            hooks.add("pre_tool_call", lambda arguments, **_: arguments.clear())
        """,
    )
    provider.script(call("read_file", {"path": "main.py"}), say("Ok."))
    result = make_agent().run_conversation("look")
    assert result["messages"][0]["content"] == "look"
    assert "def add" in str(result["messages"][2]["content"])


def test_a_blocked_call_is_answered_with_the_reason(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_tool_call", check)
        def check(*, name, **_):
            return {"block": "no writing today"} if name == "write_file" else None
        """,
    )
    provider.script(
        calls(
            Call("write_file", {"path": "a.txt", "content": "x"}, id="w"),
            Call("read_file", {"path": "main.py"}, id="r"),
        ),
        say("Ok."),
    )
    screen = Screen()
    make_agent(emit=screen, mode="accept_edits").run_conversation("write")
    assert not (project / "a.txt").exists()
    refused, read = screen.of(ToolCallFinished)
    assert (refused.status, read.status) == ("failed", "completed")
    assert "the plugin guard blocked it: no writing today" in refused.output
    assert screen.of(ApprovalRequested) == []
    assert_requests_alternate(provider)


def test_a_changed_call_is_the_one_that_is_shown_judged_and_run(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_tool_call", lambda arguments, **_: {
                "arguments": {**arguments, "path": "other.txt"}})
        """,
    )
    provider.script(call("write_file", {"path": "a.txt", "content": "x\n"}), say("Ok."))
    screen = Screen(lambda question: question.reply.set_result("allow_once"))
    result = make_agent(emit=screen).run_conversation("write")
    (card,), (question,) = screen.of(ToolCallStarted), screen.of(ApprovalRequested)
    for shown in (card, question):
        assert "other.txt" in shown.title
        assert shown.arguments["path"] == "other.txt"
        (diff,) = [part for part in shown.content if isinstance(part, Diff)]
        assert diff.path == str(project / "other.txt")
    assert question.action.paths == (project / "other.txt",)
    assert (project / "other.txt").read_text() == "x\n"
    assert not (project / "a.txt").exists()
    told = str(result["messages"][2]["content"])
    assert told.startswith("[The plugin guard changed the arguments of this call to")
    sent = result["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert '"a.txt"' in sent


def test_a_long_change_is_told_in_short_and_made_in_full(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_tool_call", lambda arguments, **_: {
                "arguments": {**arguments, "content": "y" * 3_000_000}})
        """,
    )
    provider.script(call("write_file", {"path": "a.txt", "content": "x"}), say("Ok."))
    result = make_agent(mode="accept_edits").run_conversation("write")
    assert (project / "a.txt").stat().st_size == 3_000_000
    told = str(result["messages"][2]["content"])
    assert told.startswith("[The plugin guard changed the arguments of this call to")
    assert "more characters). Its result:]" in told
    assert len(told) < 2_000


def test_changes_that_bring_two_calls_to_one_path_keep_them_apart(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_tool_call", lambda arguments, **_: {
                "arguments": {**arguments, "path": "one.txt"}})
        """,
    )
    wanted = [Call("write_file", {"path": f"{n}.txt", "content": n}, id=n) for n in "ab"]
    provider.script(calls(*wanted), say("Ok."))
    screen = Screen()
    make_agent(emit=screen, mode="accept_edits").run_conversation("write")
    assert [event.status for event in screen.of(ToolCallFinished)] == ["completed", "completed"]
    kinds = [type(e) for e in screen.of(ToolCallStarted, ToolCallFinished)]
    assert kinds == [ToolCallStarted, ToolCallFinished] * 2
    assert (project / "one.txt").read_text() == "b"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("return 'no'", "it returned neither"),
        ("return {'block': ''}", "it returned neither"),
        ("return {'arguments': {'path': 3, 'x': 1}}", "do not fit"),
        ("return {'arguments': {'path': {1, 2}}}", "are no JSON"),
        ("a = {}; a['path'] = a; return {'arguments': a}", "are no JSON"),
        ("threading.Event().wait(60)", "it took more than"),
    ],
)
def test_a_guard_that_fails_lets_nothing_through(
    provider: FakeProvider,
    make_agent: MakeAgent,
    config: Config,
    *,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    told: str,
) -> None:
    monkeypatch.setattr("hermes_core.agent.parts.PluginHooks", _Hurried)
    install(
        config.home,
        f"""
        import threading
        def register(hooks):
            hooks.add("pre_tool_call", check)
        def check(**_):
            {code}
        """,
    )
    write = {"path": "a.txt", "content": "x"}
    provider.script(call("write_file", write), call("write_file", write), say("Ok."))
    screen = Screen()
    result = make_agent(emit=screen, mode="accept_edits").run_conversation("write")
    assert result["completed"]
    assert not (project / "a.txt").exists()
    assert all(told in e.output or "still runs" in e.output for e in screen.of(ToolCallFinished))
    named = [text for text in warnings(screen) if "guard" in text]
    assert len(named) == (0 if "fit" in told else 1)


class _Hurried(PluginHooks):
    """Gives a hook less time than a person would."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts, seconds=0.3)


def test_other_hooks_that_fail_are_named_once_and_passed_over(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    install(
        config.home,
        """
        def fail(**_):
            raise RuntimeError("boom")
        def register(hooks):
            for name in ("on_session_start", "pre_llm_call", "post_llm_call", "post_tool_call"):
                hooks.add(name, fail)
            hooks.add("pre_llm_call", lambda **_: 7)
        """,
    )
    provider.script(call("read_file", {"path": "main.py"}), say("Ok."), say("Again."))
    screen = Screen()
    agent = make_agent(emit=screen)
    assert agent.chat("look") == "Ok."
    assert agent.chat("again") == "Again."
    named = [text for text in warnings(screen) if "guard" in text]
    assert len(named) == 4
    assert all("boom" in text for text in named)


def test_a_plugin_that_cannot_be_loaded_is_named_and_others_work(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    install(config.home, "raise ImportError('no such thing')\n", "broken")
    install(config.home, "x = 1\n", "empty")
    install(config.home, "def register(hooks): hooks.add('pre_tool_cal', print)\n", "mistyped")
    install(config.home, "raise SystemExit\n", "foreign", manifest="name: foreign\n")
    good = install(config.home, RECORD, "good")
    provider.script(say("Ok."), say("Ok."))
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.chat("hi")
    agent.chat("hi")
    named = warnings(screen)
    assert len(named) == 3
    assert "no such thing" in named[0]
    assert "no function register" in named[1]
    assert "pre_tool_call" in named[2]
    assert seen_by(good)


def test_what_a_hook_adds_is_in_one_request_alone(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    install(
        config.home,
        """
        def register(hooks):
            hooks.add("pre_llm_call", lambda step, **_: "remember" if step == 1 else None)
        """,
    )
    provider.script(call("read_file", {"path": "main.py"}), say("Ok."), say("Ok."))
    agent = make_agent()
    agent.chat("look")
    first, second = (str(request.messages) for request in provider.requests[:2])
    assert "[From the plugin guard:]" in first
    assert "remember" in first
    assert "remember" not in second
    assert "remember" not in str(agent.run_conversation("again")["messages"])


def test_an_interrupt_ends_the_wait_for_a_hook(
    provider: FakeProvider,
    make_agent: MakeAgent,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called, go = threading.Event(), threading.Event()
    monkeypatch.setattr(
        sys, "hook_of_a_test", lambda **_: (called.set(), go.wait(60)), raising=False
    )
    install(
        config.home,
        """
        import sys
        def register(hooks):
            hooks.add("pre_tool_call", sys.hook_of_a_test)
        """,
    )
    provider.script(call("read_file", {"path": "main.py"}), say("Later."))
    agent = make_agent()
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(agent.run_conversation("go")))
    thread.start()
    assert called.wait(WATCHDOG)
    agent.interrupt()
    thread.join(WATCHDOG)
    assert results[0]["stop_reason"] == "cancelled"
    go.set()
    assert_requests_alternate(provider)


def test_nothing_is_looked_for_without_plugins(tmp_path: Path) -> None:
    screen = Screen()
    hooks = PluginHooks(Config(home=tmp_path), Workspace(tmp_path), lambda: "s", screen)
    hooks.begin("t", Interrupt())
    assert hooks.note([], Budget(3)) == ""
    hooks.end()
    assert screen.events == []


def test_the_example_of_the_page_works(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    code, manifest = (
        re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("python", "yaml")
    )
    install(config.home, code, manifest=manifest)
    provider.script(
        calls(
            Call("terminal", {"command": "git push --force"}, id="push"),
            Call("terminal", {"command": "pytest"}, id="test"),
        ),
        say("Ok."),
    )
    screen = Screen(lambda question: question.reply.set_result("reject_once"))
    make_agent(emit=screen).run_conversation("push it")
    assert "tests run in a container" in str(provider.requests[0].messages)
    assert "tests run in a container" not in str(provider.requests[1].messages)
    (question,) = screen.of(ApprovalRequested)
    assert question.arguments["command"] == "pytest -x"
    pushed = screen.of(ToolCallFinished)[0]
    assert "never pushes by force" in pushed.output
    assert warnings(screen) == []
