"""Archive programs that remove what they have packed, and those that empty a folder into another.

Each shape finds the sources among the words, and whether these are removed with all that is in
them.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from hermes_core.approval.floor.marks import BELOW, plain
from hermes_core.approval.floor.targets import Place, overwritten
from hermes_core.approval.names import names

_NONE = ("", "")
_Shape = Callable[[str, list[str], Place], tuple[str, str]]
_Source = tuple[Place, str]

_TAR_VALUED = "fbCTXIgKNLVHF"
_TAR_LONG = names(
    "--file --exclude --files-from --exclude-from --transform --xform --owner --group --mode"
    " --mtime --use-compress-program --label --newer --format"
)
_TAR_CREATES = re.compile(r"-?[a-zA-Z]*[cru][a-zA-Z]*|--(?:create|append|update)")
_TAR_READS = re.compile(r"-[a-zA-Z]*[xtd][a-zA-Z]*|--(?:extract|get|list|diff|compare)")
_RSYNC_VALUED = re.compile(
    r"-[a-zA-Z]*[efBTM]|--(?:exclude|include|filter|rsh|exclude-from|include-from|files-from"
    r"|rsync-path|log-file|temp-dir|backup-dir|suffix|port|bwlimit|timeout|chmod|chown|partial-dir"
    r"|compare-dest|copy-dest|link-dest|out-format|password-file|max-size|min-size|block-size)"
)
_ZIP_VALUED = re.compile(r"-[bntPO]|--(?:temp-path|suffixes|from-date|password|output-file)")
_ZIP_FLAGS = re.compile(r"-[rmjqvoTuf0-9DdFgyLlXSe@k]+")


def gone(sources: Iterable[_Source], *, deep: bool, verb: str) -> tuple[str, str]:
    """Return what is lost when files and folders are removed.

    deep: whether folders go with what is in them.
    """
    for place, word in sources:
        if table := overwritten(place.absolute(word)):
            return "system-table", f"it would {verb} {table}"
        lost = place.loss(word)
        content = BELOW in word or (place.is_content(word) and lost != "/")
        if lost and (deep or content):
            shown = "the home folder" if lost == place.home else lost
            return "delete-system", f"it would {verb} {shown}"
    return _NONE


def _tar(_name: str, words: list[str], place: Place) -> tuple[str, str]:
    bare = [plain(word) for word in words]
    removes = any(re.fullmatch(r"--remove(?:-f[iles]*)?", word) for word in bare)
    mode = bare[:1] if bare and not bare[0].startswith("-") else bare
    creates = any(_TAR_CREATES.fullmatch(word) for word in mode)
    if not removes or not creates or any(_TAR_READS.fullmatch(word) for word in mode):
        return _NONE
    return gone(_packed(words, place), deep=True, verb="pack and delete")


def _packed(words: list[str], place: Place) -> Iterator[_Source]:
    """Yield what tar packs, each with the folder that it is named in."""
    rest = iter(words)
    for at, word in enumerate(rest):
        bare = plain(word)
        name, equals, value = bare.partition("=")
        if at == 0 and not bare.startswith("-"):
            for letter in bare:
                taken = next(rest, "") if letter in _TAR_VALUED else ""
                place = place.moved(taken) if letter == "C" else place
        elif name == "--directory":
            place = place.moved(value if equals else next(rest, ""))
        elif bare.startswith("--"):
            if name in _TAR_LONG and not equals:
                next(rest, "")
        elif bare.startswith("-") and (found := re.search(f"[{_TAR_VALUED}]", bare)):
            value = bare[found.end() :] or next(rest, "")
            place = place.moved(value) if found.group() == "C" else place
        elif not bare.startswith("-"):
            yield place, word


def _zip(_name: str, words: list[str], place: Place) -> tuple[str, str]:
    moves, deep = False, False
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        bare = plain(word)
        if _ZIP_VALUED.fullmatch(bare):
            next(rest, "")
        elif bare in ("-x", "-i", "--exclude", "--include"):
            break
        elif bare in ("--move", "--recurse-paths") or _ZIP_FLAGS.fullmatch(bare):
            moves |= bare == "--move" or (bare[:2] != "--" and "m" in bare)
            deep |= bare == "--recurse-paths" or (bare[:2] != "--" and "r" in bare)
        elif not bare.startswith("-") or bare == "-":
            operands.append(word)
    given = operands[1:] if moves else []
    return gone(((place, word) for word in given), deep=deep, verb="pack and delete")


def _rsync(_name: str, words: list[str], place: Place) -> tuple[str, str]:
    bare = [plain(word) for word in words]
    targets = list(_operands(words, _RSYNC_VALUED))
    if any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--dry-run", word) for word in bare):
        return _NONE
    if any(re.fullmatch(r"--remove-s(?:ource|ent)-files", word) for word in bare):
        deep = any(
            re.fullmatch(r"-[a-zA-Z]*[ar][a-zA-Z]*|--archive|--rec.*", word) for word in bare
        )
        sources = ((place, word) for word in targets[:-1])
        found = gone(sources, deep=deep, verb="move away")
        if found[0]:
            return found
    if len(targets) > 1 and any(word.startswith("--del") for word in bare):
        return gone([(place, targets[-1])], deep=True, verb="delete what lies in")
    return _NONE


def _operands(words: list[str], valued: re.Pattern[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if valued.fullmatch(plain(word)):
            next(rest, "")
        elif not word.startswith("-"):
            yield word


def _archiver(*moves: str, verbs: str = "") -> _Shape:
    """A command letter or an option with which the files that are packed are deleted."""

    def shape(_name: str, words: list[str], place: Place) -> tuple[str, str]:
        operands = [word for word in words if not word.startswith("-")]
        packs = not verbs or operands[:1] == [verbs]
        if operands[:1] and ((packs and set(moves) & set(words)) or operands[0] in moves):
            sources = ((place, word) for word in operands[2:])
            return gone(sources, deep=True, verb="pack and delete")
        return _NONE

    return shape


def _compress(name: str, words: list[str], place: Place) -> tuple[str, str]:
    options = [word for word in words if word.startswith("-")]
    short = "".join(word[1:] for word in options if not word.startswith("--"))
    keeps = {
        "--keep",
        "--stdout",
        "--to-stdout",
        "--list",
        "--test",
        "--decompress",
        "--uncompress",
    }
    if set(short) & set("kcltdVh") or keeps & set(options):
        return _NONE
    if name == "zstd" and "--rm" not in options:
        return _NONE
    deep = "r" in short or "--recursive" in options
    sources = ((place, word) for word in words if not word.startswith("-"))
    return gone(sources, deep=deep, verb="pack and delete")


def _rclone(_name: str, words: list[str], place: Place) -> tuple[str, str]:
    operands = [word for word in words if not word.startswith("-")]
    verb, rest = (operands[0], operands[1:]) if operands else ("", [])
    if {"-n", "--dry-run"} & set(words) or not rest:
        return _NONE
    if verb in ("purge", "delete", "move", "moveto", "rmdirs"):
        return gone([(place, rest[0])], deep=True, verb="delete what lies in")
    return gone(
        [(place, rest[-1])] if verb == "sync" else [], deep=True, verb="delete what lies in"
    )


ARCHIVES: dict[str, _Shape] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "zip": _zip,
    "rsync": _rsync,
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), _archiver("-sdel")),
    "rar": _archiver("m", "mf", "-df", "-dr", "-dw"),
    **dict.fromkeys(("lha", "arj"), _archiver("m")),
    **dict.fromkeys(
        ("gzip", "pigz", "bzip2", "pbzip2", "xz", "lzma", "zstd", "compress"), _compress
    ),
    "rclone": _rclone,
}
