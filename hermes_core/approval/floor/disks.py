"""Commands that format, erase or repartition disks."""

import re
from collections.abc import Callable

from hermes_core.approval.floor.marks import UNKNOWN, plain
from hermes_core.approval.floor.targets import Place, is_device

_NONE = ("", "")
_FORMAT = "format-disk"
_Shape = Callable[[str, list[str], Place], tuple[str, str]]


def _disk(words: list[str]) -> str:
    """Return the disk among the words, or ``""``."""
    return next((plain(word) for word in words if is_device(plain(word))), "")


def _anything(words: list[str]) -> str:
    """Return a disk, anything else below ``/dev``, or an operand that is not known."""
    for word in words:
        if plain(word).startswith("/dev/") and plain(word) != "/dev/null":
            return plain(word)
        if UNKNOWN in word and not word.startswith("-"):
            return "a disk that is not known"
    return ""


def _mkfs(name: str, words: list[str], _place: Place) -> tuple[str, str]:
    disk = _anything(words)
    return (_FORMAT, f"{name} would format {disk}") if disk else _NONE


def _with(*options: str, rule: str = _FORMAT) -> _Shape:
    """A disk and one of the options, as words or as the letters of a cluster."""

    def shape(name: str, words: list[str], _place: Place) -> tuple[str, str]:
        disk = _anything(words)
        return (rule, f"{name} would erase {disk}") if disk and _given(words, options) else _NONE

    return shape


def _without(*options: str) -> _Shape:
    """A disk and none of the options, which only look."""

    def shape(name: str, words: list[str], _place: Place) -> tuple[str, str]:
        disk = _disk(words)
        looks = _given(words, options)
        return (_FORMAT, f"{name} would change {disk}") if disk and not looks else _NONE

    return shape


def _given(words: list[str], options: tuple[str, ...]) -> bool:
    for word in (plain(word) for word in words):
        for option in options:
            if word == option or word.startswith(f"{option}="):
                return True
            short = len(option) == 2 and option[0] == "-" and re.fullmatch(r"-[A-Za-z]+", word)
            if short and option[1] in word:
                return True
    return False


def _wipefs(name: str, words: list[str], place: Place) -> tuple[str, str]:
    if _given(words, ("-n", "--no-act")):
        return _NONE
    return _with("-a", "--all", "-o", "--offset")(name, words, place)


def _verb(*verbs: str) -> _Shape:
    def shape(name: str, words: list[str], _place: Place) -> tuple[str, str]:
        given = [word for word in words if not word.startswith("-")]
        return (
            (_FORMAT, f"{name} {given[0]} erases disks")
            if given[:1] and given[0] in verbs
            else _NONE
        )

    return shape


def _always(name: str, words: list[str], _place: Place) -> tuple[str, str]:
    given = [word for word in words if not word.startswith("-")]
    return (_FORMAT, f"{name} would erase {plain(given[0])}") if given else _NONE


def _zfs(name: str, words: list[str], _place: Place) -> tuple[str, str]:
    gone = words[:1] == ["destroy"] and not any("@" in word for word in words)
    return (_FORMAT, f"{name} destroy erases file systems") if gone else _NONE


def _parted(name: str, words: list[str], _place: Place) -> tuple[str, str]:
    verbs = {"mklabel", "mktable", "rm", "mkpart", "resizepart", "mkpartfs", "mkfs"}
    disk = _disk(words)
    return (_FORMAT, f"{name} would change {disk}") if disk and verbs & set(words) else _NONE


DISKS: dict[str, _Shape] = {
    **dict.fromkeys(
        ("mkfs", "mkfs.", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "newfs", "newfs_", "mkisofs."),
        _mkfs,
    ),
    **dict.fromkeys(("shred", "blkdiscard", "scrub", "nwipe"), _without()),
    "wipefs": _wipefs,
    "sgdisk": _without("-p", "--print", "-i", "--info", "-v", "--verify", "-E", "-F", "-b"),
    "sfdisk": _without("-l", "-d", "-J", "--list", "--dump", "--json", "-V", "--verify", "-F"),
    "fdisk": _without("-l", "--list", "-s", "--getsz", "-x", "--list-details"),
    **dict.fromkeys(("cfdisk", "gdisk", "cgdisk"), _without("-l")),
    "parted": _parted,
    "badblocks": _with("-w"),
    "hdparm": _with(
        "--security-erase",
        "--security-erase-enhanced",
        "--trim-sector-ranges",
        "--write-sector",
        "--make-bad-sector",
    ),
    "nvme": _verb("format", "sanitize", "write-zeroes", "write", "delete-ns"),
    "cryptsetup": _verb("luksFormat", "luksErase", "erase", "reencrypt"),
    **dict.fromkeys(("pvremove", "vgremove", "lvremove", "pvcreate"), _always),
    "zpool": _verb("destroy", "labelclear"),
    "zfs": _zfs,
    "mdadm": _with("--zero-superblock"),
    "diskutil": _verb(
        *("eraseDisk", "eraseVolume", "zeroDisk", "secureErase", "partitionDisk", "randomDisk"),
        *("reformat", "erasedisk", "apfs"),
    ),
    "sg_format": _without(),
    "pv": _without("-d"),
}
