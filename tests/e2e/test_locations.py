"""Cards lead the editor to the file and the line that the agent is at."""

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW
from tests.fakes.provider import Call, calls, say

TEXT = "".join(f"line {number}\n" for number in range(1, 41))


async def test_an_editor_can_follow_to_the_line(client: AcpClient) -> None:
    cwd = client.stage.workspace(notes=TEXT)
    file = str(cwd / "notes")
    edits = [{"old": "line 30\n", "new": "line thirty\n"}]
    client.stage.provider.script(
        calls(Call("read_file", {"path": "notes", "offset": 12, "limit": 3}, id="read")),
        calls(Call("search_files", {"pattern": "line 2[01]$", "path": "notes"}, id="search")),
        calls(Call("patch", {"path": "notes", "edits": edits}, id="edit")),
        calls(Call("write_file", {"path": "new", "content": "x\n"}, id="write")),
        say("Done."),
    )
    client.editor.decide = lambda _: ALLOW
    session = await client.new_session(cwd=cwd)
    assert await session.prompt("go") == "end_turn"
    shown = {name: card["locations"] for name, card in session.cards.items()}
    assert shown["read"] == [{"path": file, "line": 12}]
    assert shown["search"] == [{"path": file, "line": 20}, {"path": file, "line": 21}]
    assert shown["edit"] == [{"path": file, "line": 30}]
    assert shown["write"] == [{"path": str(cwd / "new"), "line": 1}]
