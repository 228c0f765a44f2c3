"""Output in terminals of the client's: each is sent what is new, and in the end shows all."""

import re
from dataclasses import replace
from typing import Any

import pytest

from acp_server.mapping import to_updates
from acp_server.terminals import Screens
from hermes_core.ground.content import Console, Text
from hermes_core.ground.events import ToolCallFinished, ToolCallProgress, ToolCallStarted

CONSOLE = Console("ls", cwd="/w")
IN_TERMINAL = {"type": "terminal", "terminalId": "c"}


def update(event: ToolCallStarted | ToolCallProgress | ToolCallFinished) -> dict[str, Any]:
    (shown,) = to_updates(event, terminals=True)
    return shown


def output(text: str, **ending: Any) -> dict[str, Any]:
    content = (Console("ls", text, "/w", **ending),)
    if ending:
        return update(ToolCallFinished("c", "terminal", "completed", text, content))
    return update(ToolCallProgress("c", content))


def test_a_card_has_a_terminal_from_its_beginning_to_its_end() -> None:
    begun = update(ToolCallStarted("c", "terminal", "ls", "execute", {}, (CONSOLE,)))
    assert begun["content"] == [IN_TERMINAL]
    assert begun["_meta"] == {"terminal_info": {"terminal_id": "c", "cwd": "/w"}}
    more = output("a\n")
    assert more["content"] == [IN_TERMINAL]
    assert more["_meta"] == {"terminal_output": {"terminal_id": "c", "data": "a\n"}}
    over = output("a\nb\n", exit_code=2)
    assert over["status"] == "completed"
    assert over["rawOutput"] == "a\nb\n"
    assert over["_meta"]["terminal_exit"] == {"terminal_id": "c", "exit_code": 2}


def test_what_a_signal_ended_has_no_code() -> None:
    assert output("", signal="TERM")["_meta"] == {
        "terminal_exit": {"terminal_id": "c", "signal": "TERM"}
    }


def test_what_else_a_card_shows_stays_beside_it() -> None:
    parts = (Text("code"), Console("", cwd="/w"))
    begun = update(ToolCallStarted("c", "execute_code", "ls", "execute", {}, parts))
    assert [part["type"] for part in begun["content"]] == ["content", "terminal"]


def test_other_clients_get_content_that_grows() -> None:
    (begun,) = to_updates(ToolCallStarted("c", "terminal", "ls", "execute", {}, (CONSOLE,)))
    assert "_meta" not in begun
    assert begun["content"][0]["content"]["text"] == "```console\n$ ls\n```"
    (more,) = to_updates(ToolCallProgress("c", (Console("ls", "a\n", "/w"),)))
    assert more["content"][0]["content"]["text"] == "```console\n$ ls\na\n```"


def sent(*texts: str) -> list[str | None]:
    screens = Screens()
    last = len(texts) - 1
    found = []
    for place, text in enumerate(texts):
        told = output(text, exit_code=0) if place == last else output(text)
        meta = screens.anew("s", told).get("_meta", {})
        found.append(meta.get("terminal_output", {}).get("data"))
    return found


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a\n", "a\nb", "a\nbc\n"], ["a\n", "b", "c\n"]),
        (["a\n", "a\n"], ["a\n", None]),
        (["1%", "50%", "50%\nend"], ["1%", "\r\x1b[K50%", "\nend"]),
        (["a\nb\nc\n", "a\n...\nd\n", "a\n...\ne\n"], ["a\nb\nc\n", None, "CLEARa\n...\ne\n"]),
    ],
)
def test_what_is_new_alone_is_sent(texts: list[str], expected: list[str | None]) -> None:
    anew = "\x1b[2J\x1b[3J\x1b[H"
    told = [text.replace(anew, "CLEAR") if text else text for text in sent(*texts)]
    assert told == expected


def test_terminals_of_other_cards_and_sessions_are_others() -> None:
    screens = Screens()
    for session_id in ("one", "two"):
        assert screens.anew(session_id, output("a"))["_meta"]["terminal_output"]["data"] == "a"


def test_in_the_end_a_terminal_shows_all_that_is_kept() -> None:
    lines = "".join(f"line {number}\n" for number in range(30))
    texts = [lines[:end] for end in range(0, 200, 7)]
    texts += [f"{lines[:100]}[...]\n{lines[end - 60 : end]}" for end in range(200, len(lines), 9)]
    shown = "".join(filter(None, sent(*texts)))
    assert re.split(r"\x1b\[H", shown)[-1] == texts[-1]


def test_a_terminal_ends_with_its_card_however_that_ends() -> None:
    screens = Screens()
    begun = update(ToolCallStarted("c", "terminal", "ls", "execute", {}, (CONSOLE,)))
    failed = update(ToolCallFinished("c", "terminal", "failed", "No start.", (Text("No start."),)))
    assert "_meta" not in screens.anew("s", failed)
    screens.anew("s", begun)
    assert "_meta" not in screens.anew("other", failed)
    assert screens.anew("s", failed)["_meta"] == {"terminal_exit": {"terminal_id": "c"}}
    assert "_meta" not in screens.anew("s", failed)


def test_how_a_command_ended_is_told_as_it_is() -> None:
    screens = Screens()
    screens.anew("s", update(ToolCallStarted("c", "terminal", "ls", "execute", {}, (CONSOLE,))))
    over = screens.anew("s", output("a\n", exit_code=2))
    assert over["_meta"]["terminal_exit"] == {"terminal_id": "c", "exit_code": 2}
    assert over["_meta"]["terminal_output"]["data"] == "a\n"


OWN = Console("ls", cwd="/w", terminal="t-1")
IN_OWN = {"type": "terminal", "terminalId": "t-1"}


@pytest.mark.parametrize("announced", [False, True])
def test_a_command_in_a_terminal_of_the_clients_own_has_that_on_its_card(announced: bool) -> None:
    (more,) = to_updates(ToolCallProgress("c", (Text("code"), OWN)), terminals=announced)
    assert [part["type"] for part in more["content"]] == ["content", "content", "terminal"]
    assert more["content"][1]["content"]["text"] == "```console\n$ ls\n```"
    assert more["content"][-1] == IN_OWN
    assert "_meta" not in more
    over = ToolCallFinished("c", "terminal", "completed", "a\n", (replace(OWN, output="a\n"),))
    (ended,) = to_updates(over, terminals=announced)
    assert "content" not in ended  # which leaves the card as it is
    assert ended["rawOutput"] == "a\n"


def test_a_card_that_shows_its_command_otherwise_shows_it_once() -> None:
    (more,) = to_updates(ToolCallProgress("c", (Text("code"), replace(OWN, command=""))))
    assert [part["type"] for part in more["content"]] == ["content", "terminal"]


@pytest.mark.parametrize("announced", [False, True])
def test_a_terminal_that_is_gone_is_not_named_in_a_replay(announced: bool) -> None:
    over = ToolCallFinished("c", "terminal", "completed", "a", (replace(OWN, output="a"),))
    (ended,) = to_updates(over, terminals=announced, replaying=True)
    assert IN_OWN not in ended["content"]
    assert ("a" in ended["content"][0].get("content", {}).get("text", "")) is not announced
