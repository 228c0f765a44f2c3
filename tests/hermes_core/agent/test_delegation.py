"""Delegation through ``AIAgent``: children side by side, their questions, cards and ends."""

import threading
from dataclasses import replace
from pathlib import Path

from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    StatusChanged,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
)
from hermes_core.local.config import Config
from hermes_core.sessions.lineage import children, owner_of
from hermes_core.sessions.store import Store
from tests.fakes.provider import Call, FakeProvider, Recorded, Reply, calls, fail, say
from tests.hermes_core.agent.doubles import WATCHDOG, MakeAgent, Screen, events_of
from tests.hermes_core.agent.family import Family, Script, meeting, runs, tasks


def allow(question: ApprovalRequested) -> None:
    question.reply.set_result("allow_once")


def finished(screen: Screen) -> dict[str, ChildFinished]:
    """Return the ends of the children, by their titles."""
    return {event.title: event for event in screen.of(ChildFinished)}


def test_children_work_side_by_side(provider: FakeProvider, make_agent: MakeAgent) -> None:
    meet = meeting(3)
    family = Family(tasks("a", "b", "c"), a=meet, b=meet, c=meet)
    provider.handler = family
    result = make_agent().run_conversation("go")
    assert (result["final_response"], result["error"]) == ("Thanks.", None)
    assert [m["role"] for m in result["messages"]] == ["user", "assistant", "tool", "assistant"]
    (told,) = family.results
    heads = [line for line in told.splitlines() if line.startswith("##")]
    assert heads == [f"## {n}. {word}: completed after 1 step" for n, word in enumerate("abc", 1)]
    assert told.count("We met.") == 3


def test_no_more_than_the_limit_at_once(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    busy, most, lock = [0], [0], threading.Lock()
    pair = threading.Barrier(2)

    def answer(_number: int, _request: Recorded) -> Reply:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        pair.wait(WATCHDOG)  # passes by twos alone
        with lock:
            busy[0] -= 1
        return say("ok")

    family = Family(tasks("a", "b", "c", "d"), a=answer, b=answer, c=answer, d=answer)
    provider.handler = family
    make_agent(config=replace(config, delegation_max_children=2)).chat("go")
    assert most[0] == 2
    assert family.results[0].count("completed") == 4


def test_a_child_knows_its_task_alone_and_has_fewer_tools(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    seen: list[Recorded] = []

    def answer(_number: int, request: Recorded) -> Reply:
        seen.append(request)
        return say("ok")

    provider.handler = Family([{"task": "look", "context": "at main.py"}], look=answer)
    agent = make_agent()
    agent.chat("go")
    (request,) = seen
    assert [m["role"] for m in request.messages] == ["system", "user"]
    told = request.messages[1]["content"]
    assert told.startswith("look\n\nContext:\nat main.py\n\n[Hermes: another agent")
    assert "50 model calls" in told
    names = {tool["function"]["name"] for tool in request.body["tools"]}
    assert names == set(agent.tool_names) - {"delegate_task", "memory", "clarify"}
    assert {"read_file", "terminal", "todo"} <= names


def test_a_child_is_a_session_of_its_own_that_no_list_shows(
    provider: FakeProvider, make_agent: MakeAgent, store: Store, project: Path
) -> None:
    provider.handler = Family([{"task": "look around", "title": "Look"}])
    screen = Screen(allow)
    agent = make_agent(emit=screen)
    agent.chat("go")
    (kin,) = children(store, agent.session_id)
    assert (kin.parent, kin.relation) == (agent.session_id, "delegated")
    (begun,) = screen.of(ChildStarted)
    assert (begun.title, begun.child, begun.call_id) == ("Look", kin.id, "give")
    assert owner_of(store, kin.id) == agent.session_id
    assert [row.id for row in store.sessions()] == [agent.session_id]
    row = store.session(kin.id)
    assert row is not None
    assert (row.title, row.cwd) == ("Look", str(project))
    assert [m["role"] for m in store.messages(kin.id)] == ["user", "assistant"]


def test_children_ask_one_at_a_time_and_each_answer_is_its_own(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    barrier, asking = threading.Barrier(3), threading.Lock()
    questions: list[ApprovalRequested] = []

    def together(command: str) -> Script:
        inner = runs(command)

        def answer(number: int, request: Recorded) -> Reply:
            if number == 0:
                barrier.wait(WATCHDOG)
            return inner(number, request)

        return answer

    def approve(question: ApprovalRequested) -> str:
        assert asking.acquire(blocking=False), "two questions at once"
        questions.append(question)
        asking.release()
        return "reject_once" if "bad" in question.action.subject else "allow_once"

    family = Family(
        tasks("a", "b", "c"),
        a=together("touch x"),
        b=together("touch bad"),
        c=together("touch y"),
    )
    provider.handler = family
    make_agent(approval_callback=approve).chat("go")
    assert sorted(one.action.subject for one in questions) == ["touch bad", "touch x", "touch y"]
    assert len({one.child for one in questions}) == 3
    assert all(one.reason.startswith("Asked for the task “") for one in questions)
    assert sorted(path.name for path in project.iterdir()) == ["main.py", "x", "y"]
    assert family.results[0].count("completed after 2 steps") == 3


def test_what_one_child_was_always_allowed_holds_for_all(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    asked: list[str] = []

    def approve(question: ApprovalRequested) -> str:
        asked.append(question.action.subject)
        return "allow_always"

    def twice(number: int, _request: Recorded) -> Reply:
        call = Call("terminal", {"command": "touch same"}, id=f"run-{number}")
        return say("ok") if number == 2 else calls(call)

    provider.handler = Family(tasks("a", "b"), a=twice, b=twice)
    one_by_one = replace(config, delegation_max_children=1)
    make_agent(config=one_by_one, approval_callback=approve).chat("go")
    assert asked == ["touch same"]


def test_without_anybody_to_ask_a_child_is_refused_too(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    provider.handler = Family(tasks("a"), a=runs("touch x"))
    make_agent().chat("go")
    assert not (project / "x").exists()
    (answer,) = [
        m["content"] for r in provider.requests for m in r.messages if m["role"] == "tool"
    ][:1]
    assert "nobody to ask" in answer


def test_a_question_stands_by_a_card_of_the_parents_side_which_is_kept(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.handler = Family(tasks("a"), a=runs("touch made"))
    screen = Screen(allow)
    agent = make_agent(emit=screen)
    agent.chat("go")
    place = next(i for i, e in enumerate(screen.events) if isinstance(e, ApprovalRequested))
    before = [e for e in screen.events[:place] if isinstance(e, ChildShown) and e.asked]
    assert [type(e.shown) for e in before] == [ToolCallStarted]
    kept = [e for e in events_of(store, agent) if isinstance(e, ChildShown)]
    assert all(e.asked for e in kept)
    assert [e.shown.call_id for e in kept] == ["run"] * len(kept)
    assert sum(isinstance(e.shown, ToolCallFinished) for e in kept) == 1


def test_one_childs_failure_leaves_the_others_alone(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    screen = Screen()
    family = Family(tasks("a", "bad", "c"), bad=lambda *_: fail(400, "no such thing"))
    provider.handler = family
    result = make_agent(emit=screen).run_conversation("go")
    assert result["completed"]
    (told,) = family.results
    assert "## 1. a: completed" in told
    assert "## 2. bad: failed after 1 step: " in told
    assert "no such thing" in told
    assert "## 3. c: completed" in told
    assert finished(screen)["bad"].stop_reason == "error"
    (card,) = [e for e in screen.of(ToolCallFinished) if e.call_id == "give"]
    assert card.status == "completed"


def test_when_all_fail_the_call_has_failed(provider: FakeProvider, make_agent: MakeAgent) -> None:
    screen = Screen()
    provider.handler = Family(tasks("bad"), bad=lambda *_: fail(400))
    make_agent(emit=screen).chat("go")
    (card,) = screen.of(ToolCallFinished)
    assert card.status == "failed"


def test_the_card_grows_and_ends_with_what_the_children_said(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    def edits(number: int, _request: Recorded) -> Reply:
        call = Call("write_file", {"path": "new.py", "content": "x = 1\n"}, id="w")
        return say("Written.") if number else calls(call)

    family = Family([{"task": "edit it", "title": "Edit"}], edit=edits)
    provider.handler = family
    screen = Screen(allow)
    make_agent(emit=screen).chat("go")
    shown = [e.content[0].text for e in screen.of(ToolCallProgress) if e.call_id == "give"]
    assert "**Edit**: step 1" in shown
    assert any(text == "**Edit**: waits for your answer\n- Create new.py" for text in shown)
    (card,) = [e for e in screen.of(ToolCallFinished) if e.call_id == "give"]
    assert card.content[0].text.startswith("**Edit**: completed after 2 steps, ")
    assert card.content[0].text.endswith("Changed: new.py\n\nWritten.")
    assert "Files changed with its tools: new.py" in family.results[0]
    assert finished(screen)["Edit"].answer == "Written."


def test_a_childs_trouble_with_the_provider_is_on_the_card(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    answers = [fail(500, "overloaded"), say("ok")]
    provider.handler = Family(tasks("a"), a=lambda *_: answers.pop(0))
    screen = Screen()
    make_agent(config=replace(config, api_max_retries=1), emit=screen).chat("go")
    (status,) = [e.shown for e in screen.of(ChildShown) if isinstance(e.shown, StatusChanged)]
    told = " ".join(status.text.split())[:40]
    assert any(told in e.content[0].text for e in screen.of(ToolCallProgress))


def test_an_error_of_the_screen_ends_the_child_not_the_agent(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    class Broken(Screen):
        def __call__(self, event: object) -> None:
            if isinstance(event, ChildShown) and isinstance(event.shown, StatusChanged):
                raise RuntimeError("the screen is gone")
            super().__call__(event)

    family = Family(tasks("a", "b"), a=lambda *_: fail(400))
    provider.handler = family
    screen = Broken()
    assert make_agent(emit=screen).chat("go") == "Thanks."
    assert "## 1. a: failed" in family.results[0]
    assert "## 2. b: completed" in family.results[0]
    assert len(screen.of(ChildFinished)) == 2
