import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.processes import Finished, end_all_children, wait_for_stragglers
from tests.hermes_core.local.conftest import Run as RunPython
from tests.hermes_core.local.processes_seen import alive, long_sleep, until
from tests.hermes_core.local.walls import ENV, SECRET, WALLS, Land, run, walled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


Held = Callable[..., Finished]


@pytest.fixture
def land(real_path: Path) -> Land:
    return Land(real_path)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    end_all_children()


@pytest.fixture(params=WALLS)
def unasked(request: Any, land: Land, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Runs a command unasked, behind either wall."""
    with walled(request.param, monkeypatch):
        yield lambda command, **options: run(command, land.workspace, land.unasked, **options)


@pytest.fixture
def approved(land: Land, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Runs a command that was approved, behind the wall for that."""
    with walled("bubblewrap", monkeypatch):
        yield lambda command, **options: run(command, land.workspace, land.approved, **options)


@pytest.fixture(params=["unasked-bubblewrap", "unasked-Landlock", "approved-bubblewrap"])
def held(request: Any, land: Land, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Runs a command behind any wall."""
    kind, _, wall = request.param.partition("-")
    with walled(wall, monkeypatch):
        policy = getattr(land, kind)
        yield lambda command, **options: run(command, land.workspace, policy, **options)


def contents(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return what can be told of every file in ``folder``: content, mode and time."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else b"",
            path.stat().st_mode,
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
    }


CHANGES = (
    "echo x >file",
    "echo x >>file",
    "echo x >new",
    "mkdir new",
    "ln -s file new",
    "ln file new",
    "mkfifo new",
    "rm file",
    "mv file new",
    "chmod 777 file",
    "chown 1:1 file",
    "touch -d 2001-01-01 file",
    "truncate -s 0 file",
    "python3 -c 'import os; os.truncate(\"file\", 0)'",
    'python3 -c \'import os; os.setxattr("file", "user.a", b"b")\'',
    "echo x >../outside",
    "echo x >../home/skills/note",
    "rm -rf ../home",
)


class TestUnasked:
    def test_it_reads(self, unasked: Held) -> None:
        done = unasked("cat file; exit 3")
        assert (done.output, done.exit_code) == ("content\n", 3)

    def test_it_changes_nothing(self, unasked: Held, land: Land) -> None:
        before = contents(land.workspace.parent)
        for command in CHANGES:
            unasked(command)
            assert contents(land.workspace.parent) == before, command

    def test_it_may_write_to_null_and_to_a_folder_of_its_own(self, unasked: Held) -> None:
        done = unasked(
            'echo x >/dev/null && echo there >"$TMPDIR/x" && cat "$TMPDIR/x" && echo "$TMPDIR"'
        )
        first, folder = done.output.split()
        assert first == "there"
        if done.walled:
            assert not os.path.exists(f"{folder}/x")

    def test_it_has_no_sockets(self, unasked: Held, land: Land) -> None:
        accepted = []
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            kinds = ("AF_INET, SOCK_STREAM", "AF_INET, SOCK_DGRAM", "AF_UNIX, SOCK_STREAM")
            commands = [f"echo x >/dev/tcp/127.0.0.1/{port}", f"echo x >/dev/udp/127.0.0.1/{port}"]
            for kind in kinds:
                made = ", ".join(f"socket.{one}" for one in kind.split(", "))
                commands.append(f"python3 -c 'import socket; socket.socket({made})'")
            accepted += [unasked(command).exit_code for command in commands]
            server.setblocking(False)
            with pytest.raises(BlockingIOError):
                server.accept()
        assert 0 not in accepted

    def test_other_processes_tell_it_nothing(self, unasked: Held, run_python: RunPython) -> None:
        env = {"CANARY": SECRET}
        with subprocess.Popen(["sleep", "300"], env={**ENV, **env}) as other:
            try:
                done = unasked(f"cat /proc/{other.pid}/environ; grep -sl {SECRET} /proc/*/environ")
            finally:
                other.kill()
        assert SECRET not in done.output.replace("Permission", "")
        assert "/environ\n" not in done.output.replace("environ: ", "")

    def test_root_cannot_undo_it(self, unasked: Held, land: Land) -> None:
        done = unasked(f"mount -o remount,rw / ; umount {land.home}; echo x >../outside")
        assert done.exit_code != 0
        assert not (land.workspace.parent / "outside").exists()


class TestApproved:
    def test_it_may_write_where_its_user_may(self, approved: Held, land: Land) -> None:
        done = approved("echo x >new && echo x >../outside && chmod 600 new && echo done")
        assert done.output == "done\n"
        assert (land.workspace / "new").stat().st_mode & 0o777 == 0o600
        assert (land.workspace.parent / "outside").exists()

    def test_it_has_the_network(self, approved: Held) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            assert approved(f"echo hello >/dev/tcp/127.0.0.1/{port}").exit_code == 0
            with server.accept()[0] as connection:
                assert connection.recv(64) == b"hello\n"

    def test_our_own_home_stays_as_it_is(self, approved: Held, land: Land) -> None:
        before = contents(land.home)
        for command in (
            "echo mode: bypass >../home/config.yaml",
            "echo x >../home/new",
            "echo x >../home/skills/note",
            "rm -rf ../home",
            "mv ../home ../elsewhere",
            "umount ../home && rm -rf ../home",
        ):
            approved(command)
            assert contents(land.home) == before, command

    def test_it_sees_its_own_processes_alone(self, approved: Held) -> None:
        done = approved(f"kill -0 {os.getpid()} || echo nobody; ls -d /proc/[0-9]* | wc -l")
        assert "nobody\n" in done.output
        assert int(done.output.split()[-1]) < 8

    def test_the_user_may_want_it_free(self, approved: Held, land: Land) -> None:
        for mode, kept in (("auto", True), ("unasked", False), ("off", False)):
            done = approved("cat ../home/.env", sandbox=mode)
            assert (SECRET not in done.output) is kept, mode


class TestKeys:
    def test_no_command_sees_them(self, held: Held, land: Land) -> None:
        done = held(
            f"cat {land.home}/.env {land.home}/*.* {land.home}/.e*; cat ../home/skills/note"
        )
        assert SECRET not in done.output
        assert done.output.endswith("a skill\n")

    def test_not_where_a_link_leads_either(self, held: Held, land: Land) -> None:
        elsewhere = land.home.parent / "dotfiles"
        elsewhere.mkdir()
        os.replace(land.home / ".env", elsewhere / "env")
        (land.home / ".env").symlink_to(elsewhere / "env")
        assert SECRET not in held("cat ../dotfiles/env ../home/.env").output

    def test_nor_when_they_are_written_anew(self, held: Held, land: Land) -> None:
        def renew(text: str) -> None:
            if text == "begun\n":
                for name in (".env", "auth.json"):
                    (land.home / "fresh").write_text(f"{SECRET}\n")
                    os.replace(land.home / "fresh", land.home / name)
                os.mkfifo(land.workspace / "gate.new")
                os.replace(land.workspace / "gate.new", land.workspace / "gate")
                threading.Thread(target=(land.workspace / "gate").write_text, args=("go",)).start()

        done = held(
            "echo begun; until [ -p gate ]; do sleep 0.01; done; cat gate ../home/.env "
            "../home/auth.json",
            on_output=renew,
        )
        assert done.output.startswith("begun\ngo")
        assert SECRET not in done.output

    def test_a_home_that_is_missing_is_not_made(self, held: Held, land: Land) -> None:
        shutil.rmtree(land.home)
        assert held("echo fine").output == "fine\n"
        assert not land.home.exists()

    def test_a_home_in_the_users_own_place_does_not_close_that(
        self, land: Land, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(land.home))
        with walled("bubblewrap", monkeypatch):
            done = run(f"echo x >{land.home}/new; cat {land.home}/.env", land.home, land.approved)
        assert SECRET not in done.output
        assert (land.home / "new").exists()


ESCAPES = ("setsid {} &", "(setsid {} &)", "env -i setsid -f {}", "env -i sh -c '(setsid {} &)'")


class TestEnds:
    @pytest.mark.parametrize("form", ESCAPES)
    def test_nothing_outlives_a_command(self, held: Held, form: str) -> None:
        sleep = long_sleep()
        done = held(f"{form.format(sleep)} >/dev/null 2>&1\necho started; exit 4")
        assert (done.output, done.exit_code) == ("started\n", 4)
        wait_for_stragglers()
        assert not alive(sleep)

    def test_nor_one_that_is_over_its_time(self, held: Held) -> None:
        sleep = long_sleep()
        done = held(f"trap '' TERM; env -i setsid -f {sleep}; echo begun; {sleep}", timeout=0.5)
        assert done.timed_out
        assert done.output == "begun\n"
        wait_for_stragglers()
        assert not alive(sleep)

    def test_it_may_say_goodbye(self, held: Held) -> None:
        command = f"trap 'echo bye; exit 5' TERM; {long_sleep()} & wait"
        done = held(command, timeout=0.7)
        assert (done.output, done.timed_out) == ("bye\n", True)

    def test_an_interrupt_ends_it(self, held: Held) -> None:
        interrupt, sleep = Interrupt(), long_sleep()
        done = held(
            f"trap '' TERM; (setsid {sleep} &); echo begun; {sleep}",
            interrupt=interrupt,
            on_output=lambda _: interrupt.set(),
        )
        assert done.interrupted
        until(lambda: not alive(sleep))

    def test_it_goes_on_when_the_thread_that_began_it_ends(self, approved: Held) -> None:
        interrupt, sleep = Interrupt(), long_sleep()
        command = f"trap 'echo bye >bye' TERM; echo begun; {sleep} & wait; wait"

        def begin() -> None:
            approved(command, interrupt=interrupt, on_output=lambda _: interrupt.set())

        thread = threading.Thread(target=begin)
        thread.start()
        thread.join(60)
        wait_for_stragglers()
        assert not alive(sleep)
        assert approved("cat bye").output == "bye\n"


AGENT = """
import sys
from pathlib import Path
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.confinement import Confinement
from hermes_core.local.processes import run_command
policy = getattr(Confinement, sys.argv[2])(Path("/nowhere"), [])
run_command(sys.argv[1], Path("/"), env={"PATH": "/usr/bin:/bin"}, timeout=3600,
    max_output=1000, interrupt=Interrupt(), confinement=policy)
"""


@pytest.mark.parametrize("kind", ["unasked", "approved"])
def test_commands_die_with_us(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with walled("bubblewrap", monkeypatch):
        sleep = long_sleep()
        argv = [sys.executable, "-c", AGENT, f"env -i setsid -f {sleep}; {sleep}", kind]
        agent = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": os.getcwd()})
        try:
            until(lambda: alive(sleep))
            agent.kill()
            agent.wait(60)
            until(lambda: not alive(sleep))
        finally:
            agent.kill()
            agent.wait()
