"""What children may use: steps, money, providers, generations; and where it is counted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    UsageUpdated,
)
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice, NamedProvider
from hermes_core.sessions.lineage import children
from hermes_core.sessions.store import Store
from tests.fakes.provider import Call, FakeProvider, Recorded, Reply, calls, fail, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen, events_of
from tests.hermes_core.agent.family import Family, runs, tasks


def allow(question: ApprovalRequested) -> None:
    question.reply.set_result("allow_once")


def test_a_child_has_a_budget_of_its_own(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    def endless(number: int, request: Recorded) -> Reply:
        if "tools" not in request.body:
            return say("That far I came.")
        return calls(Call("read_file", {"path": "main.py", "offset": number + 1}, id=f"r{number}"))

    family = Family(tasks("a", "b"), a=endless)
    provider.handler = family
    result = make_agent(
        config=replace(config, max_turns=2, delegation_max_iterations=4)
    ).run_conversation("go")
    assert (result["stop_reason"], result["steps"]) == ("end_turn", 2)
    (told,) = family.results
    assert "## 1. a: stopped at its limit after 4 steps" in told
    assert "That far I came." in told
    assert "## 2. b: completed" in told


def test_children_that_go_in_circles_break_or_say_too_much_end_their_own_task_alone(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    family = Family(
        tasks("loops", "invents", "talks", "breaks", "works"),
        loops=lambda *_: calls(Call("read_file", {"path": "main.py"})),
        invents=lambda *_: calls(Call("no_such_tool", {})),
        talks=lambda *_: say("x" * 5_000_000),
    )
    provider.handler = family
    screen = Screen()
    agent = make_agent(emit=screen)
    parent = agent._children._parent
    made: list[object] = []

    def make(**more: Any) -> AIAgent:
        made.append(more)
        if len(made) == 4:
            raise RuntimeError("boom " + "y" * 5_000)
        return parent.make(**more)

    agent._children._parent = replace(parent, make=make)
    agent._children._parent.engine.config = replace(parent.engine.config, delegation_max_children=1)
    result = agent.run_conversation("go")
    assert result["final_response"] == "Thanks."
    (told,) = family.results
    assert "## 1. loops: went in circles after 5 steps\nStopped:" in told
    assert "## 2. invents: went in circles after 3 steps\nStopped:" in told
    assert "## 3. talks: completed after 1 step\nxxx" in told
    assert "## 4. breaks: failed after 0 steps: RuntimeError: boom" in told
    assert "## 5. works: completed after 1 step\nworks: done." in told
    assert len(told) < 50_000
    ends = screen.of(ChildFinished)
    assert all(len(end.answer) + len(end.error) <= 20_500 for end in ends)


def test_too_many_tasks_are_refused_before_any_child_is_made(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    family = Family(tasks(*(f"t{n}" for n in range(100))))
    provider.handler = family
    screen = Screen()
    make_agent(emit=screen).chat("go")
    assert family.results == ["A call takes at most 16 tasks, not 100."]
    assert screen.of(ChildStarted) == []


def test_usage_and_cost_of_children_are_the_parents(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    priced = replace(config, input_price=1.0, output_price=10.0)
    provider.handler = Family(tasks("a", "b"))
    screen = Screen()
    agent = make_agent(config=priced, emit=screen)
    result = agent.run_conversation("go")
    assert result["api_calls"] == 4
    assert (result["usage"]["input"], result["usage"]["output"]) == (400, 80)
    last = screen.of(UsageUpdated)[-1]
    assert last.used == 120
    assert last.cost == pytest.approx(4 * (100 * 1.0 + 20 * 10.0) / 1e6)


def test_the_cap_on_money_counts_children_and_is_shared_among_them(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    capped = replace(config, input_price=1.0, output_price=10.0, max_cost=1.0)
    provider.handler = Family(tasks("a", "b"))
    agent = make_agent(config=capped)
    caps: list[float | None] = []
    make = agent._children._parent.make

    def noted(**more: object) -> object:
        config = more["config"]
        assert isinstance(config, Config)
        caps.append(config.max_cost)
        return make(**more)

    agent._children._parent = replace(agent._children._parent, make=noted)
    agent.chat("go")
    assert caps == [pytest.approx((1.0 - 0.0003) / 2)] * 2


def test_a_child_asks_the_provider_that_serves_its_parent_and_has_no_fallback(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    with FakeProvider() as other:
        other.handler = Family(tasks("a"), a=lambda *_: fail(500))
        provider.handler = lambda _request: fail(429)
        chain = (Choice(provider="custom", model="second", base_url=other.base_url),)
        agent = make_agent(config=replace(config, api_max_retries=0, fallback_providers=chain))
        assert agent.chat("go") == "Thanks."
        assert len(provider.requests) == 1
        assert [request.body["model"] for request in other.requests] == ["second"] * 3


def test_a_named_endpoint_stays_itself_in_a_child(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, store: Store
) -> None:
    with FakeProvider() as other:
        provider.handler = lambda _request: fail(500)
        other.handler = Family(tasks("a"))
        lab = NamedProvider("lab", base_url=other.base_url, api_key=Secret("key-of-the-lab"))
        agent = make_agent(config=replace(config, providers=(lab,)))
        agent.choose_model("custom:lab", "m2")
        agent.chat("go")
        assert provider.requests == []
        sent = {(r.body["model"], r.headers["authorization"]) for r in other.requests}
        assert (len(other.requests), sent) == (3, {("m2", "Bearer key-of-the-lab")})
    (kin,) = children(store, agent.session_id)
    row = store.session(kin.id)
    assert row is not None
    assert (row.provider, row.model) == ("custom:lab", "m2")


def test_a_model_may_be_set_for_children(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, store: Store
) -> None:
    provider.handler = Family(tasks("a"))
    agent = make_agent(config=replace(config, delegation_model="small"))
    agent.chat("go")
    assert [request.body["model"] for request in provider.requests] == ["fake", "small", "fake"]
    (kin,) = children(store, agent.session_id)
    row = store.session(kin.id)
    assert row is not None
    assert row.model == "small"


def test_a_provider_that_cannot_be_asked_fails_the_child_alone(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    family = Family(tasks("a"))
    provider.handler = family
    screen = Screen()
    agent = make_agent(config=replace(config, delegation_provider="anthropic"), emit=screen)
    assert agent.chat("go") == "Thanks."
    assert "## 1. a: failed" in family.results[0]
    assert "anthropic" in family.results[0].lower()
    assert len(screen.of(ChildStarted)) == len(screen.of(ChildFinished))


def test_children_have_no_children_unless_that_is_set(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path, store: Store
) -> None:
    def passes_on(number: int, request: Recorded) -> Reply:
        names = {tool["function"]["name"] for tool in request.body["tools"]}
        if "delegate_task" not in names or number:
            return say("ok")
        return calls(Call("delegate_task", {"tasks": tasks("deep")}, id="pass"))

    family = Family(tasks("mid"), mid=passes_on, deep=runs("touch deep"))
    provider.handler = family
    make_agent(mode="accept_edits").chat("go")
    assert "deep" not in family.asked
    screen = Screen(allow)
    agent = make_agent(config=replace(config, delegation_max_depth=2), emit=screen)
    result = agent.run_conversation("go")
    assert family.asked.count("deep") == 2
    assert (project / "deep").exists()
    assert result["api_calls"] == 6
    (question,) = screen.of(ApprovalRequested)
    (outer,) = screen.of(ChildStarted)
    assert question.child != outer.child
    mid, deep = children(store, agent.session_id)
    assert (mid.parent, deep.parent) == (agent.session_id, mid.id)
    assert question.child == deep.id
    kept = [e for e in events_of(store, agent) if isinstance(e, ChildShown)]
    assert {e.shown.child for e in kept} == {deep.id}


def test_without_a_depth_there_is_no_such_tool(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    agent = make_agent(config=replace(config, delegation_max_depth=0))
    assert "delegate_task" not in agent.tool_names
    assert provider.requests == []


def test_what_children_used_stands_once_in_the_sessions_totals(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    def passes_on(number: int, _request: Recorded) -> Reply:
        call = Call("delegate_task", {"tasks": tasks("deep")}, id="pass")
        return say("ok") if number else calls(call)

    priced = replace(config, input_price=1.0, output_price=10.0, delegation_max_depth=2)
    provider.handler = Family(tasks("mid", "b"), mid=passes_on)
    agent = make_agent(config=priced)
    result = agent.run_conversation("go")
    assert result["api_calls"] == 6
    used = {one.task: one for one in agent.records.ledger.session}
    assert {task: one.calls for task, one in used.items()} == {"": 2, "sub-agents": 4}
    assert sum(one.usage.total for one in used.values()) == result["usage"]["total"] == 720
    each = (100 * 1.0 + 20 * 10.0) / 1e6
    assert used[""].cost == pytest.approx(2 * each)
    assert used["sub-agents"].cost == pytest.approx(4 * each)
    again = make_agent(config=priced, session_id=agent.session_id)
    screen_cost = again._engine.model().bill.amount
    assert screen_cost == pytest.approx(6 * each)
