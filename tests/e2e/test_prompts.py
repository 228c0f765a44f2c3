"""What a prompt points at and brings with it, as it reaches the model."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import ALLOW, REJECT, AgentError, Session
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import Call, calls, say

WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA="
SOUND = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def link(uri: str, name: str = "a.py", **more: Any) -> dict[str, Any]:
    return {"type": "resource_link", "uri": uri, "name": name, **more}


def sent(client: AcpClient) -> Any:
    """Return the content of the last message of the last request."""
    return client.stage.provider.requests[-1].messages[-1]["content"]


async def ask(client: AcpClient, session: Session, *blocks: dict[str, Any]) -> Any:
    client.stage.provider.script(say("I see."))
    assert await session.prompt(list(blocks)) == "end_turn"
    return sent(client)


async def test_a_linked_file_is_put_before_the_model_without_asking(client: AcpClient) -> None:
    session = await client.new_session(client.stage.workspace(a__py="x = 1\ny = 2\n"))
    content = await ask(client, session, text("Explain "), link(f"file://{session.cwd}/a.py"))
    assert content == "Explain [@a.py](a.py)\n\na.py:\n```\nx = 1\ny = 2\n```"
    assert not client.editor.asked
    assert not session.cards


async def test_the_buffer_of_the_editor_is_what_is_read(client: AcpClient) -> None:
    session = await client.new_session(client.stage.workspace(a__py="saved\n"))
    client.editor.buffers[str(session.cwd / "a.py")] = "unsaved\n"
    content = await ask(client, session, link(f"file://{session.cwd}/a.py"))
    assert "unsaved" in content
    assert client.editor.reads == [str(session.cwd / "a.py")]


async def test_a_range_of_lines_alone_is_read(client: AcpClient) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 31))
    session = await client.new_session(client.stage.workspace(a__py=lines))
    content = await ask(client, session, link(f"file://{session.cwd}/a.py#L10-12"))
    assert "a.py#L10-12:\n```\nline 10\nline 11\nline 12\n" in content
    assert "line 9\n" not in content
    assert "line 13" not in content


async def test_a_symbol_is_found(client: AcpClient) -> None:
    lines = "main()\n" + "pass\n" * 300 + "def main():\n    return 1\n"
    session = await client.new_session(client.stage.workspace(a__py=lines))
    uri = f"file://{session.cwd}/a.py?symbol=main"
    content = await ask(client, session, link(uri))
    assert "def main():\n    return 1\n" in content
    assert content.count("pass\n") < 10
    assert "lines 300-" in content


async def test_a_folder_is_listed(client: AcpClient) -> None:
    session = await client.new_session(client.stage.workspace(b__txt="", a__txt=""))
    (session.cwd / "sub").mkdir()
    content = await ask(client, session, link(f"file://{session.cwd}/", "project"))
    assert content.endswith("```\na.txt\nb.txt\nsub/\n```")


async def test_a_long_file_is_cut_and_says_so(client: AcpClient) -> None:
    lines = "".join(f"a line of some length, number {number}\n" for number in range(1_900))
    session = await client.new_session(client.stage.workspace(a__py=lines))
    content = await ask(client, session, link(f"file://{session.cwd}/a.py"))
    assert len(content) < 51_000
    assert "the rest can be read with read_file" in content


@pytest.mark.parametrize("answer", [ALLOW, REJECT], ids=["allowed", "rejected"])
async def test_a_file_outside_of_the_workspace_asks(client: AcpClient, answer: Any) -> None:
    outside = client.stage.folder / "outside.txt"
    outside.write_text("from elsewhere\n")
    client.editor.decide = lambda _: answer
    session = await client.new_session()
    content = await ask(client, session, link(f"file://{outside}", "outside.txt"))
    (question,) = client.editor.asked
    assert "outside.txt" in question["toolCall"]["title"]
    assert ("from elsewhere" in content) == (answer is ALLOW)
    if answer is REJECT:
        assert "not read" in content
    assert session.card["status"] == ("completed" if answer is ALLOW else "failed")
    loaded = await client.load_session(session.id, session.cwd)
    assert loaded.joined("user_message_chunk") == f"[@outside.txt]({outside})"


async def test_a_cancel_while_it_asks_ends_the_turn(client: AcpClient) -> None:
    outside = client.stage.folder / "outside.txt"
    outside.write_text("from elsewhere\n")
    client.editor.decide = lambda _: None
    session = await client.new_session()
    turn = session.begin([link(f"file://{outside}")])
    await client.wait_for(lambda: client.editor.asked)
    session.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    assert client.stage.provider.requests == []


async def test_what_is_not_there_or_is_no_text_is_said_in_its_place(client: AcpClient) -> None:
    session = await client.new_session()
    (session.cwd / "b.bin").write_bytes(b"\0\1\2")
    content = await ask(
        client,
        session,
        link(f"file://{session.cwd}/gone.py", "gone.py"),
        link(f"file://{session.cwd}/b.bin", "b.bin"),
        link("https://example.invalid/page", "page"),
    )
    assert "[gone.py: not read: gone.py does not exist." in content
    assert "b.bin is a binary file" in content
    assert "[@page](https://example.invalid/page)" in content
    assert content.count("not read") == 2


async def test_a_linked_file_counts_as_read(client: AcpClient) -> None:
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(
        calls(Call("patch", {"path": "a.py", "edits": [{"old": "1", "new": "2"}]}, id="p-1")),
        say("Done."),
    )
    session = await client.new_session(client.stage.workspace(a__py="x = 1\n"))
    await session.prompt([text("make it two "), link(f"file://{session.cwd}/a.py")])
    assert (session.cwd / "a.py").read_text() == "x = 2\n"


async def test_what_waits_is_read_when_its_turn_begins(client: AcpClient) -> None:
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(
        calls(Call("write_file", {"path": "a.py", "content": "new\n"}, id="w-1")), say("Done.")
    )
    session = await client.new_session(client.stage.workspace(a__py="old\n"))
    first = session.begin("write")
    second = session.begin([link(f"file://{session.cwd}/a.py")])
    client.stage.provider.script(say("I see."))
    await first
    assert (await second)["stopReason"] == "end_turn"
    assert "```\nnew\n```" in sent(client)


async def test_a_replay_shows_what_was_typed_and_the_model_keeps_what_was_read(
    client: AcpClient,
) -> None:
    session = await client.new_session(client.stage.workspace(a__py="x = 1\n"))
    await ask(client, session, text("Explain "), link(f"file://{session.cwd}/a.py"))
    loaded = await client.load_session(session.id, session.cwd)
    assert loaded.joined("user_message_chunk") == "Explain [@a.py](a.py)"
    (row,) = (await client.request("session/list", {}))["sessions"]
    assert row["title"] == "Explain [@a.py](a.py)"
    await ask(client, loaded, text("And now?"))
    assert "x = 1" in client.stage.provider.requests[-1].messages[1]["content"]


async def test_an_image_reaches_a_model_that_may_take_it(client: AcpClient) -> None:
    assert client.initialized["agentCapabilities"]["promptCapabilities"] == {
        "image": True,
        "audio": True,
        "embeddedContext": True,
    }
    session = await client.new_session()
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    content = await ask(client, session, text("What is this?"), image)
    assert content == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    loaded = await client.load_session(session.id, session.cwd)
    assert loaded.joined("user_message_chunk") == "What is this?\n\n[image]"


async def test_a_model_without_eyes_is_told_and_so_is_the_person(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "deepseek",
            "default": "deepseek-chat",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
        }
    )
    async with running(stage) as client:
        session = await client.new_session()
        image = {"type": "image", "data": PNG, "mimeType": "image/png"}
        content = await ask(client, session, text("What is this?"), image)
        assert "takes no images" in session.joined("agent_thought_chunk")
        assert PNG not in json.dumps(content)
        assert "An image was left out here" in json.dumps(content)


async def test_a_sound_reaches_a_model_that_takes_it(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "gemini",
            "default": "gemini-3.5-flash",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
        }
    )
    heard = {"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}}
    async with running(stage) as client:
        session = await client.new_session()
        content = await ask(client, session, text("What is said?"), SOUND)
        assert content == [{"type": "text", "text": "What is said?"}, heard]
        assert not session.joined("agent_thought_chunk")
        await ask(client, session, text("And then?"))
        assert heard in client.stage.provider.requests[-1].messages[1]["content"]
        loaded = await client.load_session(session.id, session.cwd)
        assert loaded.joined("user_message_chunk") == "What is said?\n\n[sound]And then?"


async def test_a_model_that_is_not_known_to_hear_is_told_and_so_is_the_person(
    client: AcpClient,
) -> None:
    session = await client.new_session()
    content = await ask(client, session, text("Listen:"), SOUND)
    assert "A sound was left out here" in json.dumps(content)
    assert WAV not in json.dumps(content)
    assert "set `model.audio: true`" in session.joined("agent_thought_chunk")


async def test_the_user_may_say_that_a_model_hears(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "custom",
            "default": "test-model",
            "base_url": stage.provider.base_url,
            "api_key": KEY,
            "audio": True,
        }
    )
    async with running(stage) as client:
        session = await client.new_session()
        assert WAV in json.dumps(await ask(client, session, text("Listen:"), SOUND))


async def test_a_sound_that_is_none_is_left_out_or_refused(client: AcpClient) -> None:
    session = await client.new_session()
    content = await ask(client, session, text("Listen:"), {**SOUND, "data": PNG})
    assert "A sound (audio/wav) was left out" in content
    assert "models take WAV and MP3" in session.joined("agent_thought_chunk")
    with pytest.raises(AgentError, match=r"prompt\[0\].data: Base64 is needed"):
        await session.prompt([{**SOUND, "data": "no!"}])


async def test_a_prompt_of_twenty_megabytes_is_one_line_like_any_other(client: AcpClient) -> None:
    session = await client.new_session()
    resource = {"uri": "file:///big.txt", "text": "a line of words\n" * 1_300_000}
    content = await ask(client, session, {"type": "resource", "resource": resource})
    assert "the first 100,000 of 20,800,000 characters" in content


async def test_the_trace_of_a_prompt_goes_with_all_that_its_turn_sends(
    client: AcpClient,
) -> None:
    trace = {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01", "tracestate": "x=1"}
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(
        calls(Call("write_file", {"path": "a.py", "content": "new\n"}, id="w-1")),
        say("Done."),
        say("Again."),
    )
    session = await client.new_session()
    params = {
        "sessionId": session.id,
        "prompt": [text("write")],
        "_meta": {**trace, "other": "stays here"},
    }
    begun = len(client.received)
    await client.request("session/prompt", params)
    mine = [m for m in client.received[begun:] if m.get("params", {}).get("sessionId")]
    methods = {message["method"] for message in mine}
    assert {"session/update", "session/request_permission"} <= methods
    assert client.capabilities == FULL
    assert "fs/write_text_file" in methods
    of_turn = [
        m
        for m in mine
        if m["params"].get("update", {}).get("sessionUpdate")
        in ("tool_call", "tool_call_update", "agent_message_chunk")
        or "id" in m
    ]
    assert all(message["params"].get("_meta") == trace for message in of_turn)
    begun = len(client.received)
    await session.prompt("again")
    assert not any("_meta" in m.get("params", {}) for m in client.received[begun:])
