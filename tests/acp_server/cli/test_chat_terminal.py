"""``hermes chat`` on a terminal: typing, questions, Ctrl-C."""

import os
import shutil
import signal
import stat
import sys
from pathlib import Path

import pytest

from tests.acp_server.cli.terminal import Terminal

CHAT = """
import sys
from pathlib import Path
from acp_server.cli.chat import ChatOptions, run_chat
from acp_server.cli import main
options = ChatOptions(cwd=Path.cwd(), command=sys.argv[2:], prompt=sys.argv[1] or None)
main.COMMANDS["chat"] = lambda _: run_chat(options)
sys.exit(main.main(["chat"]))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def start(agent: list[str], tmp_path: Path, prompt: str = "", kind: str = "xterm") -> Terminal:
    env = {**os.environ, "HERMES_HOME": str(tmp_path / "home")}
    return Terminal([sys.executable, "-c", CHAT, prompt, *agent], tmp_path, env, kind)


@pytest.mark.parametrize(
    ("key", "answer", "words"),
    [
        ("y", "allow_once", "allowed once"),
        ("A", "allow_always", "always allowed"),
        ("n", "reject_once", "rejected"),
        ("\r", "reject_once", "rejected"),
        ("\x04", "reject_once", "rejected"),
    ],
)
def test_a_question_is_answered_by_one_key(
    fake_agent: list[str], tmp_path: Path, key: str, answer: str, words: str
) -> None:
    with start(fake_agent, tmp_path, "edit") as terminal:
        terminal.expect("Edit stats.py")
        terminal.expect("2 + b = 3")
        terminal.expect("y  Allow once")
        terminal.expect("n  Reject  (Enter)")
        terminal.send(key)
        terminal.expect(words)
        terminal.expect(f"outcome: {answer}")
        assert terminal.exit_code() == 0


@pytest.mark.parametrize(
    ("kind", "keys", "filled"),
    [
        ("choices", ["2"], '{"action": "accept", "content": {"answer": "blue"}}'),
        ("choices", ["w", "dark red\r"], '{"action": "accept", "content": {"other": "dark red"}}'),
        ("choices", ["n"], '{"action": "decline"}'),
        ("choices", ["\r"], '{"action": "decline"}'),
        ("words", ["grex\x7fen\r"], '{"action": "accept", "content": {"answer": "green"}}'),
        ("words", ["\r"], '{"action": "decline"}'),
        ("words", ["\x04"], '{"action": "decline"}'),
    ],
)
def test_a_form_is_filled_by_a_key_or_a_line(
    fake_agent: list[str], tmp_path: Path, kind: str, keys: list[str], filled: str
) -> None:
    with start(fake_agent, tmp_path, f"form {kind}") as terminal:
        terminal.expect("Which colour?")
        terminal.expect("2  blue" if kind == "choices" else ">")
        for number, pressed in enumerate(keys):
            if number:
                terminal.expect(">")
            terminal.send(pressed)
        terminal.expect(f"filled: {filled}")
        assert terminal.exit_code() == 0


def test_the_form_of_a_server_is_filled_field_by_field(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path, "form server") as terminal:
        terminal.expect("Which colour?")
        terminal.expect("2  large")
        terminal.send("2")
        terminal.expect("How many?")
        terminal.expect(">")
        terminal.send("many\r")
        terminal.expect("does not take that")
        terminal.expect(">")
        terminal.send("3\r")
        terminal.expect("1  Send this")
        terminal.send("1")
        content = '{"count": 3, "size": "large"}'
        terminal.expect(f'filled: {{"action": "accept", "content": {content}}}')
        assert terminal.exit_code() == 0


@pytest.mark.parametrize(("key", "action"), [("1", "accept"), ("n", "decline"), ("\r", "decline")])
def test_a_page_is_shown_with_its_whole_address(
    fake_agent: list[str], tmp_path: Path, key: str, action: str
) -> None:
    with start(fake_agent, tmp_path, "form page") as terminal:
        terminal.expect("Log in.")
        terminal.expect("The code is X.")
        terminal.expect("https://login.example/device?code=WDJB")
        terminal.expect("1  I open it")
        terminal.send(key)
        terminal.expect(f'filled: {{"action": "{action}"}}')
        assert terminal.exit_code() == 0


def test_ctrl_c_while_a_form_waits_dismisses_it(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path, "form choices") as terminal:
        terminal.expect("2  blue")
        terminal.send("\x03")
        terminal.expect('filled: {"action": "cancel"}')


def test_a_paste_or_another_key_answers_nothing(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path, "edit") as terminal:
        terminal.expect("n  Reject  (Enter)")
        for keys in ("yy", "\x1b[A", "x"):
            terminal.send(keys)
            terminal.expect("Press one of the keys above")
        terminal.send("n")
        terminal.expect("outcome: reject_once")
        assert terminal.exit_code() == 0


def test_ctrl_c_stops_a_turn(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path, "wait") as terminal:
        terminal.expect("Waiting")
        terminal.send("\x03")
        terminal.expect("Stopping.")
        terminal.expect("Stopped.")
        assert terminal.exit_code() == 130


def test_ctrl_c_at_a_question_withdraws_it(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path, "edit") as terminal:
        terminal.expect("n  Reject  (Enter)")
        terminal.send("\x03")
        terminal.expect("outcome: cancelled")
        assert terminal.exit_code() == 130


def test_a_second_ctrl_c_leaves_an_agent_that_does_not_hear(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path, "ignore") as terminal:
        terminal.expect("Deaf")
        terminal.send("\x03")
        terminal.expect("Stopping.")
        terminal.send("\x03")
        assert terminal.exit_code() == 130


def test_a_conversation(fake_agent: list[str], tmp_path: Path, home: Path) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("Hermes ")
        terminal.expect("mode default")
        terminal.expect("›")
        terminal.send("hello\r")
        terminal.expect("Hello world.")
        terminal.expect("›")
        terminal.send("\x1b[200~read /none\nof it\x1b[201~\r")
        terminal.expect("There is no file /none")
        terminal.expect("›")
        terminal.send("/login sk-canary-0123456789\r")
        terminal.expect("In a terminal.")
        terminal.expect("›")
        terminal.send("/quit\r")
        assert terminal.exit_code() == 0
    history = home / "history"
    assert "hello" in history.read_text()
    assert "canary" not in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_a_new_session_is_opened_and_the_way_back_told(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("hello\r")
        terminal.expect("Hello world.")
        terminal.expect("›")
        terminal.send("/new\r")
        terminal.expect("goes on with the session before")
        terminal.expect("›")
        terminal.send("hello\r")
        terminal.expect("Hello world.")
        terminal.expect("›")
        terminal.send("/quit\r")
        assert terminal.exit_code() == 0


def test_a_home_that_vanishes_takes_the_history_and_no_more(
    fake_agent: list[str], tmp_path: Path, home: Path
) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("hello\r")
        terminal.expect("Hello world.")
        terminal.expect("›")
        shutil.rmtree(home)
        terminal.send("repeat me\r")
        terminal.expect("heard: me")
        terminal.expect("›")
        terminal.send("\x1b[A")
        terminal.expect("repeat me")
        terminal.send("\x03\x04")
        assert terminal.exit_code() == 0
        for word in ("Traceback", "exception", "ENTER"):
            assert word not in terminal.words


def test_what_is_typed_during_a_turn_begins_the_next_prompt(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("edit\r")
        terminal.expect("n  Reject  (Enter)")
        terminal.send("repeat after me\r")
        terminal.expect("Press one of the keys above")
        terminal.send("n")
        terminal.expect("outcome: reject_once")
        terminal.expect("› repeat after me")
        terminal.send("\r")
        terminal.expect("heard: after me")
        terminal.expect("›")
        terminal.send("\x04")
        assert terminal.exit_code() == 0


def test_leaving_with_ctrl_d_and_with_ctrl_c(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("\x04")
        assert terminal.exit_code() == 0
        assert "--resume" not in terminal.words
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("\x03")
        terminal.expect("Ctrl-C again leaves")
        terminal.expect("›")
        terminal.send("\x03")
        assert terminal.exit_code() == 130


def test_ctrl_c_empties_the_line(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path) as terminal:
        terminal.expect("›")
        terminal.send("half")
        terminal.expect("half")
        terminal.send("\x03")
        terminal.expect("›")
        terminal.send("hello\r")
        terminal.expect("Hello world.")
        assert "halfhello" not in terminal.words
        terminal.expect("›")
        terminal.send("/quit\r")
        assert terminal.exit_code() == 0


def test_the_terminal_is_as_before_and_saw_no_foreign_escape(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path, "escape") as terminal:
        terminal.expect("\\x1b[31mb\\u202ec")
        assert terminal.exit_code() == 0
        assert b"\x1b[2J" not in terminal.raw
        assert b"\x1b]" not in terminal.raw
        assert terminal.raw.count(b"\x1b[?25l") == terminal.raw.count(b"\x1b[?25h")


def test_a_terminal_without_escapes_gets_none_and_asks_all_the_same(
    fake_agent: list[str], tmp_path: Path
) -> None:
    with start(fake_agent, tmp_path, "edit", kind="dumb") as terminal:
        terminal.expect("n  Reject  (Enter)")
        terminal.send("y")
        terminal.expect("outcome: allow_once")
        assert terminal.exit_code() == 0
        assert b"\x1b" not in terminal.raw


def test_much_text_on_a_terminal(fake_agent: list[str], tmp_path: Path) -> None:
    with start(fake_agent, tmp_path, "flood 1") as terminal:
        assert terminal.exit_code() == 0
        assert terminal.words.count("x") >= 1_000_000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("prompt", "shown"), [("wait", "Waiting"), ("", "›")])
def test_a_signal_ends_it_in_order(
    fake_agent: list[str], tmp_path: Path, number: int, prompt: str, shown: str
) -> None:
    with start(fake_agent, tmp_path, prompt) as terminal:
        terminal.expect(shown)
        terminal.end(number)
        assert terminal.exit_code() == 128 + number
        assert "Traceback" not in terminal.words


def test_the_death_of_the_agent_is_noticed_at_the_prompt(tmp_path: Path) -> None:
    agent = (
        "import json, os, signal, sys\n"
        "with open('pid', 'w') as file:\n"
        "    file.write(str(os.getpid()))\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    result = {'protocolVersion': 1, 'sessionId': 's'}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': result}), flush=True)\n"
    )
    with start([sys.executable, "-c", agent], tmp_path) as terminal:
        terminal.expect("›")
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        terminal.expect("The agent ended unexpectedly (killed by signal 9).")
        assert terminal.exit_code() == 1
