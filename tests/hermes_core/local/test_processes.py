import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local import descendants
from hermes_core.local.processes import (
    Finished,
    end_all_children,
    run_command,
    wait_for_stragglers,
)
from tests.hermes_core.local.conftest import Run
from tests.hermes_core.local.processes_seen import alive, long_sleep, until

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture(autouse=True)
def _nothing_stays() -> Any:
    yield
    end_all_children()


def run(command: str, cwd: Path = Path("/"), **options: Any) -> Finished:
    settings: dict[str, Any] = {
        "env": ENV,
        "timeout": 60,
        "max_output": 10_000,
        "interrupt": Interrupt(),
    }
    return run_command(command, cwd, **{**settings, **options})


class TestOutcome:
    def test_code_and_both_streams_in_order(self) -> None:
        done = run("echo one; echo two >&2; echo three; exit 3")
        assert done.exit_code == 3
        assert done.signal is None
        assert done.output == "one\ntwo\nthree\n"
        assert (done.truncated, done.timed_out, done.interrupted) == (False, False, False)

    def test_a_signal_is_named(self) -> None:
        done = run("kill -SEGV $$")
        assert (done.exit_code, done.signal) == (None, "SIGSEGV")

    def test_it_runs_in_its_folder(self, real_path: Path) -> None:
        assert run("pwd", real_path).output == f"{real_path}\n"

    def test_the_environment_is_the_given_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "never-to-be-seen")
        done = run("env", env={**ENV, "ONE": "1"})
        names = {line.partition("=")[0] for line in done.output.splitlines()}
        assert "ONE=1" in done.output
        assert names - {"PATH", "ONE", descendants.MARK, "PWD", "OLDPWD", "SHLVL", "_"} == set()

    def test_bash_is_used_and_reads_no_start_up_file(self, tmp_path: Path) -> None:
        for name in (".bashrc", ".bash_profile", ".profile"):
            (tmp_path / name).write_text("echo start-up file read\n")
        done = run('echo "${BASH_VERSION:+bash}"', env={**ENV, "HOME": str(tmp_path)})
        assert done.output == "bash\n"

    def test_output_beyond_the_bound_is_left_out_between(self) -> None:
        done = run("seq 100000", max_output=1_000)
        assert done.truncated
        assert done.output.startswith("1\n2\n")
        assert done.output.endswith("99999\n100000\n")
        assert "bytes left out" in done.output

    def test_what_is_not_text_is_made_text(self) -> None:
        assert (
            run(r"printf '\033[31mred\033[0m \377\n50%%\r100%%\n'").output == "red \ufffd\n100%\n"
        )

    def test_a_folder_that_is_missing_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(ToolError, match=r"could not be started: no such file .*missing"):
            run("true", tmp_path / "missing")

    def test_a_command_that_no_process_can_have_is_told(self) -> None:
        for command in ("echo \0", "echo \ud800"):
            with pytest.raises(ToolError, match="character"):
                run(command)

    @pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
    def test_a_command_that_is_too_long_is_told(self) -> None:
        with pytest.raises(ToolError, match="argument list too long"):
            run("echo " + "x" * 200_000)


class TestIsolation:
    def test_stdin_is_at_its_end(self) -> None:
        assert run("cat; read line || echo nothing").output == "nothing\n"

    def test_there_is_no_terminal(self) -> None:
        command = "test -t 0 || echo none; (: < /dev/tty) 2>/dev/null || echo none"
        assert run(command).output == "none\nnone\n"

    def test_no_other_file_is_inherited(self, tmp_path: Path) -> None:
        with open(tmp_path / "x", "w") as file:
            os.set_inheritable(file.fileno(), True)
            command = f"if [ -e /dev/fd/{file.fileno()} ]; then echo there; else echo closed; fi"
            assert run(command).output == "closed\n"

    def test_it_leads_a_session_of_its_own(self) -> None:
        done = run("ps -o sid= -p $$ 2>/dev/null || true; echo $$")
        ids = done.output.split()
        if len(ids) == 2:
            assert ids[0] == ids[1]


class TestWhatOutlives:
    @pytest.mark.parametrize("adopting", [True, False], ids=["adopting", "searching"])
    @pytest.mark.parametrize(
        "form",
        ["{} &", "setsid {} &", "(setsid {} &)", "(({} &) &)", "nohup setsid {} >/dev/null 2>&1 &"],
    )
    def test_nothing_does(self, form: str, adopting: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        if "setsid" in form and sys.platform == "darwin":
            pytest.skip("macOS has no setsid program")
        if not adopting:
            monkeypatch.setattr(descendants, "adopt_orphans", lambda: False)
        sleep = long_sleep()
        done = run(f"{form.format(sleep)}\necho started; exit 4")
        assert done.exit_code == 4
        assert done.output == "started\n"
        wait_for_stragglers()
        assert not alive(sleep)

    def test_a_background_child_that_keeps_the_pipe_does_not_keep_us(self) -> None:
        sleep = long_sleep()
        done = run(f"{sleep} & echo started", timeout=3_600)
        assert done.output == "started\n"

    def test_what_is_written_right_after_the_end_is_not_lost(self) -> None:
        assert run("echo first; (sleep 0.05; echo last) &").output == "first\nlast\n"

    @pytest.mark.parametrize("last", ["true", "sleep 0 &"])
    def test_orphans_that_ended_leave_no_zombies(
        self, last: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(descendants, "ABANDONED_AFTER", 0)
        run(f"({long_sleep()} &); setsid true & (true &)")
        wait_for_stragglers()
        run(last)
        wait_for_stragglers()
        zombies = [
            child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE
        ]
        assert zombies == []


class TestTimeLimit:
    def test_a_command_over_its_time_is_ended(self) -> None:
        sleep = long_sleep()
        done = run(f"echo begun; {sleep}; echo never", timeout=0.2)
        assert done.timed_out
        assert not done.interrupted
        assert done.output == "begun\n"
        wait_for_stragglers()
        assert not alive(sleep)

    def test_one_that_ignores_the_request_is_killed(self) -> None:
        sleep = long_sleep()
        done = run(f"trap '' TERM HUP INT; {sleep}; {sleep}", timeout=0.2)
        assert done.timed_out
        assert (done.exit_code, done.signal) == (None, "SIGKILL")
        wait_for_stragglers()
        assert not alive(sleep)

    def test_it_may_say_goodbye(self) -> None:
        command = f"trap 'echo bye; exit 5' TERM; {long_sleep()} & wait"
        done = run(command, timeout=0.5)
        assert done.timed_out
        assert done.output == "bye\n"


class TestInterrupt:
    def test_it_returns_before_a_stubborn_command_is_gone(self) -> None:
        interrupt = Interrupt()
        sleep = long_sleep()
        shown: list[str] = []

        def show(text: str) -> None:
            shown.append(text)
            interrupt.set()

        command = f"trap '' TERM; ({sleep} &); echo begun; {sleep}"
        done = run(command, interrupt=interrupt, on_output=show)
        assert alive(sleep)  # not killed yet: the return did not wait for it
        assert done.interrupted
        assert not done.timed_out
        assert done.output == "begun\n"
        assert shown == ["begun\n"]
        until(lambda: not alive(sleep))

    def test_it_works_while_nothing_is_written(self) -> None:
        interrupt = Interrupt()
        sleep = long_sleep()
        results: list[Finished] = []
        thread = threading.Thread(target=lambda: results.append(run(sleep, interrupt=interrupt)))
        thread.start()
        until(lambda: alive(sleep))
        interrupt.set()
        thread.join(60)
        assert [done.interrupted for done in results] == [True]
        until(lambda: not alive(sleep))

    def test_it_works_while_output_pours(self) -> None:
        interrupt = Interrupt()
        done = run("yes", interrupt=interrupt, on_output=lambda _: interrupt.set())
        assert done.interrupted
        assert done.output.startswith("y\ny\n")

    def test_the_next_command_in_the_folder_waits_until_all_is_gone(self, real_path: Path) -> None:
        interrupt = Interrupt()
        sleep = long_sleep()
        run(
            f"trap '' TERM; echo begun; {sleep}; {sleep}",
            real_path,
            interrupt=interrupt,
            on_output=lambda _: interrupt.set(),
        )
        assert run("echo next", real_path).output == "next\n"
        assert not alive(sleep)

    def test_nothing_starts_after_it(self, tmp_path: Path) -> None:
        interrupt = Interrupt()
        interrupt.set()
        done = run("touch here", tmp_path, interrupt=interrupt)
        assert done.interrupted
        assert list(tmp_path.iterdir()) == []

    def test_a_finished_command_leaves_no_listener(self) -> None:
        interrupt = Interrupt()
        run("true", interrupt=interrupt)
        assert interrupt._listeners == {}


class TestLiveOutput:
    def test_it_comes_while_the_command_runs(self, tmp_path: Path) -> None:
        gate = tmp_path / "gate"

        def show(text: str) -> None:
            if text == "waiting\n":
                gate.touch()

        command = f"echo waiting; until [ -e '{gate}' ]; do sleep 0.01; done; echo through"
        assert run(command, on_output=show).output == "waiting\nthrough\n"

    def test_it_comes_at_a_bounded_rate_and_grows(self) -> None:
        shown: list[str] = []
        done = run("for i in $(seq 60); do echo $i; sleep 0.01; done", on_output=shown.append)
        assert shown
        assert len(shown) <= done.seconds * 10 + 2
        assert all(done.output.startswith(text) for text in shown)

    def test_a_viewer_that_fails_does_not_leave_the_command_behind(self) -> None:
        sleep = long_sleep()

        def fail(text: str) -> None:
            raise RuntimeError(text)

        with pytest.raises(RuntimeError, match="begun"):
            run(f"echo begun; {sleep}", on_output=fail)
        wait_for_stragglers()
        assert not alive(sleep)

    def test_it_is_bounded_too(self) -> None:
        shown: list[str] = []
        run("seq 200000", max_output=1_000, on_output=shown.append)
        assert all(len(text) < 1_100 for text in shown)


def test_a_hundred_megabytes_pass_in_bounded_memory(run_python: Run) -> None:
    program = """
import resource
from pathlib import Path
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.processes import run_command
done = run_command("head -c 100000000 /dev/zero | tr '\\\\0' x; echo; echo end", Path("/"),
    env={"PATH": "/usr/bin:/bin"}, timeout=80, max_output=50_000, interrupt=Interrupt())
assert done.exit_code == 0 and done.truncated, done
assert done.output.startswith("xxx") and done.output.endswith("xxx\\nend\\n")
assert len(done.output) < 51_000
status = Path("/proc/self/status")  # what getrusage tells there includes the parent's memory
if status.exists():
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    peak = int(lines["VmHWM"].split()[0]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert peak < 100_000_000, peak
"""
    run_python(program)


KILLED = """
import sys
from pathlib import Path
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.processes import run_command
run_command(sys.argv[1], Path("/"), env={"PATH": "/usr/bin:/bin"}, timeout=3600,
    max_output=1000, interrupt=Interrupt())
"""


@pytest.mark.parametrize(
    "form",
    [
        "{0}; {0}",
        "{0} & {0} & wait",
        pytest.param(
            "trap '' TERM HUP; (setsid {0} &); {0}; {0}",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="found through /proc"),
        ),
    ],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_commands_die_with_us(form: str, number: signal.Signals) -> None:
    sleep = long_sleep()
    agent = subprocess.Popen(
        [sys.executable, "-c", KILLED, form.format(sleep)],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    try:
        until(lambda: alive(sleep))
        agent.send_signal(number)
        agent.wait(60)
        until(lambda: not alive(sleep))
    finally:
        agent.kill()
        agent.wait()


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_ending_all_children_kills_what_runs_and_what_was_left() -> None:
    running, stubborn = long_sleep(), long_sleep()
    interrupt = Interrupt()
    run(
        f"trap '' TERM; echo x; {stubborn}",
        interrupt=interrupt,
        on_output=lambda _: interrupt.set(),
    )
    thread = in_thread(lambda: run(f"trap '' TERM; {running}; {running}"))
    until(lambda: alive(running))
    end_all_children()
    thread.join(60)
    assert not alive(running)
    assert not alive(stubborn)
    commands = [
        process.info["cmdline"] or []
        for process in psutil.process_iter(["cmdline", "ppid"])
        if process.info["ppid"] == os.getpid()
    ]
    assert [command for command in commands if "hermes-guardian" in command] == []


def test_commands_work_again_after_all_were_ended() -> None:
    end_all_children()
    assert run("echo again").output == "again\n"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_command_cannot_read_our_environment(run_python: Run, tmp_path: Path) -> None:
    program = """
import ctypes, os, sys
from pathlib import Path
import psutil
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.processes import run_command
if os.getuid() == 0:
    os.setuid(65534)  # root may read everything
done = run_command("cat /proc/$PPID/environ", Path("/"), env={"PATH": "/usr/bin:/bin"},
    timeout=60, max_output=100_000, interrupt=Interrupt())
assert done.exit_code != 0 and "a-very-secret-key" not in done.output, done
"""
    run_python(program, MY_API_KEY="a-very-secret-key")
