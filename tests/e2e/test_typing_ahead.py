"""`hermes chat` on a terminal while a turn runs: what is typed is sent, and waits or acts."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.acp_server.cli.terminal import Terminal
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, Reply, Text, Wait, say
from tests.fakes.replies import Step

PASTE, PASTED = "\x1b[200~", "\x1b[201~"
CHAT = """
import sys
from acp_server.cli import keyboard, main
keyboard.PAUSE = 0.0
sys.exit(main.main(["chat", *sys.argv[1:]]))
"""
"""Keys answer a question as soon as it is there, whatever was typed just before."""


@contextmanager
def chatting(stage: Stage, *arguments: str, cwd: Path | None = None) -> Iterator[Terminal]:
    argv = [sys.executable, "-c", CHAT, *arguments]
    with Terminal(argv, cwd or stage.workspace(), stage.environ) as terminal:
        if not arguments:
            terminal.expect("/quit leaves")
            terminal.expect("›")
        yield terminal


def held(stage: Stage, *more: Step) -> threading.Event:
    """Script an answer that begins, and goes on with ``more`` when the returned event is set."""
    gate = threading.Event()
    stage.provider.script(Reply([Text("It begins."), Wait(gate), *more]))
    return gate


def said(stage: Stage) -> list[Any]:
    """Return the user's messages of the last request."""
    messages = stage.provider.requests[-1].messages
    return [message["content"] for message in messages if message["role"] == "user"]


def leave(terminal: Terminal) -> None:
    terminal.expect("›")
    terminal.send("\x04")
    assert terminal.exit_code() == 0
    assert terminal.raw.rfind(b"\x1b[?25l") < terminal.raw.rfind(b"\x1b[?25h")
    assert terminal.raw.rfind(b"\x1b[?2004h") < terminal.raw.rfind(b"\x1b[?2004l")


def test_a_message_waits_and_runs_when_the_turn_has_ended(stage: Stage) -> None:
    gate = held(stage, Text(" It ends."))
    stage.provider.script(say("The second answer."))
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.expect("Ctrl-C stops · type on")
        terminal.send("nxt")
        terminal.expect("› nxt")
        terminal.send("\x1b[D\x1b[De")
        terminal.expect("› next")
        terminal.send("\x1b[F one\r")
        terminal.expect("Queued as number 1")
        terminal.expect("… next one")
        gate.set()
        terminal.expect("It ends.")
        terminal.expect(" tokens · ")
        terminal.expect("› next one")
        terminal.expect("The second answer.")
        leave(terminal)
    assert said(stage) == ["first", "next one"]
    assert "+next one\n" in (stage.home / "history").read_text()


def test_what_steers_reaches_the_turn_that_runs(stage: Stage) -> None:
    gate = held(stage, Call("read_file", {"path": "a.txt"}))
    stage.provider.script(say("Left then."))
    with chatting(stage, cwd=stage.workspace(a__txt="content of a")) as terminal:
        terminal.send("go\r")
        terminal.expect("It begins.")
        terminal.send("/steer turn left\r")
        terminal.expect("› /steer turn left")
        terminal.expect("the model is told with its next step")
        gate.set()
        terminal.expect("Left then.")
        leave(terminal)
    assert said(stage) == ["go"]
    assert "turn left" in stage.provider.requests[-1].messages[-1]["content"]


def test_stop_and_queue_act_at_once(stage: Stage) -> None:
    held(stage)
    stage.provider.script(say("The second answer."))
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.send("second\r")
        terminal.expect("Queued as number 1")
        terminal.send("third\r")
        terminal.expect("Queued as number 2")
        terminal.send("/queue drop 2\r")
        terminal.expect("Forgotten: “third”.")
        terminal.send("/stop\r")
        terminal.expect("Stopped.")
        terminal.expect("› second")
        terminal.expect("The second answer.")
        leave(terminal)
        assert "Not sent: third" in terminal.words
    assert said(stage)[-1] == "second"


def test_a_question_takes_the_keyboard_and_gives_it_back(stage: Stage) -> None:
    gate = held(stage, Call("write_file", {"path": "a.txt", "content": "x"}))
    going_on = threading.Event()
    stage.provider.script(
        Reply([Text("Written."), Wait(going_on), Text(" Done.")]), say("The second answer.")
    )
    folder = stage.workspace()
    with chatting(stage, cwd=folder) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.send("half")
        terminal.expect("› half")
        gate.set()
        terminal.expect("n  Reject  (Enter)")
        terminal.expect("› half")
        terminal.send("y")
        terminal.expect("allowed once")
        terminal.expect("Written.")
        terminal.expect("› half")
        terminal.send(" a line\r")
        terminal.expect("Queued as number 1")
        going_on.set()
        terminal.expect("› half a line")
        terminal.expect("The second answer.")
        leave(terminal)
    assert (folder / "a.txt").read_text() == "x"
    assert said(stage)[-1] == "half a line"


def test_a_paste_of_several_lines_is_one_message(stage: Stage) -> None:
    gate = held(stage)
    stage.provider.script(say("The second answer."))
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.send(f"{PASTE}one\rtwo\rthree{PASTED}")
        terminal.expect("› one\n  two\n  three")
        terminal.send("\r")
        terminal.expect("Queued as number 1")
        gate.set()
        terminal.expect("› one\n› two\n› three")
        terminal.expect("The second answer.")
        leave(terminal)
    assert said(stage)[-1] == "one\ntwo\nthree"


def test_narrow_terminals_and_wide_letters(stage: Stage) -> None:
    gate = held(stage)
    stage.provider.script(say("Second."))
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.resize(12, 10)
        terminal.send("日本語のテキスト")
        terminal.expect("› 日本語のテ\n  キスト")
        terminal.resize(8, 10)
        terminal.send("!")
        terminal.expect("› 日本語\n  のテキ\n  スト!")
        terminal.resize(100, 40)
        terminal.send("\x7f?")
        terminal.expect("› 日本語のテキスト?")
        terminal.send("\r")
        terminal.expect("Queued as number 1")
        gate.set()
        terminal.expect("Second.")
        leave(terminal)
    assert said(stage)[-1] == "日本語のテキスト?"


def test_ctrl_c_forgets_what_waits_and_keeps_what_is_typed(stage: Stage) -> None:
    held(stage)
    stage.provider.script(say("Another answer."))
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.send("second\r")
        terminal.expect("Queued as number 1")
        terminal.send("third")
        terminal.expect("› third")
        terminal.send("\x03")
        terminal.expect("Stopping.")
        terminal.expect("Not sent: second")
        terminal.expect("› third")
        terminal.send("\r")
        terminal.expect("Another answer.")
        leave(terminal)
    assert said(stage)[-1] == "third"


def test_what_is_the_terminals_own_waits_in_its_place(stage: Stage) -> None:
    gate = held(stage)
    with chatting(stage) as terminal:
        terminal.send("first\r")
        terminal.expect("It begins.")
        terminal.send("/quit\r")
        terminal.expect("/quit is for when nothing runs.")
        gate.set()
        terminal.expect_raw(b"\x1b[?2004h", 3)  # a prompt, the turn, a prompt
        terminal.expect("› /quit")
        terminal.send("\r")
        assert terminal.exit_code() == 0


def test_one_prompt_of_the_command_line_takes_more_on_a_terminal(stage: Stage) -> None:
    gate = held(stage)
    stage.provider.script(say("The second answer."))
    with chatting(stage, "first") as terminal:
        terminal.expect("It begins.")
        terminal.send("second\r")
        terminal.expect("Queued as number 1")
        terminal.send("rest")
        terminal.expect("› rest")
        gate.set()
        terminal.expect("The second answer.")
        terminal.expect("Typed meanwhile, and not sent: rest")
        assert terminal.exit_code() == 0
    assert said(stage) == ["first", "second"]
