"""The irreversible shapes: what a single command with its operands would destroy."""

import re
from collections.abc import Callable

from hermes_core.approval.floor.archives import ARCHIVES, gone
from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.disks import DISKS
from hermes_core.approval.floor.lists import all_found
from hermes_core.approval.floor.marks import BELOW, plain
from hermes_core.approval.floor.processes import PROCESSES
from hermes_core.approval.floor.targets import Place, overwritten

Finding = tuple[str, str]
"""The rule's name and the reason, for a person; both empty where nothing was found."""
NONE: Finding = ("", "")

_REMOVERS = frozenset({"rm", "grm", "srm", "rimraf", "wipe", "trash", "rmtree"})
_DESTROYS = frozenset(("shred", "rmdir", "truncate", "chmod", "chown", "chgrp"))
"""What also destroys each file of a list."""
_PROGRAMS = re.compile(r"/(usr/)?(local/)?s?bin/|/nix/|/run/current-system/")
"""Where the system's programs lie; a file elsewhere may have the name of one."""
_LOCKS = re.compile(r"0{1,4}|[augo]*[-=](rwx)?|a?-[rwx]+|[ugo]+-[rwx]+")


def recursive(words: list[str]) -> bool:
    """Return whether ``-r`` or a spelling of it is among the options of rm, chmod and the like."""
    for word in words:
        if word == "--":
            return False
        if word.startswith("--rec") or (
            word.startswith("-") and not word.startswith("--") and re.search("[rR]", word)
        ):
            return True
    return False


def operands(words: list[str]) -> list[str]:
    """Return the words that are no options."""
    if "--" in words:
        place = words.index("--")
        return operands(words[:place]) + words[place + 1 :]
    return [word for word in words if not word.startswith("-") or word == "-"]


def _rm(name: str, words: list[str], place: Place) -> Finding:
    deep = recursive(words) or name in ("rimraf", "rmtree")
    return gone(((place, word) for word in operands(words)), deep=deep, verb="delete")


def _shown(lost: str, place: Place) -> str:
    return "the home folder" if lost == place.home else lost


def _find(name: str, words: list[str], place: Place) -> Finding:
    deletes = any(plain(word) == "-delete" for word in words)
    lost = next(iter(all_found(name, words, place)), "") if deletes else ""
    if lost:
        return "delete-system", f"it would delete all below {_shown(place.loss(lost), place)}"
    return NONE


def _change_mode(name: str, words: list[str], place: Place) -> Finding:
    targets = operands(words)
    first, targets = (targets[0], targets[1:]) if targets else ("", [])
    locks = name == "chmod" and bool(_LOCKS.fullmatch(first))
    for word in targets:
        lost = place.loss(word) if locks else place.system_loss(word)
        if lost and (recursive(words) or locks or lost == "/"):
            return "lock-system", f"it would change who may use {_shown(lost, place)}"
    return NONE


def _mv(_name: str, words: list[str], place: Place) -> Finding:
    targets = operands(words)
    for word in targets[:-1] if len(targets) > 1 else targets:
        if lost := place.loss(word) or overwritten(place.absolute(word)):
            return "delete-system", f"it would move {_shown(lost, place)} away"
    return _last_is_written("mv", words, place)


def _last_is_written(_name: str, words: list[str], place: Place) -> Finding:
    targets = operands(words)
    if len(targets) < 2 and not any(word.startswith(("-t", "--target")) for word in words):
        return NONE
    last = targets[-1] if targets else ""
    return _destroys(overwritten(place.absolute(last)))


def _all_are_written(_name: str, words: list[str], place: Place) -> Finding:
    appends = any(word in ("-a", "--append") for word in words)
    found = (overwritten(place.absolute(word), appends=appends) for word in operands(words))
    return _destroys(next(filter(None, found), ""))


def _destroys(what: str) -> Finding:
    if not what:
        return NONE
    if what.startswith("the disk"):
        return "disk-overwrite", f"it would overwrite {what}"
    if what.startswith("/proc"):
        return "power-off", "it would stop the machine at once"
    return "system-table", f"it would overwrite {what}"


def _sed(_name: str, words: list[str], place: Place) -> Finding:
    edits = any(re.match(r"-[nEersz]*i|--in-place", word) for word in words)
    return _all_are_written("sed", words, place) if edits else NONE


def _dd(_name: str, words: list[str], place: Place) -> Finding:
    targets = [word.partition("=")[2] for word in words if word.startswith(_DD_TARGETS)]
    found = (overwritten(place.absolute(target), redirected=True) for target in targets)
    return _destroys(next(filter(None, found), ""))


_DD_TARGETS = ("of=", "hof=", "ofs=", "wipe=")


def _output(letter: str, long: str) -> "Shape":
    """A file that an option names: behind the letter, alone or last of several, or long."""
    short = re.compile(f"-[A-Za-z]*{letter}(.*)", re.DOTALL)

    def shape(_name: str, words: list[str], place: Place) -> Finding:
        targets = []
        for word, following in zip(words, [*words[1:], ""], strict=False):
            if word == long:
                targets.append(following)
            elif word.startswith(f"{long}="):
                targets.append(word.partition("=")[2])
            elif found := short.fullmatch(word):
                targets.append(found[1] or following)
        lost = (overwritten(place.absolute(target)) for target in targets)
        return _destroys(next(filter(None, lost), ""))

    return shape


Shape = Callable[[str, list[str], Place], Finding]
_SHAPES: dict[str, Shape] = {
    **dict.fromkeys(_REMOVERS, _rm),
    "unlink": _rm,
    "find": _find,
    "gfind": _find,
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), _change_mode),
    "mv": _mv,
    **dict.fromkeys(("cp", "ln", "install", "gcp", "ddrescue"), _last_is_written),
    **dict.fromkeys(("tee", "truncate", "sponge"), _all_are_written),
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("dd", "dcfldd", "dc3dd"), _dd),
    **dict.fromkeys(("sort", "gsort", "shuf", "curl"), _output("o", "--output")),
    "wget": _output("O", "--output-document"),
    **PROCESSES,
    **DISKS,
    **ARCHIVES,
}


def shape_of(words: list[str], place: Place) -> Finding:
    """Return what a command, its wrappers taken off, would destroy."""
    called = plain(words[0])
    name = called.rpartition("/")[2]
    rest = words[1:]
    if (
        name in PROCESSES
        and "/" in called
        and not _PROGRAMS.match(place.absolute(called) or called)
    ):
        return NONE
    if any(plain(word) in ("--help", "--version") for word in rest):
        return NONE
    shape = _SHAPES.get(name) or _SHAPES.get(name.partition(".")[0] + ".")
    found = shape(name, rest, place) if shape else NONE
    return found if found[0] else _listed(name, rest, place)


def _listed(name: str, words: list[str], place: Place) -> Finding:
    """Return what is destroyed of all that lies below a folder."""
    below = (word for word in words if BELOW in word) if name in _DESTROYS else iter(())
    lost = next(filter(None, map(place.loss, below)), "")
    return ("delete-system", f"it would destroy all below {_shown(lost, place)}") if lost else NONE


def redirect_shape(command: Command, place: Place) -> Finding:
    """Return what the redirections of a command would destroy."""
    for operator, target in command.redirects:
        if operator in ("<", "<&"):
            continue
        path = place.absolute(target)
        found = _destroys(overwritten(path, appends=operator in (">>", "&>>"), redirected=True))
        if found[0]:
            return found
    return NONE
