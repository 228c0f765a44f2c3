"""Places whose loss is not to be undone: system folders, homes, disks, the tables of users."""

import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hermes_core.approval.floor.marks import (
    BELOW,
    BRACKET,
    EVERY,
    PATTERNS,
    QUERY,
    STAR,
    UNKNOWN,
    plain,
)
from hermes_core.approval.names import names
from hermes_core.approval.operands import is_below

_TOP = names(
    "bin boot dev etc home lib lib32 lib64 libx32 media mnt nix opt proc root run sbin snap srv sys"
    " usr var Applications Library System Users Volumes private"
)
_SECOND = frozenset(
    f"/{top}/{name}"
    for top, names in (
        ("usr", "bin sbin lib lib32 lib64 libexec share include local"),
        ("var", "lib log spool cache www mail db"),
        ("private", "etc var"),
        ("System", "Library"),
        ("boot", "efi grub"),
    )
    for name in names.split()
)
_HOMES = ("/home", "/Users")
_TEMPORARY = tuple(f"/{folder}" for folder in ("tmp", "var/tmp", "private/tmp"))
_ALL = re.compile(f"{BELOW}|\\.{{0,2}}(?:{BRACKET}[^\\]]*\\])*[{QUERY}]*{STAR}+")
_DEVICE = re.compile(
    r"/dev/(x?[svh]d[a-z*?\[$]|nvme|mmcblk|r?disk[\d/*?]|dm-|md[\d/]|mapper/|loop[\d*?]|sr\d|nbd\d"
    r"|zd\d|zvol/|vg\w*/|mem$|kmem$|port$|pmem|ram\d|block/|ad[a]?\d|da\d|nst?\d)"
)
_TABLES = frozenset({"passwd", "shadow", "group", "gshadow", "sudoers", "fstab", "master.passwd"})
_APPENDED = frozenset({"passwd", "shadow", "gshadow", "sudoers", "master.passwd"})
_PROGRAM_FOLDERS = re.compile(r"/(usr/)?(s?bin|lib(32|64|x32)?)/[^/]+$|/boot/")
_TRIGGER = "/proc/sysrq-trigger"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command runs.

    cwd: the working folder; ``""`` where a command changed it to one that is not known. home: the
    user's. top: the folder of the session. All are real.
    """

    cwd: str
    home: str
    top: str

    def moved(self, word: str) -> "Place":
        """Return the place after ``cd WORD``."""
        path = self.absolute(word)
        known = path is not None and not any(mark in path for mark in PATTERNS)
        return Place(path if known and path else "", self.home, self.top)

    def absolute(self, word: str) -> str | None:
        """Return a word as a normal absolute path, still with marks; None if it is not known."""
        if not word or UNKNOWN in word or EVERY in word:
            return None
        if not self.cwd and not word.startswith("/"):
            return None
        path = os.path.normpath(os.path.join(self.cwd, word))
        return "/" + path.lstrip("/")

    def loss(self, word: str) -> str:
        """Return what would be lost with the folder that ``word`` names: ``/etc``; or ``""``."""
        return self._folder(word)[0]

    def is_content(self, word: str) -> bool:
        """Return whether ``word`` is a pattern for all that lies in a folder."""
        return bool(_ALL.fullmatch(word.rpartition("/")[2]))

    def system_loss(self, word: str) -> str:
        """Return what ``loss`` does, homes aside."""
        found = self.loss(word)
        return "" if found == self.home and found != "/root" else found

    def _folder(self, word: str) -> tuple[str, bool]:
        follows = word.endswith(("/", "/."))
        content = False
        path = self.absolute(word)
        while path is not None and path != "/" and _ALL.fullmatch(os.path.basename(path)):
            path, content = os.path.dirname(path), True
        if path is None:
            return "", content
        if any(mark in path for mark in PATTERNS):
            return self._pattern(path), content
        if self._is_precious(path):
            return path, content
        if content or follows:
            real = os.path.realpath(path)
            if real != path and self._is_precious(real):
                return real, content
        return "", content

    def _pattern(self, path: str) -> str:
        parts = path.strip("/").split("/")
        names = [f"/{name}" for name in _TOP]
        if len(parts) == 1:
            return next((name for name in names if fnmatchcase(name, plain(path))), "")
        homes = [one for one in _HOMES if path.startswith(f"{one}/")]
        return path if homes and len(parts) == 2 else ""

    def _is_precious(self, path: str) -> bool:
        if path == "/" or path in _SECOND or path == self.home:
            return True
        parts = path.strip("/").split("/")
        if len(parts) == 1 and parts[0] in _TOP:
            return True
        if len(parts) == 2 and f"/{parts[0]}" in _HOMES:
            return path != self.top or path == self.home
        if path == self.top or path.startswith(_TEMPORARY) or path in _TEMPORARY:
            return False
        return is_below(self.top, path) or is_below(self.home, path)


def is_device(path: str) -> bool:
    """Return whether a path names a disk or the machine's memory."""
    return bool(_DEVICE.match(re.sub(r"/+", "/", path)))


def overwritten(path: str | None, *, appends: bool = False, redirected: bool = False) -> str:
    """Return which irreplaceable thing a write to an absolute path would destroy, or ``""``."""
    if path is None:
        return ""
    path = plain(path)
    if is_device(path):
        return f"the disk {path}"
    if path == _TRIGGER:
        return path
    folder, _, name = path.rpartition("/")
    if folder in ("/etc", "/private/etc") and name in (_APPENDED if appends else _TABLES):
        return path
    if redirected and not appends and _PROGRAM_FOLDERS.match(path):
        return path
    return ""
