"""Terminals of the client's: what is asked, in which order, and what is made of odd answers."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_server import client_terminals
from acp_server.client_terminals import ClientTerminals, exit_status
from acp_server.rpc.errors import INTERNAL_ERROR, METHOD_NOT_FOUND, RequestTimeout, RpcError
from hermes_core.ground.errors import NoTerminal
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Ended
from tests.fakes.terminals import NAME, NEVER, TerminalsDouble

ARGV = ("/bin/sh", "/h/a.sh")
FAILED = RpcError(INTERNAL_ERROR, "It broke.\nBadly")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up at once what never comes."""
    for name in ("TIME_LIMIT", "GRACE", "CLOSING", "LAST_WORDS"):
        monkeypatch.setattr(client_terminals, name, 0.01)


def run(
    double: TerminalsDouble,
    *,
    terminals: ClientTerminals | None = None,
    timeout: float = 60,
    interrupt: Interrupt | None = None,
    begun: Callable[[str], None] = lambda _: None,
) -> Ended:
    """Run a program and return how it ended; nothing stays open."""
    terminals = terminals or ClientTerminals(double.ask, "s-1")
    return terminals.run(
        ARGV,
        Path("/w"),
        timeout=timeout,
        output_limit=77,
        interrupt=interrupt or Interrupt(),
        begun=begun,
    )


def test_a_terminal_is_made_waited_for_read_and_given_back() -> None:
    double = TerminalsDouble(output={"output": "one\n", "truncated": True})
    shown: list[str] = []
    assert run(double, begun=shown.append) == Ended(0, None, "one\n", truncated=True)
    assert shown == [NAME]
    assert double.methods == ["create", "wait_for_exit", "output", "release"]
    assert double.asked[0][1] == {
        "sessionId": "s-1",
        "command": "/bin/sh",
        "args": ["/h/a.sh"],
        "cwd": "/w",
        "outputByteLimit": 77,
    }
    assert all(asked == {"sessionId": "s-1", "terminalId": NAME} for _, asked in double.asked[1:])
    assert double.limits.pop("wait_for_exit") is None
    assert all(double.limits.values())


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"exitCode": 3}, (3, None)),
        ({"exitCode": 3, "signal": None}, (3, None)),
        ({"exitCode": None, "signal": "SIGTERM"}, (None, "SIGTERM")),
        ({"exitCode": 143, "signal": "term"}, (None, "SIGTERM")),
        ({"signal": "9"}, (None, "SIGKILL")),
        ({"signal": "9999"}, (None, "signal 9999")),
        ({"exitCode": -15}, (None, "SIGTERM")),
        ({"signal": "Killed\nby\x1b[0m me" + "x" * 99}, (None, None)),
        ({"exitCode": True}, (None, None)),
        ({"exitCode": "0"}, (None, None)),
        ({"exitCode": 1 << 40}, (None, None)),
        ({"signal": 9}, (None, None)),
        ({}, (None, None)),
        ("done", (None, None)),
        (None, (None, None)),
    ],
)
def test_how_a_program_ended_is_read_in_all_its_forms(
    told: object, status: tuple[int | None, str | None]
) -> None:
    code, name = exit_status(told)
    if isinstance(told, dict) and "Killed" in str(told.get("signal")):
        assert code is None
        assert name is not None
        assert len(name) <= 32
        assert "\n" not in name
        assert "\x1b" not in name
    else:
        assert (code, name) == status


def test_what_only_the_output_tells_counts() -> None:
    told = {"output": "x", "truncated": False, "exitStatus": {"exitCode": 4}}
    for waiting in ({}, FAILED):
        double = TerminalsDouble(wait_for_exit=waiting, output=told)
        ended = run(double)
        assert (ended.exit_code, ended.output) == (4, "x")
        assert "kill" not in double.methods


def test_a_program_that_nobody_tells_the_end_of_is_killed() -> None:
    double = TerminalsDouble(wait_for_exit=FAILED)
    ended = run(double)
    assert ended.troubles[0] == "it did not tell how the command ended (It broke. ↵ Badly)"
    assert "may still run" in ended.troubles[-1]
    assert double.methods[-2:] == ["kill", "release"]


def test_an_end_without_a_code_is_an_end() -> None:
    double = TerminalsDouble(wait_for_exit={})
    assert run(double) == Ended()
    assert "kill" not in double.methods


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (FAILED, "it did not tell the output (It broke. ↵ Badly)"),
        (NEVER, "it did not tell the output"),
        ({"output": 7, "truncated": False}, "its answer holds no output"),
        ({}, "its answer holds no output"),
    ],
)
def test_an_output_that_is_not_told_is_a_trouble(answer: Any, trouble: str) -> None:
    double = TerminalsDouble(output=answer)
    assert run(double) == Ended(0, None, troubles=(trouble,))
    assert double.methods[-1] == "release"


def test_what_takes_too_long_is_killed_and_what_it_wrote_told() -> None:
    double = TerminalsDouble(wait_for_exit=NEVER, output={"output": "so far", "truncated": False})

    def kill() -> dict[str, Any]:
        double.open["wait_for_exit"].set_result({"signal": "SIGKILL"})
        return {}

    double.answers["kill"] = kill
    assert run(double, timeout=0.01) == Ended(None, "SIGKILL", "so far", timed_out=True)
    assert double.methods == ["create", "wait_for_exit", "kill", "output", "release"]


def test_what_does_not_end_when_it_is_killed_is_said() -> None:
    double = TerminalsDouble(wait_for_exit=NEVER)
    ended = run(double, timeout=0.01)
    assert ended.timed_out
    assert "may still run" in ended.troubles[-1]
    assert double.open["wait_for_exit"].cancelled()
    assert double.methods.count("kill") == double.methods.count("release") == 1


def test_an_interrupt_kills_then_gives_back() -> None:
    latch = Interrupt()
    double = TerminalsDouble(
        wait_for_exit=NEVER, kill=NEVER, output={"output": "begun", "truncated": False}
    )
    threads: list[threading.Thread] = []

    def begun(_: str) -> None:
        threads.append(threading.Thread(target=latch.set))
        threads[0].start()

    ended = run(double, interrupt=latch, begun=begun)
    threads[0].join()
    assert ended == Ended(output="begun", interrupted=True)
    assert double.methods == ["create", "wait_for_exit", "output", "kill"]
    assert double.open["wait_for_exit"].cancelled()
    double.open["kill"].set_exception(RequestTimeout(INTERNAL_ERROR, "late"))
    assert double.methods[-1] == "release"


def test_the_next_command_waits_for_one_that_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_terminals, "CLOSING", 60.0)
    double = TerminalsDouble(wait_for_exit=NEVER, kill=NEVER)
    terminals = ClientTerminals(double.ask, "s-1")
    assert run(double, terminals=terminals, timeout=0.01).timed_out
    double.answers["wait_for_exit"] = {"exitCode": 0}
    done: list[Ended] = []
    thread = threading.Thread(target=lambda: done.append(run(double, terminals=terminals)))
    thread.start()
    assert double.methods.count("create") == 1
    double.open["kill"].set_result({})
    thread.join(30)
    assert done == [Ended(0)]
    assert double.methods.count("release") == 2


def test_after_an_interrupt_nothing_is_made() -> None:
    latch = Interrupt()
    latch.set()
    double = TerminalsDouble()
    assert run(double, interrupt=latch) == Ended(interrupted=True)
    assert double.methods == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (NEVER, "it did not answer within 0.01 s"),
        ({}, "its answer names none"),
        ({"terminalId": ""}, "its answer names none"),
        ({"terminalId": 7}, "its answer names none"),
        ({"terminalId": "\ud800"}, "its answer names none"),
        ({"terminalId": "x" * 2_000}, "its answer names none"),
    ],
)
def test_a_client_that_makes_none_is_told_apart_and_left_alone_in_the_end(
    answer: Any, reason: str
) -> None:
    double = TerminalsDouble(create=answer)
    terminals = ClientTerminals(double.ask, "s-1")
    for _ in range(2):
        with pytest.raises(NoTerminal) as raised:
            run(double, terminals=terminals)
        assert (str(raised.value), raised.value.refused) == (reason, False)
    with pytest.raises(NoTerminal, match="before"):
        run(double, terminals=terminals)
    assert double.methods == ["create", "create"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (FAILED, "It broke. ↵ Badly"),
        (RpcError(INTERNAL_ERROR, ""), "an error without a text"),
        (RpcError(INTERNAL_ERROR, "x" * 999), "x" * 200),
    ],
)
def test_an_error_is_a_refusal_each_time(answer: RpcError, reason: str) -> None:
    double = TerminalsDouble(create=answer)
    terminals = ClientTerminals(double.ask, "s-1")
    for _ in range(3):
        with pytest.raises(NoTerminal) as raised:
            run(double, terminals=terminals)
        assert (str(raised.value), raised.value.refused) == (reason, True)
    assert double.methods == ["create"] * 3


def test_a_client_without_the_method_is_asked_once() -> None:
    double = TerminalsDouble(create=RpcError(METHOD_NOT_FOUND, "no such method"))
    terminals = ClientTerminals(double.ask, "s-1")
    for _ in range(2):
        with pytest.raises(NoTerminal) as raised:
            run(double, terminals=terminals)
        assert not raised.value.refused
    assert double.methods == ["create"]


def test_a_terminal_that_comes_late_is_killed_and_given_back() -> None:
    double = TerminalsDouble(create=NEVER)
    with pytest.raises(NoTerminal):
        run(double)
    assert double.methods == ["create"]
    double.open["create"].set_result({"terminalId": "late"})
    assert double.methods == ["create", "kill", "release"]
    assert double.asked[-1][1] == {"sessionId": "s-1", "terminalId": "late"}


def test_an_error_that_comes_late_is_nothing() -> None:
    double = TerminalsDouble(create=NEVER)
    with pytest.raises(NoTerminal):
        run(double)
    double.open["create"].set_exception(FAILED)
    assert double.methods == ["create"]


def test_a_card_that_cannot_be_shown_leaves_no_terminal() -> None:
    double = TerminalsDouble()

    def begun(_: str) -> None:
        raise ValueError("no card")

    with pytest.raises(ValueError, match="no card"):
        run(double, begun=begun)
    assert double.methods == ["create", "release"]


def test_what_cannot_be_sent_is_no_answer() -> None:
    double = TerminalsDouble()

    def ask(method: str, params: dict[str, Any], *, timeout: float | None) -> Any:
        if method != "terminal/create":
            raise OSError("the pipe is gone")
        return double.ask(method, params, timeout=timeout)

    ended = run(double, terminals=ClientTerminals(ask, "s-1"))
    assert "could not be asked (OSError)" in ended.troubles[0]
