"""Files through the editor: unsaved buffers are seen, edits arrive as edits, bytes survive."""

from pathlib import Path

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW
from tests.fakes.provider import Call, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


def read(path: str, call_id: str) -> Call:
    return Call("read_file", {"path": path}, id=call_id)


def patch(path: str, old: str, new: str, call_id: str) -> Call:
    return Call("patch", {"path": path, "edits": [{"old": old, "new": new}]}, id=call_id)


async def test_an_unsaved_buffer_is_what_the_model_reads(agent: AcpClient) -> None:
    agent.stage.provider.script(calls(read("a.txt", "buffer-1")), say("Read."))
    session = await agent.new_session(agent.stage.workspace(a__txt="saved\n"))
    agent.editor.buffers[str(session.cwd / "a.txt")] = "unsaved\n"
    await session.prompt("read it")
    assert "unsaved" in agent.stage.provider.requests[-1].tool_results[0]


async def test_an_edit_of_an_unsaved_buffer_goes_through_the_editor(agent: AcpClient) -> None:
    agent.editor.decide = lambda _: ALLOW
    agent.stage.provider.script(
        calls(read("a.txt", "edit-1")),
        calls(patch("a.txt", "unsaved", "edited", "edit-2")),
        say("Edited."),
    )
    session = await agent.new_session(agent.stage.workspace(a__txt="saved\n"))
    path = str(session.cwd / "a.txt")
    agent.editor.buffers[path] = "unsaved\n"
    await session.prompt("edit it")
    assert agent.editor.writes == [path]
    assert agent.editor.buffers[path] == "edited\n"
    (diff,) = [p for p in session.cards["edit-2"]["content"] if p["type"] == "diff"]
    assert (diff["oldText"], diff["newText"]) == ("unsaved\n", "edited\n")


async def test_after_a_command_changed_a_file_a_stale_buffer_is_not_believed(
    agent: AcpClient,
) -> None:
    agent.editor.decide = lambda _: ALLOW
    agent.stage.provider.script(
        calls(read("a.txt", "stale-1")),
        calls(Call("terminal", {"command": "echo from the command > a.txt"}, id="stale-2")),
        calls(read("a.txt", "stale-3")),
        say("Read."),
    )
    session = await agent.new_session(agent.stage.workspace(a__txt="old\n"))
    agent.editor.buffers[str(session.cwd / "a.txt")] = "old\n"
    await session.prompt("go")
    results = agent.stage.provider.requests[-1].tool_results
    assert "old" in results[0]
    assert "from the command" in results[2]


async def test_a_new_file_in_a_new_folder(agent: AcpClient) -> None:
    agent.editor.decide = lambda _: ALLOW
    agent.stage.provider.script(
        calls(Call("write_file", {"path": "a/b/c.txt", "content": "deep\n"}, id="deep-1")),
        say("Written."),
    )
    session = await agent.new_session()
    await session.prompt("write it")
    assert (session.cwd / "a/b/c.txt").read_text(encoding="utf-8") == "deep\n"
    assert session.card["status"] == "completed"


async def test_windows_line_ends_and_a_missing_final_newline_survive(agent: AcpClient) -> None:
    agent.editor.decide = lambda _: ALLOW
    agent.stage.provider.script(
        calls(read("a.txt", "crlf-1")),
        calls(patch("a.txt", "two", "TWO", "crlf-2")),
        say("Edited."),
    )
    folder = agent.stage.workspace()
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    session = await agent.new_session(folder)
    await session.prompt("edit it")
    assert (folder / "a.txt").read_bytes() == b"\xef\xbb\xbfone\r\nTWO\r\nthree"


async def test_an_edit_of_a_file_that_changed_since_it_was_read_is_refused(
    agent: AcpClient,
) -> None:
    path = Path()

    def decide(_: object) -> object:
        path.write_text("someone else was here\n", encoding="utf-8")
        return ALLOW

    agent.editor.decide = decide
    agent.stage.provider.script(
        calls(read("a.txt", "race-1")),
        calls(patch("a.txt", "one", "ONE", "race-2")),
        say("It changed."),
    )
    session = await agent.new_session(agent.stage.workspace(a__txt="one\n"))
    path = session.cwd / "a.txt"
    await session.prompt("edit it")
    assert session.cards["race-2"]["status"] == "failed"
    assert path.read_text(encoding="utf-8") == "someone else was here\n"


async def test_an_editor_without_file_methods_is_served_by_the_disk(bare: AcpClient) -> None:
    bare.editor.decide = lambda _: ALLOW
    bare.stage.provider.script(
        calls(read("a.txt", "disk-1")),
        calls(patch("a.txt", "one", "two", "disk-2")),
        say("Edited."),
    )
    session = await bare.new_session(bare.stage.workspace(a__txt="one\n"))
    await session.prompt("edit it")
    assert (session.cwd / "a.txt").read_text(encoding="utf-8") == "two\n"
    assert (bare.editor.reads, bare.editor.writes) == ([], [])
