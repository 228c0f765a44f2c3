"""One SQLite file: opened safely, brought to the newest schema, its errors put in words."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from hermes_core.ground.errors import StoreError
from hermes_core.local.folders import make_private_folder

BUSY_WAIT = 5.0
"""Seconds that one try waits for another process's write."""

PATIENCE = 30.0
"""Seconds of such tries before a write gives up."""

_T = TypeVar("_T")

_MIGRATIONS = Path(__file__).parent / "migrations"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "permission denied",
    sqlite3.SQLITE_BUSY: "another process has kept it locked",
    sqlite3.SQLITE_CORRUPT: "it is damaged; at the next start it is set aside",
}


class Database:
    """A connection that many threads may share; each transaction holds it alone.

    notices: what a person should know about the opening, such as a damaged file set aside.
    Raises ``StoreError`` from every method.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: tuple[str, ...] = ()
        self._lock = threading.RLock()
        self._closed = False
        self._suspect = path.with_name(path.name + ".suspect")
        try:
            make_private_folder(path.parent)
            self._make_private()
        except OSError as error:
            raise self._failure((error.strerror or str(error)).lower()) from None
        try:
            self._connection = self._open()
        except sqlite3.Error as error:
            if _code(error) not in _DAMAGE:
                raise self._translate(error) from None
            self._set_aside()
            self._connection = self._open_new()
        self._identity = self._identify()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what the block does, durably, or nothing of it."""
        with self._lock:
            self._require_open()
            if self._identify() != self._identity:
                raise self._failure("its file was removed or replaced while Hermes ran")
            try:
                self._begin()
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                    raise
            except UnicodeEncodeError:
                raise StoreError("A session's id must not hold a lone surrogate.") from None
            except sqlite3.Error as error:
                raise self._translate(error) from None

    def rows(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._lock:
            self._require_open()
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except UnicodeEncodeError:
                return []  # a lone surrogate: nothing stored as plain text can equal it
            except sqlite3.Error as error:
                raise self._translate(error) from None

    def outside_transaction(self, action: Callable[[sqlite3.Connection], _T]) -> _T:
        """Return what ``action`` returns, which SQLite does outside of any transaction."""
        with self._lock:
            self._require_open()
            try:
                return action(self._connection)
            except sqlite3.Error as error:
                raise self._translate(error) from None

    def close(self) -> None:
        """Close the connection; later calls of other methods fail."""
        with self._lock, suppress(sqlite3.Error):
            self._closed = True
            self._connection.close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(
                "The session's store is closed, so nothing can be kept any more. Go on with a new "
                "agent: with the same session_id it knows what was said."
            )

    def _identify(self) -> tuple[int, int] | None:
        """Return which file stands at the path; None if there is none.

        SQLite goes on writing into a file that has been removed, and tells nobody.
        """
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _begin(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
            else:
                return

    def _make_private(self) -> None:
        """Create the file for its owner alone; SQLite gives its side files the same mode."""
        try:
            self.path.touch(0o600, exist_ok=False)
        except FileExistsError:
            mode = self.path.stat().st_mode & 0o777
            if mode & 0o077:
                self.path.chmod(mode & 0o700)

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            self._refuse_foreign(connection)
            self._check_suspect(connection)
            _set_journal(connection)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_new(self) -> sqlite3.Connection:
        try:
            self._make_private()
            return self._open()
        except (sqlite3.Error, OSError) as error:
            raise self._failure(str(error)) from None

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        version = _version(connection)
        newest = len(_migrations())
        if version > newest:
            raise StoreError(
                f"{self.path} was written by a newer Hermes (format {version}, this one knows "
                f"{newest}) and is left as it is. Upgrade Hermes, or point HERMES_HOME elsewhere."
            )
        holds_tables = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
        if version == 0 and holds_tables and _version(connection) == 0:  # not just being set up
            raise StoreError(
                f"{self.path} belongs to another program and is left as it is. "
                "Move it away, or point HERMES_HOME elsewhere."
            )

    def _check_suspect(self, connection: sqlite3.Connection) -> None:
        """Look at every page, but only if damage was met before: it takes a while."""
        if not self._suspect.exists():
            return
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            error = sqlite3.DatabaseError("damaged")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        self._suspect.unlink(missing_ok=True)

    def _set_aside(self) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        number = 1
        while kept.exists():
            number += 1
            kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}-{number}")
        try:
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    self.path.with_name(self.path.name + suffix).rename(f"{kept}{suffix}")
            self._suspect.unlink(missing_ok=True)
        except OSError as error:
            raise self._failure((error.strerror or str(error)).lower()) from None
        self.notices = (
            f"The session store was damaged. It is kept as {kept}; a new, empty one was begun.",
        )

    def _translate(self, error: sqlite3.Error) -> StoreError:
        if _code(error) in _DAMAGE:
            with suppress(OSError):
                self._suspect.touch(0o600)
        return self._failure(_REASONS.get(_code(error)) or str(error))

    def _failure(self, reason: str) -> StoreError:
        return StoreError(
            f"The session store {self.path} cannot be used: {reason}. "
            f"Check the disk and the permissions of {self.path.parent}, or set HERMES_HOME."
        )


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _migrations() -> list[Path]:
    return sorted(_MIGRATIONS.glob("[0-9]*.sql"))


def _set_journal(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log; where the file system has none, SQLite's older journal.

    Another process that does the same at this moment is waited for.
    """
    deadline = time.monotonic() + BUSY_WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_BUSY and time.monotonic() < deadline:
                time.sleep(0.02)
                continue
            if _code(error) not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL):
                raise
            connection.execute("PRAGMA journal_mode = DELETE")
        return


def _migrate(connection: sqlite3.Connection) -> None:
    """Apply, each in a transaction of its own, the migrations that the file has not seen."""
    for number, path in enumerate(_migrations(), start=1):
        if _version(connection) >= number:
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _version(connection) < number:
                for statement in _statements(path.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
