import subprocess
import sys
from pathlib import Path

CLAIM = """
import logging, sys, warnings
from acp_server.rpc.stdio import claim_stdio
logging.basicConfig(filename=sys.argv[1], level=logging.INFO, format="%(name)s %(message)s")
claim_stdio()
"""


def run(code: str, log: Path) -> tuple[bytes, str]:
    """Run code after ``claim_stdio``; return what came on stdout and stderr, and the log."""
    done = subprocess.run(
        [sys.executable, "-c", CLAIM + code, str(log)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr, log.read_text(encoding="utf-8")


def test_what_is_printed_is_logged_line_by_line(tmp_path: Path) -> None:
    code = "print('one\\n\\ntwo'); print('three \\udcff', file=sys.stderr); print('four', end='')"
    noise, log = run(code, tmp_path / "log")
    assert noise == b""
    assert log.splitlines() == [
        "hermes.output one",
        "hermes.output two",
        r"hermes.output three \udcff",
        "hermes.output four",
    ]


def test_a_traceback_is_logged(tmp_path: Path) -> None:
    noise, log = run("1 / 0", tmp_path / "log")
    assert noise == b""
    assert "ZeroDivisionError" in log


def test_logging_that_writes_to_stderr_does_not_log_itself(tmp_path: Path) -> None:
    code = """
logging.getLogger().addHandler(logging.StreamHandler())  # to sys.stderr
logging.getLogger("own").info("message")
print("printed")
"""
    noise, log = run(code, tmp_path / "log")
    assert noise == b""
    assert log.splitlines().count("own message") == 1
    assert "hermes.output printed" in log
    assert len(log.splitlines()) <= 4


def test_stdout_has_what_libraries_expect_of_it(tmp_path: Path) -> None:
    code = """
sys.stdout.buffer.write(b"bytes\\n")
sys.stdout.buffer.flush()
assert sys.stdout.encoding == "utf-8" and not sys.stdout.isatty() and sys.stdout.fileno() == 2
"""
    assert run(code, tmp_path / "log") == (b"", "hermes.output bytes\n")
