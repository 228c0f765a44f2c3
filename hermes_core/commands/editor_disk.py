"""An editor's file on the disk: read whole, written whole, links followed to the real file."""

import os
import stat
from pathlib import Path

from hermes_core.ground.errors import ConfigError
from hermes_core.local.files import write_atomically

LARGEST = 5_000_000


def real_file(path: Path) -> Path:
    """Return the file that ``path`` leads to, which need not be there.

    Dotfiles are often links into a repository; what stands there is what gets changed. Raises
    ``ConfigError`` for a link that leads nowhere, or in a circle.
    """
    for part in reversed((path, *path.parents)):
        if part.is_symlink() and not part.exists():
            raise ConfigError(
                f"{part} is a link to {os.readlink(part)}, which is not there.\n"
                "Make what it points to, or remove the link, then run this again."
            )
    return Path(os.path.realpath(path))


def read_file(path: Path) -> str | None:
    """Return the text of a real file, None if there is none. Raises ``ConfigError``."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            what = "too large" if stat.S_ISREG(status.st_mode) else "not a file"
            raise ConfigError(f"{path} is {what}.\nName another file with --file.")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8.\nSave it as UTF-8 first.") from None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {_reason(error)}.\nCheck its permissions."
        ) from None


def write_file(path: Path, text: str) -> tuple[Path, ...]:
    """Write a real file whole; return the folders that were made for it, the outermost first.

    Raises ``ConfigError``; the file is then as it was.
    """
    made = [folder for folder in reversed(path.parents) if not folder.exists()]
    try:
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "it is read-only")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {_reason(error)}.\n"
            "If another program manages it, add the lines of the diff there."
        ) from None
    return tuple(made)


def remove_file(path: Path, folders: tuple[str, ...]) -> None:
    """Remove a file, and of ``folders`` those that are empty then. Raises ``ConfigError``."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be removed: {_reason(error)}.\nRemove it by hand."
        ) from None
    for folder in reversed(folders):
        try:
            Path(folder).rmdir()
        except OSError:
            return


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
