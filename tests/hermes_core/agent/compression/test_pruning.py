"""What is made smaller without a model, and what stays."""

import json
from typing import Any

from hypothesis import given, settings

from hermes_core.agent.compression.groups import flat, groups_of
from hermes_core.agent.compression.pruning import (
    IMAGE_GONE,
    LONG_ARGUMENTS,
    LONG_OUTPUT,
    SOUND_GONE,
    cut_middle,
    pruned,
    said_meanwhile,
    short_arguments,
    shrunk,
)
from hermes_core.agent.compression.tokens import total_tokens
from hermes_core.agent.steering import BEGINNING, END
from hermes_core.ground.messages import Message, text_of
from tests.hermes_core.agent.compression.histories import (
    assert_in_order,
    assistant,
    histories,
    step,
    user,
)


def smaller(history: list[Message], spare: Message | None = None) -> list[Message]:
    groups = groups_of(history)
    return flat(pruned(groups, len(groups), spare))


@given(histories())
@settings(deadline=None)
def test_made_smaller_once_is_made_smaller_for_good(history: list[Message]) -> None:
    once = smaller(history)
    assert smaller(once) == once
    assert_in_order(once)
    assert total_tokens(once) <= total_tokens(history)
    for message in once:
        if message["role"] == "tool" and message["name"] != "clarify":
            assert len(text_of(message)) <= LONG_OUTPUT
        for call in message.get("tool_calls", ()):
            arguments = call["function"]["arguments"]
            if len(arguments) > LONG_ARGUMENTS and call["function"]["name"] != "todo":
                raise AssertionError(arguments)


def test_a_long_output_becomes_a_line_that_tells_what_it_was() -> None:
    history = [user("go"), *step(1, "line\n" * 100, path="src/a.py")]
    assert text_of(smaller(history)[2]) == (
        "[Dropped to make room: read_file src/a.py answered 500 characters in 101 lines.]"
    )


def test_an_output_that_comes_again_points_to_where_it_stays() -> None:
    history = [user("go"), *step(1, "x" * 500), *step(2, "x" * 500)]
    groups = groups_of(history)
    found = flat(pruned(groups, 2))
    assert "the same as a later call of read_file" in text_of(found[2])
    assert text_of(found[4]) == "x" * 500


def test_what_the_user_answered_or_said_meanwhile_stays() -> None:
    said = f"{BEGINNING}\nno, the other one\n{END}"
    history = [
        user("go"),
        *step(1, "the user's own long answer " * 20, "clarify"),
        *step(2, "x" * 900 + said),
    ]
    found = smaller(history)
    assert found[2] == history[2]
    assert text_of(found[4]).endswith(said)
    assert said_meanwhile(text_of(found[4])) == [said]
    group = groups_of(found)[2]
    assert text_of(shrunk(group, 10)[1]).endswith(said)


def test_old_images_of_tools_are_dropped() -> None:
    image: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    call: Any = {"id": "c1", "type": "function", "function": {"name": "shot", "arguments": "{}"}}
    asks: Any = {"role": "assistant", "content": None, "tool_calls": [call]}
    seen: Any = {"role": "tool", "tool_call_id": "c1", "name": "shot", "content": [image]}
    new = user("and now?")
    found = smaller([user("see"), asks, seen, assistant("ok"), new], new)
    assert found[2]["content"] == [{"type": "text", "text": IMAGE_GONE}]


def test_old_images_are_dropped_and_the_latest_request_is_spared() -> None:
    image: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    old = user([{"type": "text", "text": "see"}, image])
    new = user([{"type": "text", "text": "and this"}, image])
    found = smaller([old, assistant("ok"), new], new)
    assert found[0]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "text", "text": IMAGE_GONE},
    ]
    assert found[2] is new


def test_old_sounds_are_dropped_by_name() -> None:
    sound: Any = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}
    new = user("go on")
    found = smaller([user([sound]), assistant("ok"), new], new)
    assert found[0]["content"] == [{"type": "text", "text": SOUND_GONE}]


def test_long_arguments_are_cut_inside_valid_json() -> None:
    given = {"path": "a.py", "edits": [{"old": "x" * 900, "new": "日本" * 900}], "n": 3}
    found = json.loads(short_arguments(json.dumps(given)))
    assert (found["path"], found["n"]) == ("a.py", 3)
    assert found["edits"][0]["old"].startswith("xxx")
    assert "characters cut" in found["edits"][0]["new"]
    assert len(json.loads(short_arguments("{" + "x" * 900))["arguments"]) < 200
    many = json.dumps({f"key{n}": "v" * 150 for n in range(50)})
    assert len(short_arguments(many)) <= LONG_ARGUMENTS


def test_the_plan_is_not_cut_since_it_is_read_again() -> None:
    steps = [{"content": "step " * 20, "status": "pending"} for _ in range(20)]
    history = [user("go"), *step(1, "20 steps", "todo", steps=steps)]
    assert smaller(history) == history


def test_records_of_reasoning_go_with_the_arguments_they_tell_of() -> None:
    history = [user("go"), *step(1, "ok", "patch", text="x" * 900)]
    history[1]["reasoning_details"] = [{"type": "thinking"}]
    assert "reasoning_details" not in smaller(history)[1]
    history = [user("go"), *step(1, "x" * 900)]
    history[1]["reasoning_details"] = [{"type": "thinking"}]
    assert smaller(history)[1] == history[1]


def test_a_text_is_cut_in_its_middle() -> None:
    assert cut_middle("short", 10) == "short"
    cut = cut_middle("begin" + "x" * 5_000 + "end", 1_000)
    assert cut.startswith("beginx")
    assert cut.endswith("xend")
    assert len(cut) < 1_000
