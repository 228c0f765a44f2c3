"""The scripted model's server, through the same carrier as every other endpoint."""

import threading

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.transport.carrier import open_stream, warm
from hermes_core.transport.demo_script import Part, answer
from hermes_core.transport.scripted import chunks, scripted_url
from hermes_core.wire.chat_completions import parse
from hermes_core.wire.fold import Fold

DEMO = Runtime("demo", "scripted-demo", "chat_completions", "scripted://demo", Secret(""))
ASKED = [{"role": "user", "content": "fix the median"}]


def folded(messages: list[dict[str, object]]) -> Fold:
    fold = Fold()
    with open_stream(DEMO, {"messages": messages}, interrupt=Interrupt()) as stream:
        for piece in parse(stream):
            fold.add(piece)
    return fold


def test_an_answer_arrives_as_it_was_written() -> None:
    fold = folded([*ASKED])
    message, part = fold.message(), answer(ASKED)
    assert message["content"] == part.text
    assert message.get("reasoning") == part.reasoning
    calls = message.get("tool_calls", [])
    assert [call["function"]["name"] for call in calls] == [use.name for use in part.calls]
    assert fold.usage is not None
    assert fold.usage.total > 0


def test_it_is_started_once() -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(scripted_url())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert found[0].startswith("http://127.0.0.1:")


def test_it_streams_in_small_pieces() -> None:
    words = "one two three four five six seven"
    pieces = [chunk["choices"][0]["delta"] for chunk in chunks(Part(words, words))]
    for key in ("reasoning_content", "content"):
        texts = [piece[key] for piece in pieces if key in piece]
        assert len(texts) > 2
        assert "".join(texts) == words


def test_it_can_be_interrupted() -> None:
    interrupt = Interrupt()

    def work() -> None:
        with open_stream(DEMO, {"messages": ASKED}, interrupt=interrupt) as stream:
            for _ in stream:
                interrupt.set()

    with pytest.raises(Interrupted):
        work()
    assert folded([*ASKED]).message()["content"]


def test_a_request_that_is_none_is_refused() -> None:
    with (
        pytest.raises(Exception, match="refused the request"),
        open_stream(DEMO, {"nothing": 1}, interrupt=Interrupt()),
    ):
        pass


def test_warming_up_does_not_start_it() -> None:
    warm(DEMO)
