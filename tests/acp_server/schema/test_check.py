from typing import Any

import pytest

from acp_server.schema.check import check
from acp_server.schema.content import ContentBlock
from acp_server.schema.errors import INVALID_PARAMS, RpcError
from acp_server.schema.initialization import InitializeRequest, InitializeResponse
from acp_server.schema.permissions import RequestPermissionResponse
from acp_server.schema.prompts import PromptRequest
from acp_server.schema.sessions import (
    ListSessionsRequest,
    LoadSessionRequest,
    LoadSessionResponse,
    NewSessionRequest,
)
from acp_server.schema.updates import SessionNotification

NEW = {"cwd": "/w", "mcpServers": []}
STDIO = {"name": "n", "command": "c", "args": [], "env": []}


def fault(params: Any, expected: Any) -> str:
    """Return the message of the error that ``params`` give."""
    with pytest.raises(RpcError) as caught:
        check(params, expected)
    assert caught.value.code == INVALID_PARAMS
    assert "\n" not in caught.value.message
    field = caught.value.message.partition(":")[0]
    assert caught.value.data == (None if field == "params" else {"field": field})
    return caught.value.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cwd": None}, "cwd: string expected, got null."),
        ({"cwd": 5}, "cwd: string expected, got number."),
        ({"cwd": True}, "cwd: string expected, got boolean."),
        ({"mcpServers": {}}, "mcpServers: array expected, got object."),
        ({"mcpServers": ["x"]}, "mcpServers[0]: object expected, got string."),
        ({"mcpServers": [STDIO, {}]}, "mcpServers[1].name: missing."),
        (
            {"mcpServers": [{**STDIO, "command": 5}]},
            "mcpServers[0].command: string expected, got number.",
        ),
        (
            {"mcpServers": [{**STDIO, "args": ["a", []]}]},
            "mcpServers[0].args[1]: string expected, got array.",
        ),
        (
            {"mcpServers": [{**STDIO, "env": [{"name": "N"}]}]},
            "mcpServers[0].env[0].value: missing.",
        ),
        ({"mcpServers": [{"type": "http", "name": "n"}]}, "mcpServers[0].url: missing."),
        ({"mcpServers": [{"type": "acp", "name": "n"}]}, "mcpServers[0].serverId: missing."),
        ({"mcpServers": [{"type": "new", "name": "n"}]}, "mcpServers[0].command: missing."),
        (
            {"additionalDirectories": [1]},
            "additionalDirectories[0]: string expected, got number.",
        ),
    ],
)
def test_the_field_at_fault_is_named(change: dict[str, Any], message: str) -> None:
    assert fault({**NEW, **change}, NewSessionRequest) == message


@pytest.mark.parametrize("params", [[], "x", 5, None])
def test_params_must_be_an_object(params: Any) -> None:
    assert fault(params, NewSessionRequest).startswith("params: object expected, got ")
    assert fault(params, None).startswith("params: object expected, got ")


def test_any_object_passes_where_nothing_is_expected() -> None:
    assert check({"x": 1}, None) == {"x": 1}


def test_required_fields_are_required() -> None:
    assert fault({"mcpServers": []}, NewSessionRequest) == "cwd: missing."


def test_servers_may_be_left_out_as_known_clients_do() -> None:
    assert check({"cwd": "/w"}, NewSessionRequest) == {"cwd": "/w"}
    loaded = {"cwd": "/w", "sessionId": "s"}
    assert check(loaded, LoadSessionRequest) == loaded


def test_each_kind_of_server_passes() -> None:
    remote = {"name": "n", "url": "https://x", "headers": [{"name": "A", "value": "b"}]}
    servers = [STDIO, {"type": "http", **remote}, {"type": "sse", **remote}]
    assert check({**NEW, "mcpServers": servers}, NewSessionRequest)["mcpServers"] == servers


def test_null_counts_as_absent_where_the_schema_says_so() -> None:
    sent = {
        "cwd": "/w",
        "mcpServers": [{**STDIO, "args": None, "env": None}],
        "additionalDirectories": None,
        "_meta": None,
    }
    assert check(sent, NewSessionRequest) == {"cwd": "/w", "mcpServers": [STDIO], "_meta": None}
    assert check({"cwd": "/w", "mcpServers": None}, NewSessionRequest) == {"cwd": "/w"}


def test_null_passes_where_the_type_has_it() -> None:
    assert check({"cwd": None, "cursor": None}, ListSessionsRequest) == {
        "cwd": None,
        "cursor": None,
    }
    assert fault({"cursor": 5}, ListSessionsRequest) == "cursor: string expected, got number."


def test_unknown_keys_pass() -> None:
    params = {
        "protocolVersion": 1,
        "clientCapabilities": {"clientInfo": {"name": 5}, "nes": {}},
        "x": [],
    }
    assert check(params, InitializeRequest) == params


def test_what_does_not_fit_falls_back_where_the_schema_says_so() -> None:
    params = {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {"readTextFile": "yes", "writeTextFile": True},
            "terminal": 1,
            "session": {"notices": {}, "configOptions": []},
            "auth": "x",
            "_meta": [],
        },
        "clientInfo": {"name": "n"},
    }
    assert check(params, InitializeRequest) == {
        "protocolVersion": 1,
        "clientCapabilities": {"fs": {"writeTextFile": True}, "session": {"notices": {}}},
    }
    assert check({"protocolVersion": 1, "clientCapabilities": []}, InitializeRequest) == {
        "protocolVersion": 1
    }


def test_the_original_is_left_alone() -> None:
    params = {"protocolVersion": 1, "clientCapabilities": {"terminal": 1}}
    check(params, InitializeRequest)
    assert params == {"protocolVersion": 1, "clientCapabilities": {"terminal": 1}}


@pytest.mark.parametrize("version", ["1", None, [1], 1.5, True])
def test_a_version_is_an_integer(version: object) -> None:
    message = fault({"protocolVersion": version}, InitializeRequest)
    assert message.startswith("protocolVersion: integer expected, got ")


@pytest.mark.parametrize("version", [0, 1, 2, 65535, 70000, -1])
def test_any_integer_is_a_version(version: int) -> None:
    assert check({"protocolVersion": version}, InitializeRequest)["protocolVersion"] == version


def test_an_integer_may_be_written_with_a_point() -> None:
    checked = check({"protocolVersion": 1.0}, InitializeRequest)
    assert type(checked["protocolVersion"]) is int


KINDS = '"text", "image", "audio", "resource_link", "resource"'
BLOCKS = [
    {"type": "text", "text": "hi", "annotations": {"audience": ["user"], "priority": 1}},
    {"type": "image", "data": "AA==", "mimeType": "image/png"},
    {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
    {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3},
    {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}},
    {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA=="}},
]


def test_each_kind_of_block_passes() -> None:
    assert check({"sessionId": "s", "prompt": BLOCKS}, PromptRequest)["prompt"] == BLOCKS


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"text": "x"}, "prompt[0].type: missing."),
        (
            {"type": "video"},
            f"prompt[0].type: one of {KINDS} expected.",
        ),
        (
            {"type": ["text"]},
            f"prompt[0].type: one of {KINDS} expected.",
        ),
        ({"type": "text"}, "prompt[0].text: missing."),
        ({"type": "resource", "resource": {"uri": "x"}}, "prompt[0].resource.text: missing."),
        ("hi", "prompt[0]: object expected, got string."),
    ],
)
def test_blocks_are_told_apart_by_their_type(block: Any, message: str) -> None:
    assert fault({"sessionId": "s", "prompt": [block]}, PromptRequest) == message


def test_items_that_do_not_fit_are_left_out_where_the_schema_says_so() -> None:
    block = {"type": "text", "text": "x", "annotations": {"audience": ["user", "cat", 1]}}
    checked = check({"sessionId": "s", "prompt": [block]}, PromptRequest)
    assert checked["prompt"][0]["annotations"] == {"audience": ["user"]}
    null = {"type": "text", "text": "x", "annotations": {"audience": None}}
    assert check({"sessionId": "s", "prompt": [null]}, PromptRequest)["prompt"] == [null]


def test_a_required_field_falls_back_to_an_empty_value() -> None:
    modes = {"currentModeId": "m", "availableModes": "none"}
    assert check({"modes": modes}, LoadSessionResponse) == {
        "modes": {"currentModeId": "m", "availableModes": []}
    }
    assert check({"modes": {}}, LoadSessionResponse) == {}


def test_answers_of_the_client_are_checked_alike() -> None:
    selected = {"outcome": {"outcome": "selected", "optionId": "a"}}
    assert check(selected, RequestPermissionResponse) == selected
    cancelled = {"outcome": {"outcome": "cancelled"}}
    assert check(cancelled, RequestPermissionResponse) == cancelled
    wrong = {"outcome": {"outcome": "selected"}}
    assert fault(wrong, RequestPermissionResponse) == "outcome.optionId: missing."


def test_what_we_send_is_covered_as_well() -> None:
    result = {
        "protocolVersion": 1,
        "authMethods": [
            {"id": "a", "name": "A"},
            {"type": "terminal", "id": "t", "name": "T", "env": {"A": "b"}},
            {"id": 5},
        ],
    }
    checked = check(result, InitializeResponse)
    assert [method["id"] for method in checked["authMethods"]] == ["a", "t"]
    plan = {"sessionUpdate": "plan", "entries": []}
    params = {"sessionId": "s", "update": plan}
    assert check(params, SessionNotification) == params
    assert fault({"sessionId": "s", "update": {"sessionUpdate": "x"}}, SessionNotification)


def test_a_type_is_walked_once() -> None:
    from acp_server.schema.check import _checker

    check({"sessionId": "s", "prompt": []}, PromptRequest)
    before = _checker.cache_info().misses
    check({"sessionId": "s", "prompt": BLOCKS}, PromptRequest)
    assert _checker.cache_info().misses == before
    assert _checker(ContentBlock) is _checker(ContentBlock)
