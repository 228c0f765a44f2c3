"""Logging out and in, the status of logins, endpoints that the client sets."""

import json
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError
from tests.fakes.provider import FakeProvider, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


def updates(agent: AcpClient) -> list[dict[str, Any]]:
    return [m["params"] for m in agent.received if m.get("method") == "auth/status_update"]


def store_key(agent: AcpClient, key: str) -> None:
    text = json.dumps(
        {"credential_pool": {"openrouter": [{"id": "one", "label": "work", "access_token": key}]}}
    )
    path = agent.stage.home / "auth.json"
    path.write_text(text)
    path.chmod(0o600)


async def test_who_logs_out_has_to_log_in_again(agent: AcpClient) -> None:
    agent.stage.provider.script(say("One."), say("Two."))
    session = await agent.new_session()
    assert await session.prompt("hi") == "end_turn"
    before = await agent.request("auth/status", {})
    assert before["state"] == "authenticated"
    assert await agent.request("logout", {}) == {}
    await agent.wait_for(lambda: updates(agent))
    assert updates(agent)[-1]["state"] == "unauthenticated"
    assert (await agent.request("auth/status", {}))["state"] == "unauthenticated"
    count = len(agent.stage.provider.requests)
    with pytest.raises(AgentError) as failed:
        await session.prompt("hi")
    assert failed.value.code == -32000
    assert len(agent.stage.provider.requests) == count
    await agent.new_session()
    assert await session.prompt("/context") == "end_turn"
    assert await agent.request("authenticate", {"methodId": "provider"}) == {}
    await agent.wait_for(lambda: updates(agent)[-1] == before)
    assert await session.prompt("hi") == "end_turn"


async def test_settings_that_changed_are_a_login_too(agent: AcpClient) -> None:
    agent.stage.provider.script(say("One."))
    session = await agent.new_session()
    await agent.request("logout", {})
    (agent.stage.home / ".env").write_text("SOME=thing\n")
    assert await session.prompt("hi") == "end_turn"
    (agent.stage.home / ".env").unlink()


async def test_the_status_names_where_keys_are_and_no_key(agent: AcpClient) -> None:
    told = await agent.request("auth/status", {})
    (account,) = told["accounts"]
    assert account["active"] is True
    assert account["label"].startswith("custom: ")
    agent.stage.configure(model={"provider": "openrouter", "default": "x/y"})
    assert (await agent.request("auth/status", {}))["state"] == "unauthenticated"
    key = "sk-or-v1-canary-stored-key"
    store_key(agent, key)
    told = await agent.request("auth/status", {})
    assert told["state"] == "authenticated"
    assert any(one.get("active") and "openrouter" in one["label"] for one in told["accounts"])
    await agent.request("logout", {})
    assert key not in (agent.stage.home / "auth.json").read_text()
    assert key not in json.dumps(agent.received)
    (agent.stage.home / "auth.json").unlink()
    agent.stage.configure()
    await agent.request("authenticate", {"methodId": "provider"})


async def test_a_client_may_set_an_endpoint_and_take_it_back(agent: AcpClient) -> None:
    session = await agent.new_session()
    (before,) = (await agent.request("providers/list", {}))["providers"]
    assert before["providerId"] == "main"
    assert before["required"] is True
    assert before["current"]["baseUrl"] == agent.stage.provider.base_url
    secret = "canary-of-the-client"
    with FakeProvider(owners=["main"], models=[]) as other:
        other.script(say("From the other."))
        params = {
            "providerId": "main",
            "apiType": "openai",
            "baseUrl": other.base_url,
            "headers": {"Authorization": f"Bearer {secret}", "X-Team": "blue"},
        }
        assert await agent.request("providers/set", params) == {}
        (now,) = (await agent.request("providers/list", {}))["providers"]
        assert now["required"] is False
        assert now["current"] == {"apiType": "openai", "baseUrl": other.base_url}
        assert await session.prompt("hi") == "end_turn"
        assert session.text == "From the other."
        headers = {k.lower(): v for k, v in other.requests[-1].headers.items()}
        assert headers["authorization"] == f"Bearer {secret}"
        assert headers["x-team"] == "blue"
        assert await agent.request("providers/disable", {"providerId": "main"}) == {}
    assert secret not in json.dumps(agent.received)
    assert (await agent.request("providers/list", {}))["providers"] == [before]
    agent.stage.provider.script(say("From the first."))
    assert await session.prompt("hi") == "end_turn"
    assert session.text.endswith("From the first.")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("providerId", "openrouter"),
        ("providerId", "a b"),
        ("providerId", ""),
        ("apiType", "vertex"),
        ("baseUrl", "http://models.example/v1"),
        ("baseUrl", "https://me:secret@models.example/v1"),
        ("baseUrl", "https://${KEY}.example/v1"),
        ("baseUrl", "file:///etc/passwd"),
    ],
)
async def test_an_endpoint_that_cannot_be_is_refused(
    agent: AcpClient, field: str, value: str
) -> None:
    good = {"providerId": "mine", "apiType": "openai", "baseUrl": "https://models.example/v1"}
    with pytest.raises(AgentError) as failed:
        await agent.request("providers/set", {**good, field: value})
    assert failed.value.code == -32602
    assert failed.value.message.startswith(field)
    assert len((await agent.request("providers/list", {}))["providers"]) == 1


async def test_what_is_not_the_clients_is_not_disabled(agent: AcpClient) -> None:
    assert await agent.request("providers/disable", {"providerId": "nothing"}) == {}
    with pytest.raises(AgentError) as failed:
        await agent.request("providers/disable", {"providerId": "main"})
    assert failed.value.code == -32602
