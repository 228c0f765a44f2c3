"""A shortened history in each of the three formats: what their endpoints insist on holds."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from hermes_core.agent.compression.plan import Room, plan_for
from hermes_core.agent.compression.rebuilding import rebuilt
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.messages import Message, system_message
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.wire.formats import format_for
from tests.hermes_core.agent.compression.histories import histories
from tests.hermes_core.agent.compression.test_plan import rooms

STEPS = [PlanEntry("mend it", "in_progress")]


def body(mode: ApiMode, history: list[Message]) -> dict[str, Any]:
    runtime = Runtime("custom", "m", mode, "http://localhost:1/v1", Secret(""))
    messages = [system_message("You help."), *history]
    request = format_for(mode).to_request(messages, [], runtime)
    assert "made" not in str([sorted(part) for part in _dicts(request)])
    return dict(json.loads(json.dumps(request)))


def _dicts(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    own = [value] if isinstance(value, dict) else []
    return [*own, *(found for item in inner for found in _dicts(item))]


def chat_is_in_order(request: dict[str, Any]) -> None:
    open_calls: list[str] = []
    before = "assistant"
    for message in request["messages"][1:]:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
            assert (message["role"] == "user") == (before == "assistant")
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
        before = message["role"]
        assert message["content"] or message.get("tool_calls") or before == "tool"
    assert not open_calls


def turns_are_in_order(request: dict[str, Any]) -> None:
    asked: list[str] = []
    for number, turn in enumerate(request["messages"]):
        assert turn["role"] == ("assistant" if number % 2 else "user")
        assert turn["content"]
        answered = [b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result"]
        assert answered == asked
        asked = [b["id"] for b in turn["content"] if b["type"] == "tool_use"]
        assert all(b["text"].strip() for b in turn["content"] if b["type"] == "text")
    assert not asked


def items_are_in_order(request: dict[str, Any]) -> None:
    asked: list[str] = []
    for item in request["input"]:
        if item["type"] == "function_call":
            asked.append(item["call_id"])
        elif item["type"] == "function_call_output":
            asked.remove(item["call_id"])
        else:
            assert not asked
            assert item["content"]
    assert not asked


@pytest.mark.parametrize(
    ("mode", "holds"),
    [
        ("chat_completions", chat_is_in_order),
        ("anthropic_messages", turns_are_in_order),
        ("codex_responses", items_are_in_order),
    ],
)
def test_every_format_takes_a_shortened_history(mode: ApiMode, holds: Any) -> None:
    shortened = 0

    @settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
    @given(histories(at_rest=False), rooms)
    def takes(history: list[Message], room: Room) -> None:
        nonlocal shortened
        plan = plan_for(history, room)
        if plan is not None:
            shortened += bool(plan.middle)
            holds(body(mode, [message for message, _ in rebuilt(plan, "## Goal\nx", STEPS)]))

    takes()
    assert shortened
