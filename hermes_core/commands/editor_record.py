"""What was done to which file, kept in ``$HERMES_HOME/editors``, so that it can be undone."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder


@dataclass(frozen=True, slots=True)
class Record:
    """One changed file.

    before: its text before the first change, None where there was no file. after: SHA-256 of what
    was written, empty once more than that has changed. previous: the text of an entry that was
    replaced. parents: how many objects were made around ours. folders: those made for the file.
    """

    before: str | None
    after: str
    previous: str | None
    parents: int
    folders: tuple[str, ...]


class Records:
    """The records of one editor, by file. Raises ``ConfigError`` where they cannot be kept."""

    def __init__(self, home: Path, name: str) -> None:
        self._folder = home / "editors"
        self._path = self._folder / f"{name}.json"
        self._name = name
        self._records = self._read()

    @property
    def files(self) -> list[Path]:
        """The files that were changed and not changed back."""
        return [Path(name) for name in self._records]

    def get(self, file: Path) -> Record | None:
        """Return what was done to ``file``, or None."""
        return self._records.get(str(file))

    def keep(self, file: Path, record: Record) -> None:
        """Remember what is about to be done to ``file``."""
        self._write({**self._records, str(file): record})

    def forget(self, file: Path) -> None:
        """Forget what was done to ``file``: it is undone."""
        self._write({name: one for name, one in self._records.items() if name != str(file)})

    def back_up(self, file: Path, text: str) -> Path | None:
        """Keep a copy of a file that is changed for the first time ever; return where, if so."""
        suffix = digest(str(file))[:8]
        copy = self._folder / f"{self._name}-{suffix}-{file.name}.orig"
        if copy.exists():
            return None
        self._store(copy, text)
        return copy

    def _read(self) -> dict[str, Record]:
        try:
            data: Any = json.loads(self._path.read_text(encoding="utf-8"))
            return {
                name: Record(**{**one, "folders": tuple(one["folders"])})
                for name, one in data.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise ConfigError(
                f"{self._path} cannot be read; it tells what to restore.\n"
                "Correct its permissions, or move it away: then only what is recognised is removed."
            ) from None

    def _write(self, records: dict[str, Record]) -> None:
        self._records = records
        if records:
            self._store(self._path, json.dumps({n: asdict(r) for n, r in records.items()}))
        else:
            self._path.unlink(missing_ok=True)

    def _store(self, path: Path, text: str) -> None:
        try:
            make_private_folder(self._folder)
            write_atomically(path, text.encode("utf-8", "surrogatepass"), 0o600)
        except OSError as error:
            raise ConfigError(
                f"{path} cannot be written: {error.strerror or error}.\nCheck its permissions."
            ) from None


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
