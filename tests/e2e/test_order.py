"""The check of the order of messages, which every test of this folder relies on, can fail."""

from typing import Any

import pytest

from tests.e2e.order import Order
from tests.schema.validate import WireError

Message = dict[str, Any]

KINDS = ("allow_once", "allow_always", "reject_once")
NEW = {"id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}
OPENED = {"id": 1, "result": {"sessionId": "s"}}
PROMPT = {"id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
LOAD = {"id": 2, "method": "session/load", "params": {"sessionId": "s"}}
END = {"id": 2, "result": {"stopReason": "end_turn"}}
CALL = {"toolCallId": "c", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}


def update(update_kind: str, /, **fields: Any) -> Message:
    told = {"sessionUpdate": update_kind, **fields}
    return {"method": "session/update", "params": {"sessionId": "s", "update": told}}


def question(*kinds: str, **fields: Any) -> Message:
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in kinds or KINDS]
    call = {**CALL, "status": "pending", **fields}
    params = {"sessionId": "s", "toolCall": call, "options": options}
    return {"id": "q", "method": "session/request_permission", "params": params}


TEXT = update("agent_message_chunk", content={"type": "text", "text": "hi"})
COMMANDS = update("available_commands_update", availableCommands=[])
CARD = update("tool_call", **CALL, status="pending")
RUNNING = update("tool_call_update", toolCallId="c", status="in_progress")
DONE = update("tool_call_update", toolCallId="c", status="completed")
SHOWS = {"id": 0, "method": "initialize", "params": {"clientCapabilities": {"subagents": {}}}}
BORN = update("subagent_update", sessionId="child", state={"state": "running"})
RESTS = update("subagent_update", sessionId="child", state={"state": "idle"})


def of_child(message: Message) -> Message:
    return {**message, "params": {**message["params"], "sessionId": "child"}}


def play(*messages: Message) -> None:
    order = Order()
    for message in messages:
        asked = message.get("method") in (
            "initialize",
            "session/new",
            "session/prompt",
            "session/load",
        )
        order.check(message, "client" if asked else "agent")


def test_a_turn_in_order_is_accepted() -> None:
    play(NEW, OPENED, COMMANDS, PROMPT, TEXT, CARD, question(), RUNNING, RUNNING, DONE, END)


def test_a_session_may_be_replayed_twice() -> None:
    play(LOAD, CARD, DONE, END, COMMANDS, LOAD, CARD, DONE, END)


def test_a_loading_that_is_refused_changes_nothing() -> None:
    refused = {"id": 3, "error": {"code": -32600, "message": "busy"}}
    play(NEW, OPENED, PROMPT, CARD, {**LOAD, "id": 3}, RUNNING, refused, DONE, END)


def test_a_loading_that_meets_the_end_of_a_turn_shows_its_cards_again() -> None:
    load = {**LOAD, "id": 3}
    play(NEW, OPENED, PROMPT, CARD, DONE, load, END, CARD, DONE, {"id": 3, "result": {}})


def test_children_in_order_are_accepted() -> None:
    work = [of_child(one) for one in (TEXT, CARD, question(), RUNNING, DONE)]
    play(SHOWS, NEW, OPENED, PROMPT, BORN, *work, RESTS, END)


@pytest.mark.parametrize(
    "messages",
    [
        [NEW, OPENED, PROMPT, BORN],
        [SHOWS, NEW, OPENED, BORN],
        [SHOWS, NEW, OPENED, PROMPT, of_child(TEXT)],
        [SHOWS, NEW, OPENED, PROMPT, BORN, END],
        [SHOWS, NEW, OPENED, PROMPT, BORN, of_child(CARD), RESTS],
        [SHOWS, NEW, OPENED, PROMPT, BORN, RESTS, END, of_child(TEXT)],
        [SHOWS, NEW, OPENED, PROMPT, BORN, of_child(BORN)],
        [NEW, COMMANDS],
        [NEW, OPENED, TEXT],
        [NEW, OPENED, PROMPT, END, TEXT],
        [LOAD, END, TEXT],
        [LOAD, CARD, DONE, END, PROMPT, CARD],
        [NEW, OPENED, PROMPT, CARD, RUNNING, END],
        [NEW, OPENED, PROMPT, RUNNING],
        [NEW, OPENED, PROMPT, CARD, CARD],
        [NEW, OPENED, PROMPT, CARD, DONE, RUNNING],
        [NEW, OPENED, PROMPT, CARD, DONE, DONE],
        [NEW, OPENED, PROMPT, question()],
        [NEW, OPENED, PROMPT, CARD, question(title="rm")],
        [NEW, OPENED, PROMPT, CARD, question(rawInput={})],
        [NEW, OPENED, PROMPT, CARD, DONE, END, question()],
        [NEW, OPENED, PROMPT, CARD, question(*KINDS, "allow_once")],
        [NEW, OPENED, PROMPT, CARD, question("allow_once")],
    ],
)
def test_a_message_out_of_order_is_found(messages: list[Message]) -> None:
    play(*messages[:-1])
    with pytest.raises(WireError):
        play(*messages)
