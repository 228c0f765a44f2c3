"""Commands as scripts that another program starts: once, with our environment, behind our wall."""

import os
import select
import shlex
import signal
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hermes_core.local import bubblewrap, errand
from hermes_core.local.errand import FOLDER, KEPT_SECONDS, Errand, script_of, write_errand
from hermes_core.local.processes import approved_argv
from hermes_core.local.wall import Wall
from tests.hermes_core.local.walls import ENV, SECRET, Land, walled

FOREIGN = {"PATH": "/usr/bin:/bin", "EXAMPLE_API_KEY": "a-key", "BASH_ENV": "/nowhere"}
NOT_AGAIN = 126


@pytest.fixture
def land(tmp_path: Path) -> Land:
    return Land(tmp_path)


def made(land: Land, command: str, env: dict[str, str] | None = None) -> Errand:
    script = script_of(approved_argv(command), land.workspace, env or ENV, None)
    return write_errand(land.home, command, script)


def start(argv: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    """Start it as an editor would, in another folder and with another environment."""
    return subprocess.run(argv, cwd="/", env=FOREIGN, capture_output=True, timeout=60, check=False)


def script_path(one: Errand) -> Path:
    return Path(one.argv[-1])


def test_it_runs_in_its_folder_with_its_environment_alone(land: Land) -> None:
    env = {**ENV, "ODD": "it's\n$HOME `x`", "not a name": "x", "UID": "7", "TERM": "dumb"}
    command = 'pwd; printf "%s." "$ODD"; env | cut -d= -f1 | sort | tr "\\n" " "; cat; exit 3'
    one = made(land, command, env)
    assert "UID=" not in script_path(one).read_text()  # which some shells do not let anybody set
    done = start(one.argv)
    folder, _, rest = done.stdout.decode().partition("\n")
    assert folder == str(land.workspace)
    odd, _, names = rest.partition(".")
    assert odd == env["ODD"]
    assert {"PATH", "LC_ALL", "ODD", "TERM"} <= set(names.split())
    assert not {"EXAMPLE_API_KEY", "BASH_ENV", "not"} & set(names.split())
    assert done.returncode == 3


@pytest.mark.parametrize("form", ["argv", "joined", "quoted"])
def test_words_mean_the_same_however_they_are_put_together(land: Land, form: str) -> None:
    argv = made(land, "echo 'a  b' | cat").argv
    lines = {"joined": " ".join(argv), "quoted": shlex.join(argv)}
    words = argv if form == "argv" else ("/bin/sh", "-c", lines[form])
    assert start(words).stdout == b"a  b\n"


def test_it_runs_once(land: Land) -> None:
    one = made(land, "echo ran >>log")
    assert start(one.argv).returncode == 0
    assert start(one.argv).returncode == NOT_AGAIN
    assert not one.withdraw()
    one.discard()
    assert start(one.argv).returncode != 0
    assert (land.workspace / "log").read_text() == "ran\n"


def test_what_was_taken_back_never_runs(land: Land) -> None:
    one = made(land, "echo ran >log")
    assert one.withdraw()
    assert start(one.argv).returncode == NOT_AGAIN
    one.discard()
    assert not script_path(one).exists()
    assert not (land.workspace / "log").exists()


def test_where_its_folder_has_gone_nothing_runs(land: Land) -> None:
    one = made(land, "echo ran")
    (land.workspace / "file").unlink()
    land.workspace.rmdir()
    done = start(one.argv)
    assert done.returncode == NOT_AGAIN
    assert done.stdout == b""


def test_it_is_for_its_owner_alone_and_named_after_its_command(land: Land) -> None:
    one = made(land, "git commit -m 'Fix it'")
    path = script_path(one)
    assert path.parent == land.home / FOLDER
    assert "-git-commit-m-fix-it-" in path.name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_path_that_needs_quotes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="quotes"):
        write_errand(tmp_path / "my home", "ls", "ls")


def test_what_is_old_is_removed_and_what_is_not_ours_stays(
    land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = made(land, "ls")
    one.withdraw()
    (land.home / FOLDER / "notes.sh").write_text("")
    made(land, "ls")
    assert len(os.listdir(land.home / FOLDER)) == 4
    now = errand.time.time()
    monkeypatch.setattr(errand.time, "time", lambda: now + KEPT_SECONDS + 60)
    made(land, "ls")
    left = os.listdir(land.home / FOLDER)
    assert len(left) == 2
    assert "notes.sh" in left


class TestBehindTheWall:
    """The wall of an approved command, started by another program."""

    @pytest.fixture
    def wall(self, land: Land, monkeypatch: pytest.MonkeyPatch) -> Wall:
        with walled("bubblewrap", monkeypatch) as sandbox:
            found = sandbox.wall(land.approved, "auto")
            assert found is not None
            return found

    def behind(self, land: Land, wall: Wall, command: str) -> Errand:
        script = script_of(approved_argv(command), land.workspace, ENV, wall)
        return write_errand(land.home, command, script)

    def test_it_sees_no_keys_of_ours_and_changes_nothing_there(
        self, land: Land, wall: Wall
    ) -> None:
        command = f"echo new >new; cat {land.home}/.env; echo x >{land.home}/x; exit 5"
        done = start(self.behind(land, wall, command).argv)
        assert done.returncode == 5
        assert SECRET not in done.stdout.decode()
        assert not (land.home / "x").exists()
        assert (land.workspace / "new").read_text() == "new\n"

    def test_parts_of_the_settings_of_ssh_are_ours(
        self, land: Land, wall: Wall, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        part = tmp_path / "part.conf"
        part.write_text("Host 'a'\n  $x `y`\n")
        given = [(str(part), b"copied $x `y`\nHost 'b'\n")]
        monkeypatch.setattr(bubblewrap, "_ssh_parts", lambda _: iter(given))
        done = start(self.behind(land, wall, f"cat {part}").argv)
        assert done.stdout.rstrip() == given[0][1].rstrip()

    def test_killing_its_shell_ends_all_of_it(self, land: Land, wall: Wall) -> None:
        pipe = land.workspace / "pipe"
        os.mkfifo(pipe)
        command = "exec >pipe; (trap '' TERM HUP INT; echo begun; exec sleep 600) & wait"
        one = self.behind(land, wall, command)
        with subprocess.Popen(one.argv, env=FOREIGN) as process, pipe.open("rb") as held:
            assert held.readline() == b"begun\n"
            process.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([held], [], [], 30)
            assert ended  # it is at its end once nobody holds the other one
            assert held.read() == b""
