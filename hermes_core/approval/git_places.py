"""Whether what git reads of a repository lies where the repository is.

A git folder can name another one as its own (``commondir``, ``alternates``, links), and then
``git log -p`` shows what lies outside the workspace. See gitrepository-layout(5).
"""

import os
import stat
from collections.abc import Iterator

from hermes_core.approval.operands import is_below

_MAX_ENTRIES = 5_000
_MAX_SIZE = 64 * 1024
_ELSEWHERE = "the repository reads from outside the workspace"


def common_folder(git_dir: str) -> str:
    """Return the folder that holds the settings and the objects of a repository."""
    text = text_of(os.path.join(git_dir, "commondir"), _MAX_SIZE)
    return os.path.join(git_dir, text.strip()) if text else git_dir


def place_objection(top: str, git_dir: str, common: str, folders: tuple[str, ...]) -> str:
    """Return what of a repository lies elsewhere than its files, or ``""``.

    folders: the workspace's, real. A linked worktree may have the folder that its repository is in.
    """
    places = (os.path.realpath(top), *folders)
    real, shared = os.path.realpath(git_dir), os.path.realpath(common)
    if not _within(real, places) and not _knows(real, top):
        return "the repository's own folder lies elsewhere"
    if not _within(shared, places):
        if os.path.dirname(real) != os.path.join(shared, "worktrees") or not _knows(real, top):
            return f"{_ELSEWHERE} (commondir)"
        places = (*places, shared)
    for looked, entry in enumerate(_entries({real, shared}, shared)):
        if looked > _MAX_ENTRIES:
            return "the repository has too many files of its own to look at"
        if entry.is_symlink() and not _within(os.path.realpath(entry.path), places):
            return f"{_ELSEWHERE} (the link {os.path.basename(entry.path)!a})"
    for path in _alternates(os.path.join(shared, "objects")):
        if not _within(os.path.realpath(path), places):
            return f"{_ELSEWHERE} (alternates)"
    return ""


def text_of(path: str, size: int) -> str | None:
    """Return the first ``size`` bytes of a file as text, every byte kept; None if there is none."""
    data = bytes_of(path, size)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def bytes_of(path: str, size: int) -> bytes | None:
    """Return the first ``size`` bytes of a file; None at once for a pipe and the like."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        with open(fd, "rb", closefd=False) as file:
            return file.read(size)
    except OSError:
        return None
    finally:
        os.close(fd)


def _entries(tops: set[str], shared: str) -> "Iterator[os.DirEntry[str]]":
    parts = ("objects", "objects/pack", "objects/info", "refs", "refs/heads", "refs/tags", "logs")
    for folder in (*sorted(tops), *(os.path.join(shared, part) for part in parts)):
        try:
            with os.scandir(folder) as entries:
                yield from entries
        except OSError:
            continue


def _alternates(objects: str) -> Iterator[str]:
    text = text_of(os.path.join(objects, "info", "alternates"), _MAX_SIZE) or ""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield os.path.join(objects, line.strip('"'))


def _knows(real: str, top: str) -> bool:
    back = (text_of(os.path.join(real, "gitdir"), _MAX_SIZE) or "").strip()
    return bool(back) and os.path.realpath(back) == os.path.join(os.path.realpath(top), ".git")


def _within(path: str, folders: tuple[str, ...]) -> bool:
    return any(is_below(path, folder) for folder in folders)
