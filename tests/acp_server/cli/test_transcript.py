"""A session as it is told on plain paper."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_server.cli.paper import PlainPaper
from acp_server.cli.transcript import Transcript

Told = Callable[..., str]


def chunk(text: str, kind: str = "agent_message_chunk", **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}, **more}


def call(call_id: str, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": call_id, **fields}


def later(call_id: str, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **fields}


def plan(*statuses: str) -> dict[str, Any]:
    names = ("Read", "Fix", "Test")
    entries = [{"content": n, "status": s} for n, s in zip(names, statuses, strict=True)]
    return {"sessionUpdate": "plan", "entries": entries}


def test_a_whole_turn(told: Told) -> None:
    shown = told(
        chunk("Let me\nlook.", "agent_thought_chunk"),
        plan("in_progress", "pending", "pending"),
        call("1", title="Read a.py", kind="read", status="pending"),
        later("1", status="in_progress"),
        later("1", status="completed"),
        call("2", title="make test", kind="execute"),
        later(
            "2",
            status="completed",
            content=[{"type": "content", "content": {"type": "text", "text": "ok\n"}}],
        ),
        plan("completed", "in_progress", "pending"),
        chunk("It "),
        chunk("works."),
        {"sessionUpdate": "usage_update", "used": 2000, "size": 10_000},
        end="end_turn",
    )
    assert shown == (
        "┊ Let me\n┊ look.\n"
        "\n▸ Read\n○ Fix\n○ Test\n"
        "\n◇ Read a.py  ✓\n"
        "\n$ make test  ✓\n  ok\n"
        "\n✓ Read\n▸ Fix\n"
        "\nIt works.\n"
        "\n2k of 10k tokens · 1.2 s\n"
    )


def test_cards_without_a_body_stand_together(told: Told) -> None:
    shown = told(
        call("1", title="Read a", kind="read", status="completed"),
        call("2", title="Read b", kind="read", status="completed"),
    )
    assert shown == "◇ Read a  ✓\n◇ Read b  ✓\n"


def test_a_cancelled_turn_shows_what_did_not_finish(told: Told) -> None:
    shown = told(call("1", title="make", kind="execute"), end="cancelled")
    assert shown == "$ make  not finished\n\nStopped.\n\n1.2 s\n"


def test_an_unknown_ending_is_named_and_made_harmless(told: Told) -> None:
    assert "The turn ended: odd\\x1b.\n" in told(end="odd\x1b")


def test_late_updates_of_an_ended_call_change_nothing(told: Told) -> None:
    shown = told(
        call("1", title="Read a", kind="read", status="completed"), later("1", status="completed")
    )
    assert shown == "◇ Read a  ✓\n"


def test_messages_of_different_ids_are_parted(told: Told) -> None:
    assert told(chunk("one", messageId="1"), chunk("two", messageId="2")) == "one\n\ntwo\n"


def test_replay_marks_what_the_user_said(told: Told) -> None:
    assert told(chunk("hi\nthere", "user_message_chunk"), chunk("Yes.")) == (
        "› hi\n› there\n\nYes.\n"
    )


def test_notices_are_shown(told: Told) -> None:
    notice = {"sessionUpdate": "notice", "severity": "warning", "title": "Retrying in 2 s\x1b"}
    assert told(notice) == "Retrying in 2 s\\x1b\n"


def test_unknown_and_malformed_updates_are_passed_over(told: Told) -> None:
    assert told({"sessionUpdate": "novel"}, {}, {"sessionUpdate": "plan"}, chunk("x")) == "x\n"


def test_an_unchanged_plan_is_not_repeated(told: Told) -> None:
    pending = ("in_progress", "pending", "pending")
    assert told(plan(*pending), plan(*pending)).count("Read") == 1


@pytest.mark.parametrize(
    ("words", "status", "after"),
    [("allowed once", "completed", "\n$ make  ✓\n"), ("rejected", "failed", "")],
)
def test_a_question_its_answer_and_what_came_of_it(words: str, status: str, after: str) -> None:
    written: list[str] = []
    transcript = Transcript(PlainPaper(written.append), Path("/repo"))
    params = {"toolCall": {"toolCallId": "1", "title": "make", "kind": "execute"}}
    transcript.update(call("1", title="make", kind="execute"))
    transcript.question(params)
    transcript.answered(params, words, allowed=status == "completed")
    transcript.update(later("1", status=status, rawOutput="$ make\nThe user said no."))
    assert "".join(written) == f"$ make\n  → {words}\n{after}"


@pytest.mark.parametrize("answered", [True, False])
def test_what_a_question_waited_is_no_time_of_the_turn(
    answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    times = iter((100.0, 130.0))
    monkeypatch.setattr("acp_server.cli.transcript.time.monotonic", lambda: next(times))
    transcript = Transcript(PlainPaper(written.append), Path("/repo"))
    params = {"toolCall": {"toolCallId": "1", "title": "make", "kind": "execute"}}
    transcript.question(params)
    if answered:
        transcript.answered(params, "allowed once", allowed=True)
    transcript.end_turn("end_turn", 31.5)
    transcript.end_turn("end_turn", 4.0)
    assert "".join(written).endswith("\n1.5 s\n\n4.0 s\n")


def test_a_context_over_the_window_is_warned_of(told: Told) -> None:
    def usage(used: int) -> dict[str, object]:
        return {"sessionUpdate": "usage_update", "used": used, "size": 128_000}

    assert "larger than the model's context window" in told(usage(128_300), end="end_turn")
    assert "context window" not in told(usage(128_000), end="end_turn")


def test_what_the_plan_tells_has_no_card(told: Told) -> None:
    assert told(call("1", title="Plan: 3 steps", kind="think", status="completed")) == ""
    assert "✗ failed" in told(call("1", title="Plan", kind="think", status="failed"))


def test_escapes_in_an_answer_do_not_reach_the_terminal(told: Told) -> None:
    assert told(chunk("a\x1b[2Jb")) == "a\\x1b[2Jb\n"
