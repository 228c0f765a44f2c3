import json
import sys
import tomllib
from pathlib import Path

import pytest

from acp_server.capabilities import (
    PROTOCOL_VERSION,
    ClientCapabilities,
    agent_capabilities,
    agent_info,
    auth_methods,
)
from tests.schema.validate import WireValidator

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

ZED = {
    "protocolVersion": 1,
    "clientCapabilities": {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "auth": {"terminal": True},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "elicitation": {"form": {}, "url": {}},
        "subagents": {},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    },
    "clientInfo": {"name": "zed", "version": "1.9"},
}


def test_all_that_is_announced_is_read() -> None:
    assert ClientCapabilities.from_params(ZED) == ClientCapabilities(
        read_text=True,
        write_text=True,
        terminal=True,
        terminal_auth=True,
        terminal_auth_meta=True,
        terminal_output=True,
        boolean_options=True,
        elicitation_form=True,
        elicitation_url=True,
        notices=True,
        compaction=True,
        subagents=True,
        client_name="zed",
        client_version="1.9",
    )


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"clientCapabilities": None, "clientInfo": None},
        {"clientCapabilities": {"fs": None, "session": None, "elicitation": None, "_meta": None}},
        {"clientCapabilities": {"fs": {"readTextFile": "yes"}, "terminal": 1, "auth": True}},
        {"clientCapabilities": {"session": {"configOptions": True, "notices": True}}},
        {"clientCapabilities": {"elicitation": {"form": None}}, "clientInfo": {"name": 5}},
        {"clientCapabilities": [], "clientInfo": "me"},
    ],
)
def test_what_is_not_announced_is_absent(params: dict[str, object]) -> None:
    assert ClientCapabilities.from_params(params) == ClientCapabilities()


def test_every_client_gets_one_method_of_the_agents_own_type() -> None:
    for client in (ClientCapabilities(), ClientCapabilities(terminal_auth=True)):
        plain = [method for method in auth_methods(client) if "type" not in method]
        assert [method["id"] for method in plain] == ["provider"]
        assert plain[0]["description"]


def test_a_terminal_method_needs_a_client_that_announced_one() -> None:
    assert len(auth_methods(ClientCapabilities(terminal=True))) == 1
    assert len(auth_methods(ClientCapabilities(elicitation_form=True))) == 1
    _, page = auth_methods(ClientCapabilities(elicitation_url=True))
    assert page["id"] == "login"
    assert "type" not in page
    _, terminal = auth_methods(ClientCapabilities(terminal_auth=True))
    assert (terminal["type"], terminal["id"], terminal["args"]) == (
        "terminal",
        "setup",
        ["--setup"],
    )


def test_an_older_client_is_told_the_command() -> None:
    _, setup = auth_methods(ClientCapabilities(terminal_auth_meta=True))
    assert "type" not in setup
    told = setup["_meta"]["terminal-auth"]
    assert told["command"] == sys.executable
    assert told["args"][-2:] == ["acp", "--setup"]
    both = ClientCapabilities(terminal_auth=True, terminal_auth_meta=True)
    assert "_meta" not in auth_methods(both)[1]


def test_the_answer_is_valid_and_says_no_more_than_is_true() -> None:
    validator = WireValidator()
    client = ClientCapabilities.from_params(ZED)
    result = {
        "protocolVersion": PROTOCOL_VERSION,
        "agentCapabilities": agent_capabilities(),
        "authMethods": auth_methods(client),
        "agentInfo": agent_info(),
    }
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ZED}
    validator.check(json.dumps(ask), "client")
    validator.check(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}), "agent")
    told = agent_capabilities()
    assert told["loadSession"] is True
    assert told["promptCapabilities"] == {"image": True, "audio": True, "embeddedContext": True}
    assert told["mcpCapabilities"] == {"http": True, "sse": True, "acp": True}
    assert told["auth"] == {"logout": {}, "status": {}}
    system = told["sessionCapabilities"].pop("systemPrompt")
    assert system == {"mode": {"override": {}}}
    stable = {"list", "additionalDirectories", "resume", "close", "delete"}
    assert set(told["sessionCapabilities"]) == stable | {"fork", "archive", "status", "title"}
    assert set(map(str, told["sessionCapabilities"].values())) == {"{}"}


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert agent_info()["version"] == project["version"]
