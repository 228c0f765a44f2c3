import re
import stat
from pathlib import Path

from tests.hermes_core.local.conftest import Run

PROGRAM = """
import logging, sys, threading, warnings
from pathlib import Path
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.logs import start_logging

REDACTOR.register(Secret("a-key-of-mine"))
start_logging(Path(sys.argv[1]), debug=sys.argv[2] == "debug")
log = logging.getLogger("test")
log.debug("fine detail")
log.warning("key is a-key-of-mine, name is %s", "\\x1b[31m\\ud800\\u202e\\nsecond line")
try:
    raise ValueError("a-key-of-mine")
except ValueError:
    log.exception("failed")

def fail():
    raise RuntimeError("in a thread")

thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()

class Bad:
    def __del__(self):
        raise RuntimeError("in a destructor")

Bad()
warnings.simplefilter("default")
warnings.warn("old habit", DeprecationWarning)
"""


def log_of(home: Path) -> str:
    return (home / "logs" / "hermes.log").read_text(encoding="utf-8")


def test_everything_goes_to_the_file_and_nothing_to_stderr(tmp_path: Path, run_python: Run) -> None:
    done = run_python(PROGRAM, str(tmp_path), "quiet")
    assert done.stderr == ""
    assert done.stdout == ""
    text = log_of(tmp_path)
    assert "WARNING" in text
    assert "fine detail" not in text
    for expected in ("in a thread", "uncaught in worker", "in a destructor", "old habit"):
        assert expected in text


def test_keys_are_masked_in_messages_and_tracebacks(tmp_path: Path, run_python: Run) -> None:
    run_python(PROGRAM, str(tmp_path), "quiet")
    text = log_of(tmp_path)
    assert "a-key-of-mine" not in text
    assert "ValueError: [redacted]" in text
    assert "key is [redacted], name is" in text


def test_control_characters_are_written_as_escapes(tmp_path: Path, run_python: Run) -> None:
    run_python(PROGRAM, str(tmp_path), "quiet")
    text = log_of(tmp_path)
    assert r"\x1b[31m\ud800\u202e" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)


def test_the_files_are_their_owners_alone(tmp_path: Path, run_python: Run) -> None:
    run_python(PROGRAM, str(tmp_path / "new"), "quiet")
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (
            tmp_path / "new",
            tmp_path / "new" / "logs",
            tmp_path / "new" / "logs" / "hermes.log",
        )
    ]
    assert modes[0] & 0o077 == 0
    assert modes[1] & 0o077 == 0
    assert modes[2] == 0o600


def test_debug_logs_more_and_to_stderr_too(tmp_path: Path, run_python: Run) -> None:
    done = run_python(PROGRAM, str(tmp_path), "debug")
    assert "fine detail" in done.stderr
    assert "fine detail" in log_of(tmp_path)
    assert "a-key-of-mine" not in done.stderr


def test_a_home_that_cannot_be_written_to_costs_only_the_file(
    tmp_path: Path, run_python: Run
) -> None:
    (tmp_path / "file").touch()
    done = run_python(PROGRAM, str(tmp_path / "file"), "quiet")
    assert done.stderr == ""


def test_the_file_is_rotated_twice_at_most(tmp_path: Path, run_python: Run) -> None:
    program = """
import logging, sys
from pathlib import Path
from hermes_core.local import logs
logs.FILE_BYTES = 1000
logs.start_logging(Path(sys.argv[1]), debug=False)
for number in range(200):
    logging.getLogger("test").info("line %d", number)
"""
    run_python(program, str(tmp_path))
    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["hermes.log", "hermes.log.1", "hermes.log.2"]
    assert all(file.stat().st_size <= 1000 for file in files)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert "line 199" in log_of(tmp_path)
