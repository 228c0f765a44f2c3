"""Options of a session: what is offered, what a change does, and who is told of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import AgentError, Session
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import Call, FakeProvider, calls, fail, say


def options_of(opened: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in opened["configOptions"]}


def values_of(option: dict[str, Any]) -> list[str]:
    flat = []
    for one in option["options"]:
        flat += [value["value"] for value in one["options"]] if "group" in one else [one["value"]]
    return flat


def told(session: Session) -> dict[str, dict[str, Any]]:
    """Return the options as the last update told them."""
    return options_of(session.of_kind("config_option_update")[-1])


async def choose(client: AcpClient, session: Session, option: str, value: Any) -> dict[str, Any]:
    params = {"sessionId": session.id, "configId": option, "value": value}
    return options_of(await client.request("session/set_config_option", params))


def add_endpoint(stage: Stage, name: str, url: str, *models: str, **sections: Any) -> None:
    entry = {"base_url": url, "api_key": KEY, "models": {model: {} for model in models}}
    stage.configure(providers={name: entry}, **sections)


async def test_every_option_has_a_value_that_it_offers(client: AcpClient) -> None:
    session = await client.new_session()
    options = options_of(session.opened)
    assert set(options) == {"model", "mode", "thought_level"}
    for name, option in options.items():
        assert option["category"] == name
        assert option["type"] == "select"
        assert option["currentValue"] in values_of(option)
    assert options["model"]["currentValue"] == "custom/test-model"
    modes = session.opened["modes"]
    assert modes["currentModeId"] == options["mode"]["currentValue"]
    assert [m["id"] for m in modes["availableModes"]] == values_of(options["mode"])


async def test_models_are_grouped_by_provider_with_size_and_price(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "custom",
            "default": "test-model",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
            "context_length": 64_000,
            "input_price": 3,
            "output_price": 15,
        },
        providers={"spare": {"base_url": "http://127.0.0.1:9/v1", "models": {"small": {}}}},
    )
    async with running(stage) as client:
        session = await client.new_session()
    groups = options_of(session.opened)["model"]["options"]
    assert groups[0]["group"] == "custom"
    (model,) = groups[0]["options"]
    assert model["value"] == "custom/test-model"
    assert model["description"] == "64,000 tokens; $3 in, $15 out for a million tokens"


async def test_a_new_model_answers_the_next_prompt_and_the_answer_is_whole(
    client: AcpClient,
) -> None:
    client.stage.provider.script(say("One."), say("Two."))
    session = await client.new_session()
    await session.prompt("first")
    options = await choose(client, session, "model", "custom/other-model")
    assert set(options) == {"model", "mode", "thought_level"}
    assert options["model"]["currentValue"] == "custom/other-model"
    assert "custom/other-model" in values_of(options["model"])
    await session.prompt("second")
    asked = [request.body["model"] for request in client.stage.provider.requests]
    assert asked == ["test-model", "other-model"]
    assert not session.of_kind("config_option_update")


async def test_the_level_of_thinking_reaches_the_provider(client: AcpClient) -> None:
    client.stage.provider.script(say("One."), say("Two."), say("Three."))
    session = await client.new_session()
    await session.prompt("first")
    assert (await choose(client, session, "thought_level", "high"))["thought_level"][
        "currentValue"
    ] == "high"
    await session.prompt("second")
    await choose(client, session, "thought_level", "default")
    await session.prompt("third")
    sent = [request.body.get("reasoning_effort") for request in client.stage.provider.requests]
    assert sent == [None, "high", None]


async def test_the_models_own_measure_can_be_chosen_where_an_effort_is_configured(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(agent={"api_max_retries": 1, "reasoning_effort": "high"})
    stage.provider.script(say("One."), say("Two."), say("Three."))
    async with running(stage) as client:
        session = await client.new_session()
        assert options_of(session.opened)["thought_level"]["currentValue"] == "high"
        await session.prompt("first")
        chosen = await choose(client, session, "thought_level", "default")
        assert chosen["thought_level"]["currentValue"] == "default"
        await session.prompt("second")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        await again.prompt("third")
    sent = [request.body.get("reasoning_effort") for request in stage.provider.requests]
    assert sent == ["high", None, None]


async def test_the_speed_reaches_the_provider_and_survives_a_restart(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "openai-api",
            "default": "gpt-5.6-sol",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
        }
    )
    stage.provider.script(say("One."), say("Two."), say("Three."))
    async with running(stage) as client:
        session = await client.new_session()
        assert values_of(options_of(session.opened)["speed"]) == ["default", "fast", "flex"]
        await session.prompt("first")
        chosen = await choose(client, session, "speed", "flex")
        assert chosen["speed"]["currentValue"] == "flex"
        await session.prompt("second")
        with pytest.raises(AgentError, match="There is no speed 'warp'"):
            await choose(client, session, "speed", "warp")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert options_of(again.opened)["speed"]["currentValue"] == "flex"
        await again.prompt("third")
    sent = [request.body.get("service_tier") for request in stage.provider.requests]
    assert sent == [None, "flex", "flex"]


async def test_the_usual_speed_can_be_chosen_where_another_is_configured(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "openai-api",
            "default": "gpt-5.6-sol",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
        },
        agent={"speed": "fast"},
    )
    stage.provider.script(say("One."), say("Two."), say("Three."))
    async with running(stage) as client:
        session = await client.new_session()
        assert options_of(session.opened)["speed"]["currentValue"] == "fast"
        await session.prompt("first")
        chosen = await choose(client, session, "speed", "default")
        assert chosen["speed"]["currentValue"] == "default"
        await session.prompt("second")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert options_of(again.opened)["speed"]["currentValue"] == "default"
        await again.prompt("third")
    sent = [request.body.get("service_tier") for request in stage.provider.requests]
    assert sent == ["priority", None, None]


async def test_a_refused_speed_is_named_with_what_ends_it(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "openai-api",
            "default": "gpt-5.6-sol",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
        }
    )
    stage.provider.script(fail(400, "Unknown parameter: 'service_tier'."))
    async with running(stage) as client:
        session = await client.new_session()
        await choose(client, session, "speed", "fast")
        with pytest.raises(AgentError) as refused:
            await session.prompt("go")
    assert "Unknown parameter: 'service_tier'" in refused.value.message
    assert "at the speed fast: the option speed (agent.speed) ends" in refused.value.message


async def test_a_mode_is_one_option_and_older_clients_hear_of_it(client: AcpClient) -> None:
    session = await client.new_session()
    options = await choose(client, session, "mode", "accept_edits")
    assert options["mode"]["currentValue"] == "accept_edits"
    await client.wait_for(lambda: session.of_kind("current_mode_update"))
    assert not session.of_kind("config_option_update")
    await client.request("session/set_mode", {"sessionId": session.id, "modeId": "default"})
    await client.wait_for(lambda: session.of_kind("config_option_update"))
    assert told(session)["mode"]["currentValue"] == "default"
    modes = [update["currentModeId"] for update in session.of_kind("current_mode_update")]
    assert modes == ["accept_edits", "default"]


@pytest.mark.parametrize(
    ("option", "value", "field"),
    [
        ("no such option", "x", "configId"),
        ("mode", "no such mode", "value"),
        ("model", "no such model", "value"),
        ("model", "no-such-provider/model", "value"),
        ("thought_level", "telepathy", "value"),
    ],
)
async def test_what_is_not_offered_is_refused_and_changes_nothing(
    client: AcpClient, option: str, value: str, field: str
) -> None:
    session = await client.new_session()
    with pytest.raises(AgentError) as refused:
        await choose(client, session, option, value)
    assert refused.value.code == -32602
    assert refused.value.message.startswith(f"{field}: ")
    options = await choose(client, session, "mode", "default")
    assert options == options_of(session.opened)


async def test_what_is_on_or_off_is_kept_and_counts_from_the_next_step(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        auxiliary={
            "approval": {
                "model": "careful",
                "base_url": stage.provider.base_url,
                "api_key": KEY,
                "api_mode": "chat_completions",
            }
        }
    )
    look = calls(Call("terminal", {"command": "cat notes"}))
    stage.provider.script(look, say("Done."), look, say("ok"), say("Done."), look, say("Done."))
    announced = {**FULL, "session": {"configOptions": {"boolean": {}}}}

    async def switch(client: AcpClient, value: Any, **more: Any) -> dict[str, dict[str, Any]]:
        about = {"sessionId": session.id, "configId": "second_opinion", "value": value, **more}
        return options_of(await client.request("session/set_config_option", about))

    def looked_at() -> int:
        return [request.body["model"] for request in stage.provider.requests].count("careful")

    async with running(stage, capabilities=announced) as client:
        session = await client.new_session(cwd=stage.workspace(notes="hello"))
        option = options_of(session.opened)["second_opinion"]
        assert (option["type"], option["currentValue"]) == ("boolean", False)
        await session.prompt("one")
        assert looked_at() == 0
        chosen = await switch(client, True, type="boolean")
        assert set(chosen) == set(options_of(session.opened))
        assert chosen["second_opinion"]["currentValue"] is True
        with pytest.raises(AgentError, match="value: The option 'second_opinion' is on") as refused:
            await switch(client, "true")
        assert refused.value.code == -32602
    async with running(stage, capabilities=announced) as client:
        session = await client.load_session(session.id, session.cwd)
        assert options_of(session.opened)["second_opinion"]["currentValue"] is True
        await session.prompt("two")
        assert looked_at() == 1
        await session.prompt("/approvals second-opinion off")
        await client.wait_for(lambda: session.of_kind("config_option_update"))
        assert told(session)["second_opinion"]["currentValue"] is False
        await session.prompt("three")
        assert looked_at() == 1


async def test_a_value_that_is_on_or_off_is_none_of_an_option_that_is_not(
    client: AcpClient,
) -> None:
    session = await client.new_session()
    params = {"sessionId": session.id, "configId": "mode", "type": "boolean", "value": True}
    with pytest.raises(AgentError) as refused:
        await client.request("session/set_config_option", params)
    assert refused.value.code == -32602


async def test_commands_that_change_an_option_are_told(client: AcpClient) -> None:
    session = await client.new_session()
    await session.prompt("/model other-model")
    assert told(session)["model"]["currentValue"] == "custom/other-model"
    await session.prompt("/mode accept_edits")
    assert told(session)["mode"]["currentValue"] == "accept_edits"
    assert session.of_kind("current_mode_update")[-1]["currentModeId"] == "accept_edits"
    count = len(session.of_kind("config_option_update"))
    await session.prompt("/mode accept_edits")
    assert len(session.of_kind("config_option_update")) == count


async def test_a_fallback_is_told(stage: Stage, running: Callable[..., Any]) -> None:
    with FakeProvider(owners=["custom"], models=[]) as spare:
        stage.configure(
            providers={
                "spare": {"base_url": spare.base_url, "api_key": KEY, "models": {"small": {}}}
            },
            fallback_providers=[{"provider": "custom:spare", "model": "small"}],
        )
        stage.provider.script(fail(429, "quota", headers={"retry-after": "7200"}))
        spare.script(say("From the other one."))
        async with running(stage) as client:
            session = await client.new_session()
            assert await session.prompt("hi") == "end_turn"
            assert told(session)["model"]["currentValue"] == "custom:spare/small"


async def test_the_list_is_asked_for_behind_and_told_when_it_came(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.models = ["test-model", "newer-model"]
    async with running(stage) as client:
        session = await client.new_session()
        await client.wait_for(lambda: session.of_kind("config_option_update"))
        assert "custom/newer-model" in values_of(told(session)["model"])
        assert "custom/newer-model" not in values_of(options_of(session.opened)["model"])
    stage.provider.models = ["never-asked"]
    async with running(stage) as client:
        session = await client.new_session()
        assert values_of(options_of(session.opened)["model"]) == [
            "custom/test-model",
            "custom/newer-model",
        ]
    kept = json.loads((stage.home / "cache" / "models.json").read_text())
    assert "never-asked" not in json.dumps(kept)


async def test_without_any_provider_a_session_opens_with_what_there_is(
    stage: Stage, running: Callable[..., Any]
) -> None:
    (stage.home / "config.yaml").write_text("{}")
    async with running(stage) as client:
        session = await client.new_session()
    assert set(options_of(session.opened)) == {"mode"}
