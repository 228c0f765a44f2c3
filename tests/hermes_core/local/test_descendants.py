import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.descendants import strays
from hermes_core.local.processes import end_all_children, run_command, wait_for_stragglers
from tests.hermes_core.local.conftest import Run
from tests.hermes_core.local.processes_seen import alive, long_sleep, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us adopt orphans")

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    end_all_children()


def run(command: str, timeout: float = 60) -> str:
    return run_command(
        command,
        Path("/"),
        env=ENV,
        timeout=timeout,
        max_output=10_000,
        interrupt=Interrupt(),
    ).output


@pytest.mark.parametrize(
    "form", ["env -i setsid -f {}", "env -i setsid sh -c '{} & {} & {}' & sleep 0.1"]
)
def test_a_process_without_a_mark_does_not_outlive_its_command(form: str) -> None:
    sleep = long_sleep()
    assert run(f"{form.replace('{}', sleep)} >/dev/null 2>&1; echo started") == "started\n"
    wait_for_stragglers()
    assert not alive(sleep)


def test_nor_one_over_its_time() -> None:
    sleep = long_sleep()
    run(f"env -i setsid -f {sleep}; {sleep}", timeout=0.3)
    wait_for_stragglers()
    assert not alive(sleep)


def test_what_somebody_else_started_lives_on() -> None:
    command = long_sleep()
    with subprocess.Popen(command.split(), env={}, start_new_session=True) as other:
        try:
            for _ in range(2):
                run(f"env -i setsid -f {long_sleep()} >/dev/null 2>&1")
                wait_for_stragglers()
            assert alive(command)
        finally:
            other.kill()


HOST = """
import os, signal, time
from pathlib import Path
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.descendants import strays
from hermes_core.local.processes import end_all_children, run_command, wait_for_stragglers

def fork(*, leave):
    pid = os.fork()
    if pid == 0:
        if leave:
            os.setsid()
        os.write(writer, b".")
        signal.pause()
    os.read(reader, 1)
    return pid

reader, writer = os.pipe()
before = fork(leave=True)   # was there before any command
run_command("true", Path("/"), env={}, timeout=60, max_output=1000, interrupt=Interrupt())
after = fork(leave=False)   # a worker in our own session
run_command("setsid -f sleep 0.01", Path("/"), env={"PATH": "/usr/bin:/bin"}, timeout=60,
    max_output=1000, interrupt=Interrupt())
wait_for_stragglers()
end_all_children()
for pid in (before, after):
    assert os.waitpid(pid, os.WNOHANG) == (0, 0), pid
    os.kill(pid, 9)
    os.waitpid(pid, 0)
"""


def test_children_of_the_program_that_uses_us_live_on(run_python: Run) -> None:
    run_python(HOST)


def test_the_orphans_of_two_commands_end_with_the_last(tmp_path: Path) -> None:
    """The first to end cannot tell whose they are."""
    sleep, seen, gate = long_sleep(), [], tmp_path / "gate"
    os.mkfifo(gate)
    command = f"env -i setsid -f {sleep} >/dev/null 2>&1; echo left; cat '{gate}'"
    thread = threading.Thread(target=lambda: seen.append(run(command)))
    thread.start()
    until(lambda: alive(sleep))
    run("true")
    wait_for_stragglers()
    assert alive(sleep)
    gate.write_text("on")
    thread.join(60)
    wait_for_stragglers()
    assert seen == ["left\non"]
    assert not alive(sleep)


def test_the_search_touches_no_tuple_that_is_being_built() -> None:
    """What holds on to a half-built tuple makes its builder fail with ``SystemError``."""
    asked, built = threading.Event(), threading.Event()

    class Slow(subprocess.Popen[bytes]):
        """Has the search wait while it is asked for its number."""

        number: int | None = None

        @property
        def pid(self) -> int | None:  # type: ignore[override]
            if threading.current_thread() is search:
                asked.set()
                built.wait(10)
            return self.number

        @pid.setter
        def pid(self, number: int) -> None:
            self.number = number

    def parts() -> Iterator[int]:
        yield 0
        search.start()
        assert asked.wait(10)
        yield from range(100)

    found: list[set[int]] = []
    search = threading.Thread(target=lambda: found.append(strays(set())))
    with Slow(long_sleep().split(), env={}, start_new_session=True) as other:
        try:
            assert len(tuple(parts())) == 101
        finally:
            built.set()
            search.join()
            other.kill()
    assert len(found) == 1
    assert other.number not in found[0]
