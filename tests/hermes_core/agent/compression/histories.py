"""Histories in order, by hand and generated, and the rule that they are held against."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hermes_core.ground.messages import Message


def user(text: Any) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text, "finish_reason": "stop"}


def step(number: int, output: str, name: str = "read_file", **arguments: Any) -> list[Message]:
    """Return a call and its answer."""
    call_id = f"call-{number}"
    text = json.dumps(arguments or {"path": f"file-{number}.py"})
    function = {"name": name, "arguments": text}
    asked: Any = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call_id, "name": name, "content": output},
    ]


def long_turn(steps: int, size: int = 4_000, request: str = "Fix the bug.") -> list[Message]:
    """Return a turn of many calls, whose answers have ``size`` characters and differ."""
    history = [user(request)]
    for number in range(steps):
        history += step(number, f"{number} " + "x" * size)
    return history


def chat(turns: int, size: int = 400) -> list[Message]:
    """Return turns of question and answer, each of ``size`` characters."""
    history = []
    for number in range(turns):
        history += [user(f"question {number} " + "q" * size), assistant(f"answer {number}")]
    return history


def assert_in_order(messages: Sequence[Message]) -> None:
    """Hold a history against the rule of the providers, told apart from the code under test."""
    open_calls: list[str] = []
    before = "assistant"
    for message in messages:
        role = message["role"]
        if role == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
            assert (before == "assistant") == (role == "user"), (before, role)
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
        before = role
    assert not open_calls


_words = st.text(st.sampled_from("ab \n'\"\\é日本\ud800{}"), max_size=40)
_long = st.builds(lambda text, times: text * times, _words, st.integers(0, 60))
_arguments = st.one_of(
    st.dictionaries(st.sampled_from(["path", "text", "list"]), st.one_of(_long, st.lists(_long))),
    st.none(),
)


@st.composite
def _answers(draw: Any, counter: list[int]) -> list[Message]:
    calls: list[Any] = []
    answers: list[Message] = []
    for _ in range(draw(st.integers(1, 3))):
        counter[0] += 1
        call_id = f"call-{counter[0]}"
        given = draw(_arguments)
        text = "{broken" if given is None else json.dumps(given)
        name = draw(st.sampled_from(["read_file", "terminal", "clarify", "todo"]))
        calls.append(
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        )
        output = draw(st.one_of(_long, st.just("the same output " * 30)))
        answers.append({"role": "tool", "tool_call_id": call_id, "name": name, "content": output})
    return [{"role": "assistant", "content": draw(_words), "tool_calls": calls}, *answers]


@st.composite
def histories(draw: Any, *, at_rest: bool | None = None) -> list[Message]:
    """Return a history in order: turns with any number of steps, the last one open or not."""
    counter = [0]
    history: list[Message] = []
    turns = draw(st.integers(1, 8))
    closed = draw(st.booleans()) if at_rest is None else at_rest
    for turn in range(turns):
        text: Any = f"request {turn}: " + draw(_long)
        if draw(st.integers(0, 4)) == 0:
            text = [
                {"type": "text", "text": text},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ]
        history.append(user(text))
        for _ in range(draw(st.integers(0, 6))):
            history += draw(_answers(counter))
        if turn < turns - 1 or closed:
            history.append(assistant("answer " + draw(_words)))
    return history
