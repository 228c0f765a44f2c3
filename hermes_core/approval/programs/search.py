"""Programs that search: options that run a program, follow links or end nowhere are left out."""

import re
from collections.abc import Callable
from fnmatch import fnmatch, fnmatchcase

from hermes_core.approval.model import Model, Parsed
from hermes_core.approval.programs.find import FIND
from hermes_core.approval.secret_files import SAMPLES


def _grep_walks(parsed: Parsed) -> Callable[[str], bool] | None:
    """Of contradicting patterns the last wins for grep; here, that a file is included."""
    if not parsed.has("-r", "--recursive"):
        return None
    included = tuple(parsed.given("--include"))
    excluded = () if included else tuple(filter(_PLAIN_GLOB.fullmatch, parsed.given("--exclude")))
    if not all(map(_PLAIN_GLOB.fullmatch, included)):
        return bool

    def is_read(name: str) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in excluded):
            return False
        return not included or any(fnmatchcase(name, pattern) for pattern in included)

    return is_read


def _rg_walks(parsed: Parsed) -> Callable[[str], bool] | None:
    if parsed.has("--files", "--type-list"):
        return None
    globs = parsed.given("-g", "--glob", "--iglob")
    return bool if parsed.has(*_HIDDEN) or any(map(_reaches_secrets, globs)) else None


def _reaches_secrets(glob: str) -> bool:
    """Return whether a pattern, which beats all rules on ignored files, matches a secret file."""
    if glob.startswith("!"):
        return False
    last = glob.lower().rstrip("/").rpartition("/")[2]
    if found := _ENDINGS.fullmatch(last):
        return any(_reaches_secrets(f"{found[1]}.{ending}") for ending in found[2].split(","))
    if re.search(r"[\[{\\]", last):
        return True
    return any(fnmatch(name, last) for name in SAMPLES)


_PLAIN_GLOB = re.compile(r"(?:[^\[\\/]|\[[A-Za-z0-9]+\])*")
"""What grep and Python match alike: no classes, negations, quoting or folders."""
_ENDINGS = re.compile(r"([\w*-]*)\.\{([\w,]+)\}")
_HIDDEN = (
    *("-.", "--hidden", "-u", "--unrestricted", "--no-ignore", "--no-ignore-vcs"),
    "--no-config",  # which holds what leaves secret files out
)
_GREP = (
    "-# -a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -s -T -U -v -w -x -y -z -Z -r -A: -B: -C:"
    " -e:any -f:path -m: --text --byte-offset --count --extended-regexp --fixed-strings"
    " --basic-regexp --no-filename --with-filename --ignore-case --no-ignore-case"
    " --files-with-matches --files-without-match --line-number --only-matching --perl-regexp"
    " --quiet --silent --no-messages --initial-tab --binary --invert-match --word-regexp"
    " --line-regexp --null-data --null --recursive --after-context: --before-context: --context:"
    " --regexp:any --file:path --max-count: --color? --colour? --label: --line-buffered"
    " --binary-files: --include: --exclude: --exclude-dir: --group-separator: --no-group-separator"
)
_RG = (
    "-. -0 -a -b -c -F -H -h -i -I -l -n -N -o -p -P -q -s -S -u -U -v -w -x -A: -B: -C: -E: -M:"
    " -d: -e:any -f:path -g: -j: -m: -r: -t: -T: --after-context: --before-context: --context:"
    " --encoding: --max-columns: --max-depth: --regexp:any --file:path --glob: --iglob: --threads:"
    " --max-count: --replace: --type: --type-not: --hidden --null --text --byte-offset --count"
    " --count-matches --fixed-strings --with-filename --no-filename --ignore-case"
    " --files-with-matches --files-without-match --line-number --no-line-number --only-matching"
    " --pretty --pcre2 --quiet --case-sensitive --smart-case --unrestricted --multiline"
    " --multiline-dotall --invert-match --word-regexp --line-regexp --files --type-list --column"
    " --no-column --heading --no-heading --color: --colors: --json --stats --sort: --sortr: --trim"
    " --vimgrep --no-ignore --no-ignore-vcs --no-messages --no-config --passthru --max-filesize:"
    " --context-separator: --field-match-separator: --line-buffered --no-mmap --crlf --null-data"
    " --glob-case-insensitive --one-file-system --include-zero --no-follow --no-pre --debug"
    " --engine: --no-unicode --max-columns-preview --sort-files --no-require-git --no-hidden"
)
_FD = (
    "-H -I -u -s -i -g -F -a -p -0 -1 -q -d: -t: -e: -E: -S: -o: -j: -c: --hidden --no-ignore"
    " --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings"
    " --absolute-path --relative-path --full-path --print0 --max-depth: --min-depth: --exact-depth:"
    " --type: --extension: --exclude: --size: --changed-within: --changed-before: --max-results:"
    " --color: --quiet --prune --strip-cwd-prefix --one-file-system --show-errors --threads:"
    " --owner: --and: --no-follow --newer: --older:"
)
_PATTERN = ("-e", "--regexp", "-f", "--file")
_grep = Model(_GREP, "pattern path*", instead=_PATTERN, walks=_grep_walks, harmless=True)
_fd = Model(_FD, "text meta*", here=True)

SEARCH: dict[str, Model] = {
    "grep": _grep,
    "egrep": _grep,
    "fgrep": _grep,
    "rg": Model(
        _RG,
        "pattern path*",
        instead=(*_PATTERN, "--files", "--type-list"),
        walks=_rg_walks,
        here=True,
    ),
    "fd": _fd,
    "fdfind": _fd,
    "find": FIND,
}
