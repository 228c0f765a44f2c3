import json
from typing import Any

from acp_server.rpc.outgoing import MERGED_CAP, Line, TextChunk, TextFrames


def params(text: Any, **more: Any) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content, "messageId": "m", **more}
    return {"sessionId": "s", "update": update}


def chunk(text: str, key: str = "k") -> TextChunk:
    made = TextFrames().chunk(key, "session/update", params(text))
    assert made is not None
    return made


def test_a_chunk_is_the_notification_it_came_from() -> None:
    text = 'say "hi"\n\\ é 😀 \x1b'
    sent = params(text, note='"text":""')
    made = TextFrames().chunk("k", "session/update", sent)
    assert made is not None
    line = made.encode()
    assert line.endswith(b"}\n")
    assert json.loads(line) == {"jsonrpc": "2.0", "method": "session/update", "params": sent}


def test_chunks_of_one_key_merge() -> None:
    first = chunk("a")
    assert first.merge(chunk("b"))
    assert first.merge(chunk("c"))
    assert json.loads(first.encode())["params"] == params("abc")
    assert first.size == chunk("abc").size


def test_other_messages_do_not_merge() -> None:
    first = chunk("a")
    assert not first.merge(chunk("b", key="other"))
    assert not first.merge(Line(b"x\n"))
    assert not Line(b"x\n").merge(first)
    assert json.loads(first.encode())["params"] == params("a")


def test_a_merged_message_has_a_limit() -> None:
    first = chunk("a" * (MERGED_CAP - 1000))
    assert first.merge(chunk("b" * 100))
    assert not first.merge(chunk("c" * 1000))


def test_a_pair_of_surrogates_that_was_split_is_joined() -> None:
    first = chunk("a\ud83d")
    assert first.merge(chunk("\ude00b \ud800"))
    assert json.loads(first.encode())["params"] == params("a😀b \ufffd")


def test_what_has_no_text_is_no_chunk() -> None:
    frames = TextFrames()
    assert frames.chunk("k", "session/update", {"sessionId": "s"}) is None
    assert frames.chunk("k", "session/update", {"update": {"content": [1]}}) is None
    assert frames.chunk("k", "session/update", params(5)) is None


def test_the_frames_of_many_keys_do_not_pile_up() -> None:
    frames = TextFrames()
    for number in range(500):
        assert frames.chunk(f"k{number}", "session/update", params("a", messageId=number))
    assert len(frames._frames) < 100
    made = frames.chunk("k0", "session/update", params("z", messageId=0))
    assert made is not None
    assert json.loads(made.encode())["params"] == params("z", messageId=0)
