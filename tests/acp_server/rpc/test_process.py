"""A server as a process of its own: its streams, its signals, its end."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.acp_server.rpc.harness import WATCHDOG, code_of, request

SCRIPT = Path(__file__).with_name("noisy_server.py")
EXIT_SECONDS = 10.0
"""A generous bound for a process that has three seconds to end."""


class Process:
    """A running server process."""

    def __init__(self, saved: Path, *arguments: str, under: tuple[str, ...] = ()) -> None:
        self.saved = saved
        self.popen = subprocess.Popen(
            [*under, sys.executable, str(SCRIPT), str(saved), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return the next message."""
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self.popen.stdin.write(json.dumps(request(method, params)).encode() + b"\n")
        self.popen.stdin.flush()
        answer: dict[str, Any] = json.loads(self.popen.stdout.readline())
        return answer

    def end(self) -> tuple[bytes, bytes]:
        """Close the client's end; return what came on stdout and stderr until the exit."""
        return self.popen.communicate(timeout=EXIT_SECONDS)

    def kill(self) -> None:
        """Leave nothing behind."""
        self.popen.kill()
        self.popen.wait()
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a server process and initializes it."""
    started: list[Process] = []

    def run(*arguments: str, under: tuple[str, ...] = ()) -> Process:
        process = Process(tmp_path / "saved", *arguments, under=under)
        started.append(process)
        assert process.call("initialize")["result"]["pid"] == process.popen.pid
        return process

    yield run
    for process in started:
        process.kill()


def test_nothing_but_the_protocol_reaches_stdout_and_nothing_stderr(start: Start) -> None:
    process = start()
    assert process.call("noise")["result"] == {}
    assert process.end() == (b"", b"")
    assert process.popen.returncode == 0


@pytest.mark.parametrize("arguments", [(), ("--debug",)])
def test_a_child_gets_nothing_of_the_protocol(start: Start, arguments: tuple[str, ...]) -> None:
    result = start(*arguments).call("child")["result"]
    assert result["read"] == ""
    assert len(result["pipes"]) == len(arguments)  # with --debug, stderr


def test_with_debug_all_noise_goes_to_stderr(start: Start) -> None:
    process = start("--debug")
    process.call("noise")
    out, err = process.end()
    assert out == b""
    for noise in (
        b"stdout\n",
        b"stderr\n",
        b"bytes\n",
        b"original stdout\n",
        b"fd 1\n",
        b"fd 2\n",
        b"C library\n",
        b"a warning",
        b"child\n",
        b"ZeroDivisionError",
    ):
        assert noise in err


def test_a_fatal_error_can_still_be_told(start: Start) -> None:
    process = start()
    process.call("report")
    assert process.end()[1] == b"what happened\nwhat to do\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_process_well(start: Start, number: signal.Signals) -> None:
    process = start()
    process.popen.send_signal(number)
    assert process.popen.wait(EXIT_SECONDS) == 0
    assert process.saved.read_text() == "saved"
    assert process.end() == (b"", b"")


def test_a_second_signal_changes_nothing(start: Start) -> None:
    process = start()
    for _ in range(20):
        process.popen.send_signal(signal.SIGINT)
    assert process.popen.wait(EXIT_SECONDS) == 0
    assert process.end() == (b"", b"")


def test_a_hang_up_is_ignored_under_nohup(start: Start) -> None:
    process = start(under=("sh", "-c", 'trap "" HUP; exec "$0" "$@"'))
    process.popen.send_signal(signal.SIGHUP)
    assert "result" in process.call("report")
    process.end()
    assert process.popen.returncode == 0


def test_the_end_of_input_ends_the_process_well(start: Start) -> None:
    process = start()
    assert process.popen.stdin is not None
    process.popen.stdin.write(b'{"jsonrpc": "2.0", "id"')
    process.end()
    assert process.popen.returncode == 0
    assert process.saved.read_text() == "saved"


def test_a_client_that_no_longer_reads_ends_the_process_well(start: Start) -> None:
    process = start()
    assert process.popen.stdin is not None
    assert process.popen.stdout is not None
    process.popen.stdout.close()
    process.popen.stdin.write(json.dumps(request("flood")).encode() + b"\n")
    process.popen.stdin.flush()
    assert process.popen.wait(EXIT_SECONDS) == 0
    assert process.saved.read_text() == "saved"
    assert process.popen.stderr is not None
    assert process.popen.stderr.read() == b""


def test_a_client_that_reads_nothing_does_not_hold_up_the_end(start: Start) -> None:
    process = start()
    assert process.popen.stdin is not None
    process.popen.stdin.write(json.dumps(request("flood")).encode() + b"\n")
    process.popen.stdin.close()
    assert process.popen.wait(EXIT_SECONDS) == 0


def test_a_thread_that_hangs_does_not_hold_up_the_end(start: Start) -> None:
    process = start()
    process.call("hang")
    started = time.monotonic()
    process.popen.send_signal(signal.SIGTERM)
    assert process.popen.wait(EXIT_SECONDS) == 0
    assert time.monotonic() - started < EXIT_SECONDS
    assert process.saved.read_text() == "saved"


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_stream_closed_by_the_parent_is_no_fault(tmp_path: Path, closed: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {closed}>&-', sys.executable, SCRIPT, tmp_path / "saved"],
        input=json.dumps(request("initialize")).encode() + b"\n" if closed else b"",
        capture_output=True,
        timeout=WATCHDOG,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert (b'"pid"' in done.stdout) == (closed == 2)


def test_methods_still_need_initialize(tmp_path: Path) -> None:
    process = Process(tmp_path / "saved")
    assert code_of(process.call("report")) == -32600
    process.end()
