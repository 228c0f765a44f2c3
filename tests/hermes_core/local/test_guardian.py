import subprocess
from collections.abc import Iterator

import pytest

from hermes_core.local.guardian import Guardian
from tests.hermes_core.local.processes_seen import alive, long_sleep, until


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    guardian = Guardian("HERMES_COMMAND_ID=no-such-mark.")
    yield guardian
    guardian.close()


def group(command: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command.split(), start_new_session=True)


def test_at_its_end_it_kills_what_it_watches_and_nothing_else(guardian: Guardian) -> None:
    watched, forgotten = long_sleep(), long_sleep()
    one, two = group(watched), group(forgotten)
    try:
        guardian.watch(one.pid)
        guardian.watch(two.pid)
        guardian.forget(two.pid)
        guardian.close()
        assert one.wait(60) == -9
        assert two.poll() is None
    finally:
        for process in (one, two):
            process.kill()
            process.wait()


def test_it_kills_by_mark(guardian: Guardian) -> None:
    sleep = long_sleep()
    env = {"PATH": "/usr/bin:/bin", "HERMES_COMMAND_ID": "no-such-mark.7"}
    process = subprocess.Popen(sleep.split(), env=env)
    try:
        guardian.watch(2**22 + 1)
        guardian.close()
        assert process.wait(60) == -9
    finally:
        process.kill()
        process.wait()


def test_it_is_started_again_if_somebody_killed_it(guardian: Guardian) -> None:
    sleep = long_sleep()
    process = group(sleep)
    try:
        guardian.watch(process.pid)
        first = guardian.pid()
        assert first is not None
        subprocess.run(["kill", "-9", str(first)], check=True)
        until(lambda: not alive_pid(first))
        guardian.watch(process.pid)
        assert guardian.pid() != first
        guardian.close()
        assert process.wait(60) == -9
    finally:
        process.kill()
        process.wait()


def alive_pid(pid: int) -> bool:
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_closing_twice_and_telling_nobody_do_no_harm(guardian: Guardian) -> None:
    guardian.forget(1)
    guardian.close()
    guardian.close()
    assert guardian.pid() is None
    assert not alive("hermes-guardian")
