"""Expressions of find that only test and print."""

from itertools import pairwise

from hermes_core.approval.model import Model, Parsed

_PLAIN = frozenset(
    {
        *("-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-true", "-false", "-readable"),
        *("-writable", "-executable", "-depth", "-d", "-mount", "-xdev", "-daystart", "-noleaf"),
        *("-nouser", "-nogroup", "-and", "-or", "-not", "-a", "-o", "!", "(", ")", ","),
        *("-ignore_readdir_race", "-noignore_readdir_race", "-nowarn", "-warn"),
    }
)
_TEXT = frozenset(
    {
        *("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"),
        *("-regextype", "-type", "-maxdepth", "-mindepth", "-size", "-mtime", "-atime", "-ctime"),
        *("-mmin", "-amin", "-cmin", "-perm", "-user", "-group", "-uid", "-gid", "-links"),
        *("-inum", "-lname", "-ilname", "-printf", "-fstype", "-used", "-xtype"),
        *("-newermt", "-newerat", "-newerct"),
    }
)
_PATHS = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})


def split_expression(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the starting points and the expression."""
    for place, word in enumerate(argv):
        if word.startswith("-") or word in ("(", ")", "!", ","):
            return argv[:place], argv[place:]
    return argv, ()


def _check(parsed: Parsed) -> str:
    _, rest = split_expression(parsed.argv[1:] if parsed.argv[:1] == ("-P",) else parsed.argv)
    words = iter(rest)
    for word in words:
        if word in _PLAIN:
            continue
        if word not in _TEXT and word not in _PATHS:
            return f"{word[:60]} is not among what only finds and prints"
        if next(words, None) is None:
            return f"{word} lacks its value"
    return ""


def find_operands(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return what of the arguments are paths, with their roles."""
    starts, rest = split_expression(argv[1:] if argv[:1] == ("-P",) else argv)
    after = pairwise(rest)
    return tuple(("meta", path) for path in starts) + tuple(
        ("meta", value) for word, value in after if word in _PATHS
    )


FIND = Model("", "text*", raw=True, check=_check, here=True, locate=find_operands)
