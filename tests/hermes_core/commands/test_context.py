"""``/context``: what fills the window."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_core.agent.compression.tokens import IMAGE, message_tokens, schema_tokens, text_tokens
from hermes_core.agent.prompt.layer import Layer, joined
from hermes_core.commands.context import FREE, Filled, context_text, parts_of_request
from hermes_core.ground.messages import Message, tool_message, user_message
from tests.hermes_core.commands.seats import said, seat_in

PROMPT = joined(
    (
        Layer("identity", "You are Hermes.\n"),
        Layer("skills", "# Skills\n\nskill\n"),
        Layer("project", "# Project instructions\n\nrules and rules\n"),
        Layer("memory", "# Memory\n\nremembered\n"),
        Layer("user profile", "# About the user\n\nlikes tea\n"),
    )
)
SCHEMAS: list[dict[str, Any]] = [{"function": {"name": "read_file", "description": "Read."}}]
MESSAGES: list[Message] = [
    {"role": "user", "content": "What was before.", "made": "summary"},
    user_message("Do it."),
    user_message(
        [
            {"type": "text", "text": "Look."},
            {"type": "text", "text": "a file" * 20, "attachment": "a.py"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        ]
    ),
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_details": [{"text": "hm" * 30}],
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
            }
        ],
    },
    tool_message("c1", "read_file", "content " * 50),
    {"role": "assistant", "content": "Done."},
]


def test_all_parts_together_are_the_request() -> None:
    parts = parts_of_request(PROMPT, SCHEMAS, MESSAGES)
    messages = sum(map(message_tokens, MESSAGES))
    layers = sum(parts[letter] for letter in "SPKM")
    assert sum(parts.values()) == layers + schema_tokens(SCHEMAS) + messages
    assert abs(layers - text_tokens(PROMPT)) <= 5  # each layer is rounded up
    assert all(parts.values())


def test_each_kind_is_counted_where_it_belongs() -> None:
    parts = parts_of_request(PROMPT, SCHEMAS, MESSAGES)
    assert parts["Z"] == message_tokens(MESSAGES[0])
    assert parts["F"] == text_tokens("a file" * 20) + IMAGE
    assert parts["R"] == message_tokens(MESSAGES[4])
    assert parts["H"] == text_tokens(json.dumps([{"text": "hm" * 30}]))
    assert parts["M"] > text_tokens("remembered")


def test_the_picture_is_to_scale() -> None:
    text = context_text(Filled({"S": 200, "U": 50, "R": 250}, 1_000, 480, 500), "`m`")
    cells = "".join(line for line in text.splitlines() if set(line) <= set("SUR" + FREE) and line)
    assert cells == "S" * 20 + "U" * 5 + "R" * 25 + FREE * 50
    assert "about 500 of 1,000 tokens (50%)" in text
    for row in ("system prompt", "your messages", "tool results", "free"):
        assert row in text
    assert "counted 480 tokens" in text
    assert "Above 500" in text


def test_more_than_the_window_is_all_of_it() -> None:
    text = context_text(Filled({"S": 900, "R": 900}, 1_000), "`m`")
    assert FREE * 2 not in text
    assert "(180%)" in text
    assert "free                                0   0.0%" in text


def test_without_a_window_there_are_the_numbers_alone() -> None:
    text = context_text(Filled({"S": 12}, 0), "no model")
    assert "takes about 12 tokens" in text
    assert "%" not in text
    assert "free" not in text


class Agent:
    """What the command looks at."""

    system_prompt = PROMPT
    tool_schemas = SCHEMAS
    messages = MESSAGES
    in_context = 0


def test_a_session_without_a_model_has_its_numbers(tmp_path: Path) -> None:
    seat = seat_in(tmp_path, cast("Any", None))
    text = said(_with(seat), "/context")
    assert "no model (none is set up)" in text
    assert "project instructions" in text


@pytest.mark.parametrize("text", ["/context all", "/doctor x", "/new y"])
def test_nothing_may_stand_behind(tmp_path: Path, text: str) -> None:
    assert "takes nothing behind it" in said(seat_in(tmp_path), text)


def _with(seat: Any) -> Any:
    from dataclasses import replace

    return replace(seat, agent=cast("Any", Agent()))
