"""What tool calls, questions and plans look like."""

from pathlib import Path
from typing import Any

import pytest

from acp_server.cli import cards
from acp_server.cli.cards import Card

ROOT = Path("/repo")
DIFF = {"type": "diff", "path": "/repo/src/a.py", "oldText": "x = 1\ny = 2\n", "newText": "x = 1\n"}


def text(words: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": words}}


@pytest.mark.parametrize(
    ("card", "line"),
    [
        (Card("Read a.py", "read", "completed"), "◇ Read a.py  ✓"),
        (Card("make test", "execute", "failed"), "$ make test  ✗ failed"),
        (Card("Something", "novel", "in_progress"), "• Something"),
        (Card("a\nb\x1b[2J", "edit"), "✎ a\\nb\\x1b[2J"),
    ],
)
def test_heading(card: Card, line: str) -> None:
    assert cards.heading(card).plain == line


def test_an_edit_shows_its_diff() -> None:
    card = Card("Edit src/a.py", "edit", "completed", [DIFF])
    (shown,) = cards.body(card, ROOT)
    assert shown.plain == "  src/a.py +0 -1\n  1   x = 1\n  2 - y = 2"
    assert "red" in {str(span.style) for span in shown.spans}


def test_what_stood_in_the_question_is_not_shown_again() -> None:
    card = Card("Edit src/a.py", "edit", "completed", [DIFF, text("note")], shown=[dict(DIFF)])
    assert [block.plain for block in cards.body(card, ROOT)] == ["  note"]


@pytest.mark.parametrize("kind", ["read", "search"])
def test_what_was_read_is_shown_only_when_it_failed(kind: str) -> None:
    assert cards.body(Card("t", kind, "completed", [text("x")]), ROOT) == []
    assert [b.plain for b in cards.body(Card("t", kind, "failed", [text("x")]), ROOT)] == ["  x"]


def test_a_failure_without_content_shows_its_output() -> None:
    card = Card("t", "other", "failed", output="it broke")
    assert [block.plain for block in cards.body(card, ROOT)] == ["  it broke"]


def test_output_shows_its_end() -> None:
    shown = cards.output("".join(f"{n}\n" for n in range(20)), limit=3)
    assert shown.plain == "  … 17 lines above\n  17\n  18\n  19"


def test_output_is_freed_of_its_fence_and_of_the_command() -> None:
    card = Card("make x", "execute", "completed", [text("```console\n$ make x\nok\n```")])
    assert [block.plain for block in cards.body(card, ROOT)] == ["  ok"]
    assert cards.question(card, ROOT).plain == "$ make x\n  ok"


def test_output_is_bounded_in_width() -> None:
    assert cards.output("z" * 1000).plain == f"  {'z' * 400}…"


def test_output_cannot_reach_the_terminal() -> None:
    assert cards.output("a\x1b]52;c;x\x07b").plain == "  a\\x1b]52;c;x\\x07b"


def test_a_diff_on_a_card_is_bounded_and_in_a_question_whole() -> None:
    new = "".join(f"line {n}\n" for n in range(100))
    part = {"type": "diff", "path": "/elsewhere/b", "newText": new}
    (bounded,) = cards.body(Card("t", "edit", "completed", [part]), ROOT)
    assert bounded.plain.startswith("  /elsewhere/b (new) +100 -0\n")
    assert bounded.plain.endswith("\n  … 60 more lines")
    whole = cards.question(Card("t", "edit", "pending", [part]), ROOT).plain
    assert "line 99" in whole
    assert "more line" not in whole


def test_a_question_shows_title_and_whole_content_once() -> None:
    long = "\n".join(f"step {n}" for n in range(50))
    card = Card("make test", "execute", "pending", [text("$ make test"), text(long)])
    shown = cards.question(card, ROOT).plain.split("\n")
    assert shown[0] == "$ make test"
    assert shown[1:] == [f"  step {n}" for n in range(50)]


def test_a_running_command_shows_its_last_words() -> None:
    card = Card("make", "execute", "in_progress", [text("".join(f"{n}\n" for n in range(9)))])
    shown = cards.running(card).plain
    assert shown == "$ make\n  … 4 lines above\n  4\n  5\n  6\n  7\n  8"


def test_the_plan_is_a_checklist() -> None:
    entries = [
        {"content": "Read", "status": "completed"},
        {"content": "Fix\x1b", "status": "in_progress"},
        {"content": "Test", "status": "pending"},
    ]
    assert cards.checklist(entries).plain == "✓ Read\n▸ Fix\\x1b\n○ Test"


@pytest.mark.parametrize(
    ("used", "size", "line"),
    [
        (1234, 128_000, "1.2k of 128k tokens · 2.5 s"),
        (900, 4000, "900 of 4k tokens · 2.5 s"),
        (None, None, "2.5 s"),
        (5, 0, "2.5 s"),
    ],
)
def test_closing_line(used: int | None, size: int | None, line: str) -> None:
    assert cards.closing(used, size, 2.5).plain == line


def test_an_update_changes_only_what_it_names() -> None:
    card = Card("old", "edit", "pending", [DIFF])
    card.merge({"status": "completed", "title": None, "content": None, "rawOutput": "done"})
    assert (card.title, card.status, card.content, card.output) == (
        "old", "completed", [DIFF], "done",
    )  # fmt: skip


def test_other_content_blocks_say_what_they_are() -> None:
    assert cards.text_of({"type": "resource_link", "uri": "file:///a"}) == "file:///a"
    assert cards.text_of({"type": "image", "data": "…"}) == "[image]"
    assert cards.text_of(None) == ""


def test_a_card_of_children_shows_how_they_are() -> None:
    parts = [
        {"type": "content", "content": {"type": "text", "text": f"**{name}**: step 2"}}
        for name in ("1. Look", "2. Count")
    ]
    card = Card("Delegate 2 tasks", "other", "in_progress", content=parts)
    assert cards.running(card).plain.splitlines() == [
        "• Delegate 2 tasks",
        "  **1. Look**: step 2",
        "  **2. Count**: step 2",
    ]
    card.status = "completed"
    shown = [block.plain.strip() for block in cards.body(card, Path("/"))]
    assert shown == ["**1. Look**: step 2", "**2. Count**: step 2"]


def test_a_change_that_is_being_made_shows_no_lines_of_it() -> None:
    diff = {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"}
    note = {"type": "content", "content": {"type": "text", "text": "why"}}
    card = Card("Edit a", "edit", "in_progress", content=[note, diff])
    assert cards.running(card).plain == "✎ Edit a"
