"""Changing provider and model in a session, and the chain behind the agent."""

from dataclasses import replace

import pytest

from hermes_core.agent.layers import PLANNED
from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice, NamedProvider
from hermes_core.sessions.store import Store
from tests.fakes.provider import FakeProvider, fail, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen, events_of


@pytest.fixture
def lab(config: Config, provider: FakeProvider) -> Config:
    """Settings with a second endpoint of the user's own, at the same loopback provider."""
    entry = NamedProvider("lab", base_url=provider.base_url, api_key=Secret("key-of-the-lab"))
    return replace(config, providers=(entry,))


def test_a_model_can_be_changed_and_counts_for_the_next_turn(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    agent.chat("hi")
    runtime = agent.choose_model(model="other")
    assert (runtime.provider, runtime.model) == ("custom", "other")
    agent.chat("again")
    assert [request.body["model"] for request in provider.requests] == ["fake", "other"]


def test_the_choice_survives_a_restart(
    make_agent: MakeAgent, provider: FakeProvider, lab: Config
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent(config=lab)
    agent.choose_model("custom:lab", "m2")
    agent.chat("hi")
    again = make_agent(config=lab, session_id=agent.session_id)
    again.chat("again")
    assert again.runtime.provider == "custom:lab"
    for request in provider.requests:
        assert request.body["model"] == "m2"
        assert request.headers["authorization"] == "Bearer key-of-the-lab"


def test_leaving_plan_mode_is_told_after_a_restart_too(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(*map(say, ("one", "two", "three")))
    first = make_agent(emit=Screen(), mode="plan")
    first.chat("hi")
    again = make_agent(emit=Screen(), session_id=first.session_id)
    assert again.mode == "plan"
    again.mode = "default"
    again.chat("do it")
    again.chat("and now?")
    told = [PLANNED in str(request.messages) for request in provider.requests]
    assert told == [False, True, False]


@pytest.mark.parametrize(("name", "error"), [("nobody", ConfigError), ("zai", NoCredentials)])
def test_what_cannot_be_used_changes_nothing(
    name: str, error: type[Exception], make_agent: MakeAgent, store: Store
) -> None:
    agent = make_agent()
    with pytest.raises(error):
        agent.choose_model(name, "m")
    row = store.session(agent.session_id)
    assert row is not None
    assert row.provider is None
    assert agent.runtime.model == "fake"


def test_the_chain_of_the_settings_stands_in(
    make_agent: MakeAgent, provider: FakeProvider, lab: Config, store: Store
) -> None:
    chain = (Choice("custom:lab", "spare"),)
    provider.script(fail(404, "no such model"), say("here"), say("back"))
    agent = make_agent(config=replace(lab, fallback_providers=chain))
    assert agent.chat("hi") == "here"
    assert agent.chat("again") == "back"
    assert [r.body["model"] for r in provider.requests] == ["fake", "spare", "fake"]
    told = [e.text for e in events_of(store, agent) if type(e).__name__ == "StatusChanged"]
    assert len(told) == 1
    assert told[0].endswith("Going on with spare through custom:lab.")


def test_a_chosen_provider_without_a_key_falls_back_only_along_a_chain(
    make_agent: MakeAgent, provider: FakeProvider, lab: Config
) -> None:
    keyless = replace(lab, provider="zai", model="glm", base_url=None)
    alone = make_agent(config=keyless).run_conversation("hi")
    assert isinstance(alone["exception"], NoCredentials)
    provider.script(say("here"))
    chain = (Choice("custom:lab", "spare"),)
    agent = make_agent(config=replace(keyless, fallback_providers=chain))
    assert agent.chat("hi") == "here"


def test_other_settings_count_for_the_next_turn(
    make_agent: MakeAgent, provider: FakeProvider, config: Config
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    agent.chat("hi")
    agent.configure(replace(config, model="newer"))
    result = agent.run_conversation("again")
    assert provider.requests[1].body["model"] == "newer"
    assert result["api_calls"] == 1
