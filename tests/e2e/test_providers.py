"""Each bundled provider at a stand-in on loopback: path, headers, body and a round of tools.

What is expected comes from ``tests/data/providers.json``, not from the profiles.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hermes_core import AIAgent
from hermes_core.ground.version import __version__
from hermes_core.local.config import load_config
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider, Recorded, Text, call, say
from tests.hermes_core.providers.facts import Wire, facts, wires

PATHS = {
    "chat_completions": "/chat/completions",
    "codex_responses": "/responses",
    "anthropic_messages": "/v1/messages",
}
WITHOUT_HTTP = {"copilot-acp"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "note.txt").write_text("The answer is 42.\n")
    return folder


def agent_for(wire: Wire, server: FakeProvider, home: Path, project: Path) -> AIAgent:
    """Return an agent with the provider saved at the stand-in, on the path that is its own."""
    address = f"http://127.0.0.1:{server.port}{urlsplit(wire.base_url).path}"
    model = {
        "provider": wire.provider,
        "default": wire.model,
        "base_url": address,
        "api_key": canary(wire.provider),
    }
    settings: dict[str, Any] = {"model": model}
    if wire.effort:
        settings["agent"] = {"reasoning_effort": wire.effort}
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps(settings))
    config = load_config({"HERMES_HOME": str(home), "HOME": str(home.parent)})
    return AIAgent(cwd=project, config=config)


def expected_path(wire: Wire) -> str:
    base = urlsplit(wire.base_url).path
    if wire.api_mode == "anthropic_messages":
        base = base.removesuffix("/v1")
    return wire.path or base + PATHS[wire.api_mode]


def result_of(request: Recorded, mode: str) -> str:
    """Return the text of the last tool result, as the format holds it."""
    if mode == "codex_responses":
        output = [item for item in request.body["input"] if item["type"] == "function_call_output"]
        return json.dumps(output[-1]["output"])
    last = request.body["messages"][-1]
    if mode == "anthropic_messages":
        blocks = [block for block in last["content"] if block["type"] == "tool_result"]
        assert last["role"] == "user"
        return json.dumps(blocks[-1]["content"])
    assert last["role"] == "tool"
    return json.dumps(last["content"])


@pytest.mark.parametrize("wire", wires(), ids=lambda wire: wire.name)
def test_a_round_of_tools(wire: Wire, tmp_path: Path, project: Path) -> None:
    with FakeProvider(owners=[wire.provider]) as server:
        server.script(call("read_file", {"path": "note.txt"}), say("It is 42."))
        agent = agent_for(wire, server, tmp_path / "home", project)
        try:
            answer = agent.chat("What is the answer?")
        finally:
            agent.close()
        first, second = server.requests
    assert answer == "It is 42."
    assert "The answer is 42." in result_of(second, wire.api_mode)
    for request in (first, second):
        assert (request.method, urlsplit(request.path).path) == ("POST", expected_path(wire))
        check_headers(request.headers, wire)
        check_shape(request.body, wire)
    assert {name: first.body.get(name) for name in wire.body} == wire.body


def check_headers(headers: dict[str, str], wire: Wire) -> None:
    """The key once, in the header that is this provider's; our own name, nobody else's."""
    key = canary(wire.provider)
    shown = {name: value for name, value in headers.items() if key in value}
    expected = (
        {"x-api-key": key} if wire.auth == "x-api-key" else {"authorization": f"Bearer {key}"}
    )
    assert shown == expected
    assert headers["user-agent"] == f"hermes-editor-agent/{__version__}"
    for name, value in wire.headers.items():
        assert headers[name] == (value if value is not None else headers[name])


def check_shape(body: dict[str, Any], wire: Wire) -> None:
    """The model, tools in the format's shape, and nothing that the provider refuses."""
    assert wire.path is not None or (body["model"], body["stream"]) == (wire.model, True)
    tool = next(tool for tool in body["tools"] if "read_file" in json.dumps(tool))
    shape = {
        "chat_completions": ["function", "type"],
        "codex_responses": ["name", "parameters", "type"],
        "anthropic_messages": ["input_schema", "name"],
    }[wire.api_mode]
    assert set(shape) <= set(tool)
    if wire.api_mode == "codex_responses":
        assert body["instructions"]
    if wire.api_mode == "anthropic_messages":
        assert body["system"]
        assert body["max_tokens"] > 0
    assert not [name for name in wire.absent if name in body]


def test_every_provider_with_an_endpoint_has_a_round() -> None:
    assert {wire.provider for wire in wires()} == {fact["id"] for fact in facts()} - WITHOUT_HTTP


@pytest.mark.parametrize("mode", PATHS)
def test_every_format_has_rounds(mode: str) -> None:
    assert len([wire for wire in wires() if wire.api_mode == mode]) >= 8


def test_a_user_plugin_is_one_folder(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    with FakeProvider(owners=["acme"]) as server:
        folder = home / "plugins" / "model-providers" / "acme"
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text("name: acme\napi: 1\n")
        (folder / "__init__.py").write_text(
            "from hermes_core.providers import ProviderProfile, register_provider\n"
            "register_provider(ProviderProfile(\n"
            f"    name='acme', display_name='Acme', base_url='http://127.0.0.1:{server.port}/acme',\n"
            "    key_envs=('ACME_KEY',), aliases=('ac',), default_model='acme-1'))\n"
        )
        (home / ".env").write_text(f"ACME_KEY={canary('acme')}\n")
        config = load_config(
            {"HERMES_HOME": str(home), "HOME": str(tmp_path), "HERMES_INFERENCE_PROVIDER": "ac"}
        )
        server.script(say(Text("Hello.").text))
        agent = AIAgent(cwd=project, config=config)
        try:
            assert agent.chat("Hello") == "Hello."
        finally:
            agent.close()
        (request,) = server.requests
    assert request.path == "/acme/chat/completions"
    assert request.body["model"] == "acme-1"
    assert request.headers["authorization"] == f"Bearer {canary('acme')}"
