"""What programs list: the files below folders, the numbers of processes.

Only lists that leave next to nothing out are told; a program that chooses is no matter of the
floor. Words are those of a command without its name, with marks.
"""

import re
from collections.abc import Callable

from hermes_core.approval.floor.marks import BELOW, EVERY, STAR, plain
from hermes_core.approval.floor.targets import Place
from hermes_core.approval.names import names

EXECS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
FD_EXECS = frozenset(("-x", "-X", "--exec", "--exec-batch"))
_BROAD = names(
    "-delete -depth -d -print -print0 -mount -xdev -noleaf -ignore_readdir_race -o -or -a -and"
    " -prune -ls -follow -nowarn ( )"
)
_BROAD_VALUED = frozenset(("-type", "-mindepth", "-maxdepth", "-user", "-group", "-size"))
_LINKS = frozenset(("-H", "-L", "-P"))
_NAMED = frozenset(("-name", "-path", "-iname", "-ipath", "-wholename"))
_FD_VALUED = names(
    "-t -d -E -j -c -o -S --type --max-depth --min-depth --exclude --threads --color --owner --size"
    " --ignore-file --exact-depth --format"
)
_FD_FLAGS = re.compile(r"-[HIuaLp0lsigF1]+|-[tdEjcoS]\S+|--(?:hidden|no-ignore\S*|unrestricted)")
_FD_LONG = re.compile(
    r"--(?:absolute-path|follow|full-path|print0|case-sensitive|ignore-case|glob|regex"
    r"|fixed-strings|one-file-system|list-details|show-errors|strip-cwd-prefix\S*"
    r"|(?:type|max-depth|min-depth|exclude|threads|color|owner|size)=.*)"
)
_FD_ROOTS = ("-C", "--base-directory")
EVERYTHING = re.compile(r"\^?\.?[*+]?\$?")
"""Patterns of names that fit all of them."""
INITS = frozenset(("init", "systemd", "launchd"))
_PS_ALL = re.compile(r"-[a-zA-Z]*[eA].*|-?(?=[a-z]*a)(?=[a-z]*x)[a-z]+.*")
_VALUED = frozenset(("-u", "-U", "--euid", "--uid", "-s", "--signal", "-P", "-g", "-G", "-t"))
_ROOT = frozenset(("root", "0"))
_MANY = 1_000
"""So many numbers of processes from 1 on are those of every process."""


def starts_of(words: list[str]) -> list[str]:
    """Return the folders in which a find command begins."""
    return _parted(words)[0] or ["."]


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the folders of a find command and its expression."""
    found: list[str] = []
    for place, word in enumerate(words):
        bare = plain(word)
        if bare not in _LINKS and bare.startswith(("-", "(", "!")):
            return found, words[place:]
        found += [] if bare in _LINKS else [word]
    return found, []


def finds_all(words: list[str]) -> bool:
    """Return whether a find command leaves next to nothing out."""
    rest = iter([plain(word) for word in _parted(words)[1]])
    for word in rest:
        if word in EXECS:
            while next(rest, ";") not in (";", "+"):
                pass
        elif word in _BROAD_VALUED:
            next(rest, "")
        elif word in ("!", "-not"):
            if next(rest, "") in _NAMED:
                next(rest, "")
        elif word in _NAMED:
            if next(rest, "").strip("*"):
                return False
        elif word not in _BROAD:
            return False
    return True


def all_found(name: str, words: list[str], place: Place) -> list[str]:
    """Return what find or fd lists of precious folders: all that lies below them, if all."""
    if name in ("fd", "fdfind"):
        starts = _fd_starts(words, place)
    else:
        starts = starts_of(words) if finds_all(words) else []
    return [f"{start.rstrip('/')}/{BELOW}" for start in starts if place.loss(start)]


def _fd_starts(words: list[str], place: Place) -> list[str]:
    """Return the folders in which fd begins; none where it chooses."""
    operands: list[str] = []
    searched: list[str] = []
    root = ""
    rest = iter(words)
    for word in rest:
        bare = plain(word)
        name, equals, value = bare.partition("=")
        if bare in FD_EXECS:
            break
        if name in (*_FD_ROOTS, "--search-path"):
            value = value if equals else next(rest, "")
            root = root if name == "--search-path" else value
            searched += [value] if name == "--search-path" else []
        elif bare in _FD_VALUED:
            next(rest, "")
        elif not bare.startswith("-") or bare == "-":
            operands.append(word)
        elif bare != "--" and not (_FD_FLAGS.fullmatch(bare) or _FD_LONG.fullmatch(bare)):
            return []
    return _below_root(root, operands, searched, place)


def _below_root(root: str, operands: list[str], searched: list[str], place: Place) -> list[str]:
    if operands and not EVERYTHING.fullmatch(plain(operands[0])):
        return []
    starts = searched or operands[1:] or ["."]
    if not root:
        return starts
    moved = [place.moved(root).absolute(start) for start in starts]
    return [path for path in moved if path]


def listed(name: str, words: list[str], place: Place) -> str | None:
    """Return what a program lists, a line each; None if that is not known."""
    lister = _LISTERS.get(name)
    if lister is None:
        return None
    lines = lister(name, words, place)
    return "\n".join(lines) + "\n" if lines else None


def _ls(_name: str, words: list[str], place: Place) -> list[str]:
    operands = [word for word in words if not word.startswith("-")]
    if any(re.fullmatch(r"-\w*d\w*|--directory", word) for word in words):
        return operands
    (folder,) = operands if len(operands) == 1 else ("",) if operands else (".",)
    if not place.loss(folder) or place.is_content(folder):
        return []
    return [STAR, EVERY] if place.absolute(folder) == "/proc" else [STAR]


def _ps(_name: str, words: list[str], _place: Place) -> list[str]:
    users = [word for at, word in enumerate(words) if words[at - 1] in ("-u", "-U") and at]
    every = any(_PS_ALL.fullmatch(word) for word in words) or _ROOT & set(users)
    return [EVERY] if every and not {"-p", "--pid", "--ppid", "-q"} & set(words) else []


def fits_every_process(words: list[str], *, inverts: bool = True) -> bool:
    """Return whether pkill or pgrep, given these words, means all processes or the first.

    inverts: whether ``-v`` means all the others.
    """
    options = [word for word in words if word.startswith("-")]
    users = [word for at, word in enumerate(words) if at and words[at - 1] in ("-u", "-U")]
    narrowed = any(word in ("-P", "--parent", "-g", "-t", "-s", "-G") for word in options)
    valued = [word for at, word in enumerate(words) if at and words[at - 1] in _VALUED]
    patterns = [word for word in words if not word.startswith("-") and word not in valued]
    if _ROOT & set(users) or any(name in INITS for name in patterns):
        return True
    if narrowed or not patterns:
        return False
    if inverts and any(re.fullmatch(r"-[a-z]*v[a-z]*|--inverse", word) for word in options):
        return True
    return any(EVERYTHING.fullmatch(name) for name in patterns)


def _pgrep(_name: str, words: list[str], _place: Place) -> list[str]:
    return [EVERY] if fits_every_process([plain(word) for word in words]) else []


def _pidof(_name: str, words: list[str], _place: Place) -> list[str]:
    return ["1"] if INITS & set(words) else []


def _seq(_name: str, words: list[str], _place: Place) -> list[str]:
    numbers = [int(word) for word in words if re.fullmatch(r"\d{1,9}", word)]
    if not numbers or len(numbers) != len(words) or len(numbers) > 2:
        return []
    first, last = (numbers[0], numbers[1]) if len(numbers) == 2 else (1, numbers[0])
    if last - first < 100:
        return [str(number) for number in range(first, last + 1)]
    return [EVERY] if first <= 2 and last > _MANY else []


def _find(name: str, words: list[str], place: Place) -> list[str]:
    return all_found(name, words, place)


_LISTERS: dict[str, Callable[[str, list[str], Place], list[str]]] = {
    **dict.fromkeys(("find", "gfind", "fd", "fdfind"), _find),
    "ls": _ls,
    "ps": _ps,
    "pgrep": _pgrep,
    "pidof": _pidof,
    "seq": _seq,
}
