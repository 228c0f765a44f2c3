"""``sessions``, ``resume``, ``title`` and ``usage``: what they answer."""

import json
from pathlib import Path

import pytest

from hermes_core import AIAgent
from hermes_core.commands import sessions
from hermes_core.commands.seat import Seat, answer
from hermes_core.commands.table import COMMANDS
from hermes_core.commands.usage import usage_text
from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import user_message
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.sessions.store import FILE_NAME, SessionRow, Store
from hermes_core.sessions.usage import Used


class Room:
    """A session in a folder, and a store with others."""

    def __init__(self, folder: Path) -> None:
        self.cwd = folder / "work"
        self.cwd.mkdir()
        self.config = Config(home=folder / "home")
        self.store = Store(self.config.home / FILE_NAME)
        self.shown = 0
        for number, title in enumerate(("Fix the parser", "検索を直す", "")):
            row = SessionRow(f"{number}{number}{number}{number}-id", str(self.cwd), title=title)
            self.store.create_session(row)
            self.store.append_message(row.id, user_message(f"message {number}"))
        self.agent = AIAgent(cwd=self.cwd, config=self.config, store=self.store, mode="default")

    def run(self, text: str) -> str:
        name, _, argument = text.partition(" ")
        seat = Seat(
            agent=self.agent,
            cwd=str(self.cwd),
            mode="default",
            set_mode=lambda _: None,
            model=str,
            tools=list,
            runtime=lambda: self.agent.runtime,
            choose=lambda *_: self.agent.runtime,
            config=lambda: self.config,
            configure=lambda _: None,
            interrupt=Interrupt(),
            show_history=self._show,
        )
        reply = answer(COMMANDS[name.removeprefix("/")], seat, argument.strip())
        assert isinstance(reply, str)
        return reply

    def _show(self) -> None:
        self.shown += 1


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_the_folder_s_sessions_are_listed_the_newest_first(room: Room) -> None:
    lines = room.run("/sessions").splitlines()
    assert [line.partition(" · ")[0] for line in lines[:3]] == [
        "- `2222-id` without a title",
        "- `1111-id` 検索を直す",
        "- `0000-id` Fix the parser",
    ]


@pytest.mark.parametrize(
    ("query", "found"), [("parser", "0000-id"), ("検索", "1111-id"), ("message 2", "2222-id")]
)
def test_titles_and_messages_are_searched(room: Room, query: str, found: str) -> None:
    (line,) = room.run(f"/sessions {query}").splitlines()
    assert line.startswith(f"- `{found}`")
    assert "No session holds all of 'zzz'" in room.run("/sessions zzz")


def test_a_title_is_shown_and_changed(room: Room) -> None:
    assert room.run("/title") == "This session has no title yet."
    assert room.run("/title  New\ttitle") == "This session is called “New title” now."
    assert room.run("/title") == "This session is called “New title”."
    assert "can be seen" in room.run("/title \u200b")


def test_a_session_is_resumed_and_shown(room: Room) -> None:
    said = room.run("/resume parser")
    assert said.startswith("This session goes on as a copy of `0000-id` “Fix the parser”")
    assert room.shown == 1
    assert "has begun already" in room.run("/resume 1111")


@pytest.mark.parametrize(
    ("wanted", "told"), [("zzz", "There is no session 'zzz'"), ("id", "There is no session 'id'")]
)
def test_what_cannot_be_resumed_is_told(room: Room, wanted: str, told: str) -> None:
    assert told in room.run(f"/resume {wanted}")
    assert room.shown == 0


def test_without_a_name_the_last_session_is_resumed(room: Room) -> None:
    assert "`2222-id`" in room.run("/resume")


def test_usage_is_told_of_session_turn_and_model(room: Room) -> None:
    assert room.run("/usage") == "Nothing was used in this session yet."
    ledger = room.agent.records.ledger
    ledger.add(Used("openrouter", "m", Usage(1_000, 20), 1, 0.25))
    ledger.begin_turn()
    ledger.add(Used("openrouter", "m", Usage(500, 10, 400), 2, 0.5))
    assert room.run("/usage").splitlines() == [
        "This session: 1,500 tokens read (400 from a cache), 30 written, 3 calls, $0.7500.",
        "The last turn: 500 tokens read (400 from a cache), 10 written, 2 calls, $0.5000.",
        "",
        "- `m` of openrouter: 1,500 tokens read (400 from a cache), 30 written, 3 calls, $0.7500",
    ]
    told = usage_text([Used("p", "n", Usage(1, 1), 3, 0.5, 2, "title_generation")])
    assert "- `n` of p, title generation: " in told
    assert "$0.5000 and 2 without a known price" in told


def test_an_import_is_mended_and_said(room: Room) -> None:
    whole = json.loads(sessions.export_text(room.store, "0000-id", "json"))
    rows = whole["sessions"][0]["messages"]
    rows += [rows[0], {"message": {"role": "tool", "tool_call_id": "x", "content": "orphan"}}]
    said = sessions.import_text(room.store, json.dumps(whole).encode(), room.cwd)
    assert "“Fix the parser”" in said
    assert "- merged two user messages" in said
    assert "- dropped an answer to the unknown or answered tool call 'x'" in said
    assert "- closed a turn that had no end" in said
    newest = room.store.sessions(limit=1)[0]
    assert [m["role"] for m in room.store.messages(newest.id)] == ["user", "assistant"]
    with pytest.raises(HermesError, match="is not a folder"):
        sessions.import_text(room.store, b"{}", room.cwd / "missing")


def test_formats(room: Room) -> None:
    assert sessions.export_text(room.store, "0000-id", "markdown").startswith("# Fix the parser\n")
    with pytest.raises(HermesError, match="There is no format 'pdf'"):
        sessions.export_text(room.store, "0000-id", "pdf")


def test_a_file_is_written_once_and_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    sessions.write_new(path, "one \ud800")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(HermesError, match="is there already"):
        sessions.write_new(path, "two")
    sessions.write_new(path, "two", replace=True)
    assert path.read_text() == "two"
    with pytest.raises(HermesError, match="cannot be written: no such file"):
        sessions.write_new(tmp_path / "no" / "x", "")


def test_deleting_by_id_alone(room: Room) -> None:
    room.store.create_session(SessionRow("1111-other", "/w"))
    room.store.append_message("1111-other", user_message("x"))
    assert "There is no session 'parser'; nothing" in sessions.delete_text(room.store, "parser")
    with pytest.raises(HermesError, match="2 sessions begin with '1111'"):
        sessions.delete_text(room.store, "1111")
    assert sessions.delete_text(room.store, "0000") == "Deleted `0000-id` Fix the parser."
    assert "nothing was deleted" in sessions.delete_text(room.store, "0000")
