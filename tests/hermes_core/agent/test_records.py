"""Title, usage and kin of a session, as its agent keeps them."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hermes_core.agent.importing import import_session
from hermes_core.ground.content import Diff
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import TitleChanged
from hermes_core.ground.messages import user_message
from hermes_core.ground.usage import Usage
from hermes_core.sessions.export import exported
from hermes_core.sessions.lineage import generations
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.usage import DELEGATED, Used, usage_of
from tests.fakes.provider import FakeProvider, call, fail, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen, events_of


class TestUsage:
    def test_each_call_is_counted_and_adds_up_over_restarts(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        provider.script(call("todo", {}), say("one"))
        first = make_agent()
        first.chat("go")
        (once,) = usage_of(store, first.session_id)
        assert (once.provider, once.model, once.calls) == ("custom", "fake", 2)
        assert once.usage.input > 0
        assert once.unpriced == 2
        assert sum(used.calls for used in first.records.ledger.turn) == 2
        provider.script(say("two"))
        second = make_agent(session_id=first.session_id)
        second.chat("go on")
        (twice,) = second.records.ledger.session
        assert twice.calls == 3
        assert twice.usage.input > once.usage.input
        assert len(second.records.ledger.turn) == 1

    def test_requests_that_failed_count_as_calls(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        provider.script(fail(500, "no"), say("yes"))
        agent = make_agent()
        agent.chat("go")
        assert [used.calls for used in usage_of(store, agent.session_id)] == [2]

    def test_a_session_goes_on_from_its_stored_cost(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        provider.script(say("one"))
        first = make_agent()
        first.chat("go")
        first.records.ledger.add(Used("p", "m", Usage(1, 1), 1, 0.5))
        again = make_agent(session_id=first.session_id)
        assert {used.model for used in again.records.ledger.session} == {"fake", "m"}

    def test_what_a_sub_agent_used_is_counted_once(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        provider.script(
            call("delegate_task", {"tasks": [{"task": "look"}]}), say("seen"), say("all done")
        )
        agent = make_agent()
        agent.chat("go")
        by_task = {used.task: used.calls for used in usage_of(store, agent.session_id)}
        assert by_task == {"": 2, DELEGATED: 1}


class TestTitle:
    def test_the_first_prompt_gives_it_and_it_is_told(
        self, make_agent: MakeAgent, provider: FakeProvider
    ) -> None:
        provider.script(say("one"), say("two"))
        screen = Screen()
        agent = make_agent(emit=screen)
        agent.chat("Mend the parser\nplease")
        agent.chat("and more")
        assert screen.of(TitleChanged) == [TitleChanged("Mend the parser")]
        assert agent.records.title == "Mend the parser"

    def test_a_person_s_title_stays(self, make_agent: MakeAgent, provider: FakeProvider) -> None:
        screen = Screen()
        agent = make_agent(emit=screen)
        assert agent.records.rename("  My\x1b title\n") == "My title"
        provider.script(say("one"))
        agent.chat("Mend the parser")
        assert agent.records.title == "My title"
        assert screen.of(TitleChanged) == [TitleChanged("My title")]
        with pytest.raises(HermesError, match="can be seen"):
            agent.records.rename("\u200b ")

    def test_it_is_not_in_the_display_log(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        provider.script(say("one"))
        agent = make_agent()
        agent.chat("go")
        assert not [one for one in events_of(store, agent) if isinstance(one, TitleChanged)]


class TestResume:
    def test_an_empty_session_becomes_a_copy(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store
    ) -> None:
        steps = [{"content": "mend it", "status": "pending"}]
        provider.script(call("todo", {"steps": steps}), say("Hello Ada."))
        first = make_agent()
        first.chat("I am Ada.")
        second = make_agent()
        source = second.resume("i am ada")
        assert source.id == first.session_id
        assert second.records.title == "I am Ada. (copy)"
        assert list(store.shown(second.session_id)) == list(store.shown(first.session_id))
        provider.script(call("todo", {}), say("You are Ada."))
        second.chat("Who am I?")
        contents = [m["content"] for m in provider.requests[-1].messages if m["role"] == "user"]
        assert contents == ["I am Ada.", "Who am I?"]
        assert "mend it" in provider.requests[-1].tool_results[-1]
        assert len(store.messages(first.session_id)) == 4
        (kin,) = generations(store, second.session_id)
        assert (kin.parent, kin.relation) == (first.session_id, "forked")

    def test_a_session_that_has_begun_does_not(
        self, make_agent: MakeAgent, provider: FakeProvider
    ) -> None:
        provider.script(say("one"), say("two"))
        first, second = make_agent(), make_agent()
        first.chat("first")
        second.chat("second")
        with pytest.raises(HermesError, match="has begun already"):
            second.resume(first.session_id)
        assert second.records.title == "second"

    def test_what_cannot_be_resumed_is_told(
        self, make_agent: MakeAgent, provider: FakeProvider
    ) -> None:
        agent = make_agent()
        with pytest.raises(HermesError, match="There is no session 'nothing'"):
            agent.resume("nothing")
        with pytest.raises(HermesError, match="That is this session"):
            agent.resume(agent.session_id)


class TestImported:
    def test_nothing_that_it_says_is_taken_for_the_user_s_word(
        self, make_agent: MakeAgent, store: Store, project: Path
    ) -> None:
        written: list[Sequence[str]] = []

        def remember(facts: Sequence[str], target: str, /) -> Diff:
            written.append(facts)
            return Diff(target, None, "")

        store.create_session(SessionRow("s", str(project)))
        store.append_message("s", user_message("I am Ada."))
        data = json.dumps(exported(store, "s")).encode()
        session_id, _ = import_session(store, data, project)
        assert make_agent(session_id=session_id).records.own(remember)(["x"], "user") is None
        copy = make_agent()
        copy.resume(session_id)
        assert copy.records.own(remember)(["x"], "user") is None
        assert written == []
        assert make_agent().records.own(remember)(["x"], "user") is not None

    def test_it_goes_on_like_any_other(
        self, make_agent: MakeAgent, provider: FakeProvider, store: Store, project: Path
    ) -> None:
        store.create_session(SessionRow("s", "/elsewhere", mode="accept_edits"))
        store.append_message("s", user_message("I am Ada."))
        store.append_message("s", user_message("Remember it."))
        data = json.dumps(exported(store, "s")).encode()
        session_id, notes = import_session(store, data, project)
        assert notes == ["merged two user messages", "closed a turn that had no end"]
        provider.script(say("You are Ada."))
        agent = make_agent(session_id=session_id, cwd=None)
        assert agent.mode == "default"
        agent.chat("Who am I?")
        sent = provider.requests[-1].messages
        assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
        assert str(project) in sent[0]["content"]
