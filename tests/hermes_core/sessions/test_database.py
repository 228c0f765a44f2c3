import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import user_message
from hermes_core.sessions import database
from hermes_core.sessions.store import SessionRow, Store


def filled(path: Path, messages: int = 200) -> None:
    """Leave a closed store with the session ``s`` behind."""
    store = Store(path)
    store.create_session(SessionRow("s", "/w"))
    store.append("s", [user_message(f"{n} " + "x" * 500) for n in range(messages)], ())
    store.close()


def overfill(store: Store) -> None:
    for _ in range(100):
        store.append_message("s", user_message("y" * 5_000))


def side_files(path: Path) -> list[str]:
    return sorted(entry.name.removeprefix(path.name) for entry in path.parent.iterdir())


class TestOpening:
    def test_home_and_files_are_their_owners_alone(self, path: Path) -> None:
        store = Store(path)
        store.create_session(SessionRow("s", "/w"))
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert side_files(path) == ["", "-shm", "-wal"]
        for entry in path.parent.iterdir():
            assert stat.S_IMODE(entry.stat().st_mode) == 0o600
        store.close()

    def test_a_file_that_others_could_read_is_closed_to_them(self, path: Path) -> None:
        filled(path)
        path.chmod(0o644)
        Store(path).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_what_is_committed_is_synced(self, store: Store) -> None:
        assert store._db.rows("PRAGMA journal_mode") == [("wal",)]
        assert store._db.rows("PRAGMA synchronous") == [(2,)]
        assert store._db.rows("PRAGMA busy_timeout") == [(5000,)]

    def test_opening_again_changes_nothing(self, path: Path) -> None:
        filled(path)
        store = Store(path)
        assert store.notices == ()
        assert len(store.messages("s")) == 200
        store.close()

    def test_a_closed_store_says_so(self, path: Path) -> None:
        filled(path)
        store = Store(path)
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.messages("s")
        with pytest.raises(StoreError, match="closed"):
            store.append_message("s", user_message("x"))

    @pytest.mark.parametrize("replaced", [False, True])
    def test_a_file_that_was_removed_takes_no_more(self, path: Path, replaced: bool) -> None:
        filled(path)
        store = Store(path)
        shutil.rmtree(path.parent)
        if replaced:
            filled(path)
        with pytest.raises(StoreError, match="removed or replaced while Hermes ran"):
            store.append_message("s", user_message("lost"))
        store.close()

    def test_a_home_that_cannot_be_made_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(StoreError, match=r"cannot be used: not a directory\. Check the disk"):
            Store(tmp_path / "file" / "home" / "x.db")

    def test_a_folder_in_the_place_of_the_file_is_told(self, path: Path) -> None:
        path.mkdir(parents=True)
        with pytest.raises(StoreError, match="cannot be used: it cannot be opened"):
            Store(path)

    @pytest.mark.parametrize("existing", [False, True])
    def test_a_home_that_is_read_only_is_told(self, existing: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder, "home")
            if existing:
                filled(home / "x.db")
                (home / "x.db").chmod(0o400)
            else:
                home.mkdir()
            home.chmod(0o555)
            Path(folder).chmod(0o755)
            done = subprocess.run(
                [sys.executable, "-c", OPENING, str(home)],
                env={**os.environ, "PYTHONPATH": os.getcwd()},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            home.chmod(0o700)
        assert done.returncode == 0, done.stderr
        assert "cannot be used: " in done.stdout
        assert "Check the disk and the permissions of" in done.stdout


OPENING = """
import os, sys
from pathlib import Path
from hermes_core.ground.errors import StoreError
from hermes_core.sessions.store import SessionRow, Store
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    Store(Path(sys.argv[1]) / "x.db").create_session(SessionRow("new", "/w"))
except StoreError as error:
    sys.stdout.write(str(error))
else:
    sys.exit("no error")
"""


class TestSchema:
    def test_a_newer_one_is_refused_unharmed(self, path: Path) -> None:
        filled(path)
        newer = sqlite3.connect(path)
        newer.execute("PRAGMA user_version = 99")
        newer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        newer.close()
        before = path.read_bytes()
        with pytest.raises(StoreError, match=r"written by a newer Hermes \(format 99, this one"):
            Store(path)
        assert path.read_bytes() == before
        assert "" in side_files(path)
        assert not [name for name in side_files(path) if "damaged" in name]

    def test_a_file_of_another_program_is_refused_unharmed(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700)
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE theirs (x)")
        other.close()
        before = path.read_bytes()
        with pytest.raises(StoreError, match="belongs to another program"):
            Store(path)
        assert path.read_bytes() == before

    def test_migrations_are_applied_in_order_and_once(
        self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled(path)
        folder = tmp_path / "migrations"
        shutil.copytree(database._MIGRATIONS, folder)
        number = len(database._migrations())
        (folder / f"{number + 1:04}_more.sql").write_text(
            "ALTER TABLE sessions ADD COLUMN extra TEXT; -- a; comment\n"
            "CREATE TRIGGER t AFTER INSERT ON shown BEGIN\n  SELECT 1;\n  SELECT 2;\nEND;\n"
        )
        monkeypatch.setattr(database, "_MIGRATIONS", folder)
        for _ in range(2):
            store = Store(path)
            assert store._db.rows("PRAGMA user_version") == [(number + 1,)]
            assert store._db.rows("SELECT DISTINCT extra FROM sessions") == [(None,)]
            assert len(store.messages("s")) == 200
            store.close()

    def test_a_migration_that_fails_leaves_the_old_file(
        self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled(path)
        folder = tmp_path / "migrations"
        shutil.copytree(database._MIGRATIONS, folder)
        number = len(database._migrations())
        (folder / f"{number + 1:04}_bad.sql").write_text("DROP TABLE shown;\nNONSENSE;\n")
        monkeypatch.setattr(database, "_MIGRATIONS", folder)
        with pytest.raises(StoreError, match="syntax error"):
            Store(path)
        monkeypatch.undo()
        store = Store(path)
        assert len(store.messages("s")) == 200
        assert list(store.shown("s")) == []
        store.close()


class TestDamage:
    @pytest.mark.parametrize("harm", ["header", "short", "cut"])
    def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(self, path: Path, harm: str) -> None:
        filled(path)
        data = path.read_bytes()
        bad = {"header": b"garbage!" * 20 + data[160:], "short": data[:50], "cut": data[:20_000]}
        path.write_bytes(bad[harm])
        store = Store(path)
        assert len(store.notices) == 1
        assert "was damaged. It is kept as" in store.notices[0]
        kept = [entry for entry in path.parent.iterdir() if ".damaged-" in entry.name]
        assert len(kept) == 1
        assert str(kept[0]) in store.notices[0]
        assert kept[0].read_bytes() == bad[harm]
        store.create_session(SessionRow("new", "/w"))
        store.append_message("new", user_message("x"))
        store.close()
        again = Store(path)
        assert again.notices == ()
        assert len(again.messages("new")) == 1
        again.close()

    def test_a_second_damaged_file_does_not_replace_the_first(self, path: Path) -> None:
        for _ in range(2):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"garbage!" * 100)
            Store(path).close()
        assert len([e for e in path.parent.iterdir() if ".damaged-" in e.name]) == 2

    def test_damage_met_while_working_is_told_and_mended_at_the_next_start(
        self, path: Path
    ) -> None:
        filled(path, 2_000)
        data = bytearray(path.read_bytes())
        page = 4096
        for offset in range(page * 40, len(data) - page, page):  # behind the schema
            data[offset : offset + page] = b"\xff" * page
        path.write_bytes(data)
        store = Store(path)
        assert store.notices == ()
        with pytest.raises(StoreError, match="it is damaged; at the next start it is set aside"):
            store.messages("s")
        store.close()
        again = Store(path)
        assert "was damaged" in again.notices[0]
        again.create_session(SessionRow("s", "/w"))
        again.close()
        third = Store(path)
        assert third.notices == ()
        third.close()

    def test_a_suspicion_that_is_unfounded_is_dropped(self, path: Path) -> None:
        filled(path)
        path.with_name(path.name + ".suspect").touch()
        store = Store(path)
        assert store.notices == ()
        assert len(store.messages("s")) == 200
        store.close()
        assert side_files(path) == [""]

    def test_lost_and_stale_side_files_are_survived(self, path: Path) -> None:
        filled(path)
        path.with_name(path.name + "-shm").write_bytes(b"\xff" * 32_768)
        path.with_name(path.name + "-wal").write_bytes(b"nonsense" * 100)
        store = Store(path)
        assert store.notices == ()
        assert len(store.messages("s")) == 200
        store.close()


class TestTrouble:
    def test_a_full_disk_is_told_and_passes(self, path: Path) -> None:
        filled(path)
        store = Store(path)
        pages = store._db.rows("PRAGMA page_count")[0][0]
        store._db.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"cannot be used: the disk is full\. Check the disk"):
            overfill(store)
        count = len(store.messages("s"))
        assert count >= 200
        store._db.rows("PRAGMA max_page_count = 1000000")
        store.append_message("s", user_message("space again"))
        assert len(store.messages("s")) == count + 1
        store.close()

    def test_a_write_that_the_system_refuses_leaves_the_store_readable(self, path: Path) -> None:
        filled(path)
        store = Store(path)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            with pytest.raises(StoreError, match="cannot be used"):
                overfill(store)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        store.append_message("s", user_message("space again"))
        assert store.messages("s")[-1] == user_message("space again")
        store.close()
        check = sqlite3.connect(path)
        assert check.execute("PRAGMA quick_check").fetchone() == ("ok",)
        check.close()

    def test_a_lock_that_is_never_given_back_is_told(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled(path)
        monkeypatch.setattr(database, "BUSY_WAIT", 0.05)
        monkeypatch.setattr(database, "PATIENCE", 0.2)
        store = Store(path)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has kept it locked"):
            store.append_message("s", user_message("x"))
        assert len(store.messages("s")) == 200
        blocker.execute("ROLLBACK")
        blocker.close()
        store.append_message("s", user_message("x"))
        store.close()

    def test_an_error_in_the_block_undoes_it(self, store: Store) -> None:
        def fail() -> None:
            with store._db.transaction() as db:
                db.execute("DELETE FROM sessions")
                raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert store.session("s") is not None


def test_without_a_write_ahead_log_the_older_journal_serves(path: Path) -> None:
    class NoLog(sqlite3.Connection):
        def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
            if "WAL" in sql:
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR
                raise error
            return super().execute(sql, *rest)

    path.parent.mkdir()
    connection = sqlite3.connect(path, factory=NoLog)
    database._set_journal(connection)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
