"""The file of keys: for its owner alone, whole at any moment, and shared with others."""

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.providers import auth_store
from hermes_core.providers.auth_store import AuthStore, section

ADD = """
import sys
from pathlib import Path
from hermes_core.ground.secrets import Secret
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.pool import add_key
store = AuthStore(Path(sys.argv[1]))
for number in range(12):
    with store.locked():
        data = store.read()
        add_key(data, "zai", Secret(f"canary-{sys.argv[2]}-{number}"), "")
        store.write(data)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def stored(home: Path, data: object) -> AuthStore:
    store = AuthStore(home)
    store.path.write_text(data if isinstance(data, str) else json.dumps(data))
    store.path.chmod(0o600)
    return store


def test_nothing_there_is_nothing_stored(tmp_path: Path) -> None:
    assert AuthStore(tmp_path / "none").read() == {}
    assert not (tmp_path / "none").exists()


def test_what_is_written_is_private_from_its_first_byte(tmp_path: Path) -> None:
    store = AuthStore(tmp_path / "new" / "home")
    old = os.umask(0)
    try:
        with store.locked():
            store.write({"providers": {"nous": {"access_token": "a"}}})
    finally:
        os.umask(old)
    assert mode(store.path) == 0o600
    assert mode(store.path.with_name("auth.lock")) == 0o600
    assert mode(store.path.parent) == 0o700
    assert store.read()["providers"] == {"nous": {"access_token": "a"}}
    assert store.read()["version"] == 1


def test_other_programs_entries_and_unknown_fields_stay(tmp_path: Path) -> None:
    theirs = {
        "version": 4,
        "providers": {"spotify": {"access_token": "s", "odd": [1, None]}},
        "credential_pool": {"zai": [{"id": "a1", "request_count": 7, "label": "é"}]},
        "suppressed_sources": {"zai": ["env:ZAI_API_KEY"]},
        "theirs": {"deep": True},
    }
    store = stored(tmp_path, theirs)
    with store.locked():
        data = store.read()
        section(data, "providers")["nous"] = {"access_token": "n"}
        store.write(data)
    after = store.read()
    assert after.pop("written_by") == "hermes-editor-agent"
    assert after["providers"].pop("nous") == {"access_token": "n"}
    assert after == theirs
    assert json.loads(store.original.read_text()) == theirs
    assert mode(store.original) == 0o600


def test_the_copy_is_made_once(tmp_path: Path) -> None:
    store = stored(tmp_path, {"theirs": 1})
    for number in range(2):
        with store.locked():
            store.write({**store.read(), "number": number})
    assert json.loads(store.original.read_text()) == {"theirs": 1}


def test_a_file_of_our_own_is_not_copied(tmp_path: Path) -> None:
    store = AuthStore(tmp_path)
    for number in range(2):
        with store.locked():
            store.write({**store.read(), "number": number})
    assert not store.original.exists()


def test_open_permissions_are_closed_and_that_is_said(tmp_path: Path) -> None:
    store = stored(tmp_path, {"providers": {}})
    store.path.chmod(0o644)
    assert store.read() == {"providers": {}}
    assert mode(store.path) == 0o600
    assert "could be read by other users" in store.notices[0]


def test_a_link_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("{}")
    store = AuthStore(tmp_path)
    store.path.symlink_to(target)
    with pytest.raises(ConfigError, match="is a link"):
        store.read()
    with store.locked(), pytest.raises(ConfigError, match="is a link"):
        store.write({"providers": {"nous": {}}})
    assert target.read_text() == "{}"


def test_somebody_elses_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stored(tmp_path, {"providers": {}})
    monkeypatch.setattr(os, "geteuid", lambda: store.path.stat().st_uid + 1)
    with pytest.raises(ConfigError, match="belongs to another user"):
        store.read()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    store = AuthStore(tmp_path)
    make(store.path)
    with pytest.raises(ConfigError, match="not a regular file"):
        store.read()


def test_too_much_is_refused(tmp_path: Path) -> None:
    store = stored(tmp_path, " " * (auth_store.MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="too long"):
        store.read()


@pytest.mark.parametrize("text", ["{", "[]", '{"a": ', "\x00", "[" * 100_000, '"x"'])
def test_a_damaged_file_is_kept_aside(tmp_path: Path, text: str) -> None:
    store = stored(tmp_path, text)
    assert store.read() == {}
    assert "damaged" in store.notices[0]
    with store.locked():
        store.write({**store.read(), "providers": {"nous": {}}})
    assert store.read()["providers"] == {"nous": {}}
    (copy,) = tmp_path.glob("auth.json.corrupt-*")
    assert copy.read_text() == text
    assert mode(copy) == 0o600


def test_an_empty_file_is_not_damaged(tmp_path: Path) -> None:
    store = stored(tmp_path, "\n")
    assert store.read() == {}
    assert store.notices == []


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    both = [subprocess.Popen([sys.executable, "-c", ADD, str(tmp_path), name]) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    tokens = [
        entry["access_token"] for entry in AuthStore(tmp_path).read()["credential_pool"]["zai"]
    ]
    assert sorted(tokens) == sorted(
        f"canary-{name}-{number}" for name in "ab" for number in range(12)
    )
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_waiting_for_the_lock_can_be_broken_off(tmp_path: Path) -> None:
    interrupt = Interrupt()
    ended = threading.Event()

    def want() -> None:
        with pytest.raises(Interrupted), AuthStore(tmp_path).locked(interrupt):
            pass
        ended.set()

    with AuthStore(tmp_path).locked():
        thread = threading.Thread(target=want)
        thread.start()
        assert not ended.is_set()
        interrupt.set()
        assert ended.wait(30)
    thread.join()


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    store = AuthStore(tmp_path / "home")
    with pytest.raises(ConfigError, match="cannot be written"), store.locked():
        pass
