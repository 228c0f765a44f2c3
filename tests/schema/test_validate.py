import json
from typing import Any

import pytest

from tests.schema.validate import Sender, WireError, WireValidator

CHUNK = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "text", "text": "hi"},
    "messageId": "m",
}
CARD = {
    "sessionUpdate": "tool_call",
    "toolCallId": "c",
    "title": "Edit a.py",
    "kind": "edit",
    "status": "pending",
    "content": [{"type": "diff", "path": "/a.py", "newText": "x"}],
    "locations": [{"path": "/a.py", "line": 1}],
    "rawInput": {"anything": [1, None]},
    "_meta": {"own": {"deep": None}},
}


def call(method: str, params: Any, **more: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})


def answer(**parts: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **parts})


def update(payload: dict[str, Any]) -> str:
    return call("session/update", {"sessionId": "s", "update": payload})


def asked(method: str, params: Any, sender: Sender = "client") -> WireValidator:
    validator = WireValidator()
    validator.check(call(method, params, id=1), sender)
    return validator


@pytest.mark.parametrize("payload", [CHUNK, CARD])
def test_valid_updates_pass(payload: dict[str, Any]) -> None:
    WireValidator().check(update(payload), "agent")


@pytest.mark.parametrize(
    ("payload", "fault"),
    [
        ({**CHUNK, "sessionUpdate": "shout"}, "'shout' is no known sessionUpdate"),
        ({**CARD, "kind": "write"}, "kind"),
        ({k: v for k, v in CARD.items() if k != "title"}, "title"),
        ({**CARD, "rawinput": {}}, "rawinput"),
        ({**CARD, "content": [{"type": "diff", "path": "/a", "newText": "", "old": ""}]}, "old"),
        ({**CARD, "locations": [{"path": "/a", "line": None}]}, r"null at .*locations\[0\].line"),
        ({**CHUNK, "messageId": None}, "null at .*messageId"),
    ],
)
def test_invalid_updates_are_found(payload: dict[str, Any], fault: str) -> None:
    with pytest.raises(WireError, match=fault):
        WireValidator().check(update(payload), "agent")


def test_only_the_agent_is_held_to_known_keys() -> None:
    params = {"protocolVersion": 1, "clientCapabilities": {"clientInfo": {"name": "n"}}}
    asked("initialize", params)


def test_a_result_is_checked_as_the_result_of_its_request() -> None:
    validator = asked("session/prompt", {"sessionId": "s", "prompt": []})
    with pytest.raises(WireError, match="PromptResponse"):
        validator.check(answer(id=1, result={"stopReason": "done"}), "agent")


def test_requests_of_the_agent_are_answered_by_the_client() -> None:
    params = {"sessionId": "s", "path": "/a"}
    validator = asked("fs/read_text_file", params, "agent")
    assert validator.unanswered("agent") == ["fs/read_text_file"]
    validator.check(answer(id=1, result={"content": ""}), "client")
    assert validator.unanswered("agent") == []


@pytest.mark.parametrize(
    "line",
    [
        answer(id="1", result={}),
        answer(id=2, error={"code": -32603, "message": "no"}),
        answer(id=1, result={}, error={"code": 1, "message": "no"}),
        answer(id=1),
        answer(id=1, error={"code": "1", "message": "no"}),
        answer(id=1, error={"code": 1, "message": "two\nlines"}),
        '{"id": 1, "result": {}}',
        answer(id=1, result={}, extra=1),
        answer(id=1, result={}) + "\n\n",
        call("fs/read_text_file", {"sessionId": "s", "path": "/a"}),
        call("session/prompt", {"sessionId": "s", "prompt": []}, id=9),
    ],
)
def test_lines_out_of_order_or_shape_are_found(line: str) -> None:
    validator = asked("authenticate", {"methodId": "m"})
    with pytest.raises(WireError):
        validator.check(line, "agent")


def test_an_answer_comes_once() -> None:
    validator = asked("authenticate", {"methodId": "m"})
    validator.check(answer(id=1, result={}), "agent")
    with pytest.raises(WireError):
        validator.check(answer(id=1, result={}), "agent")


def test_an_error_without_an_id_answers_a_line_that_was_no_message() -> None:
    WireValidator().check(answer(id=None, error={"code": -32700, "message": "no"}), "agent")


def test_what_a_test_breaks_on_purpose_still_has_an_id_to_answer() -> None:
    validator = WireValidator()
    validator.check(call("no/such", [], id=1.5), "client", valid=False)
    validator.check(answer(id=1.5, error={"code": -32601, "message": "no"}), "agent")


def test_anything_may_be_broken_on_purpose() -> None:
    validator = WireValidator()
    for line in (b"{nope", b"[]", b"\xff", b"[" * 100_000, b"42", b'{"id": 1}'):
        validator.check(line, "client", valid=False)
    validator.check(call("session/list", {}, id=1) + "\r\n", "client", valid=False)
    validator.check(answer(id=1, result={"sessions": []}), "agent")


def test_extension_methods_are_free() -> None:
    validator = asked("_own/method", {"x": 1})
    validator.check(answer(id=1, result=None), "agent")
