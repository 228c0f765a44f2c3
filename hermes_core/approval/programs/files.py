"""Programs that show files and folders: GNU coreutils and their like.

Options that follow links on the way, read a list of names from a file, or never end are left out.
"""

import re

from hermes_core.approval.model import Family, Model, Parsed

_HASH = "-b --binary -t --text --tag -z --zero"


def _xxd_check(parsed: Parsed) -> str:
    plus = [text for _, text in parsed.operands if text.startswith("+")]
    return "its arguments are not understood" if plus else ""


def _no_options_file(parsed: Parsed) -> str:
    """GNU binutils read options from a file that is named with an at sign."""
    return "it reads options from a file" if any(t[:1] == "@" for t in parsed.argv) else ""


def _zip_check(parsed: Parsed) -> str:
    """Zipinfo itself takes the archive's name for a pattern."""
    named = [text for role, text in parsed.operands if role == "path"]
    return "its archive is a pattern" if any(set("*?[\\") & set(text) for text in named) else ""


def _tar_check(parsed: Parsed) -> str:
    if not parsed.has("-t", "--list"):
        return "it does more than list"
    files = list(parsed.given("-f", "--file"))
    if len(files) != 1 or ":" in files[0]:
        return "it does not name one file"
    return ""


_TAR = Model(
    "-t --list -v --verbose -f:path --file:path -z --gzip -j --bzip2 -J --xz --zstd",
    "text*",
    check=_tar_check,
)

_OLD_TAR = re.compile(r"(?:t|tv|vt)f")


def _choose_tar(argv: tuple[str, ...]) -> tuple[Model, tuple[str, ...]]:
    """Read the old form of its options, of which the last alone has a value."""
    old = argv[:1] and _OLD_TAR.fullmatch(argv[0])
    return _TAR, (f"-{argv[0]}", *argv[1:]) if old else argv


FILES: dict[str, Model | Family] = {
    "ls": Model(
        "-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v"
        " -x -X -Z -1 -D --all --almost-all --author --escape --ignore-backups"
        " --directory --classify? --file-type --format: --full-time --group-directories-first"
        " --no-group --human-readable --si --hide: --indicator-style: --inode --ignore: --kibibytes"
        " --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name"
        " --quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tabsize:"
        " --width: --context --zero --color? --block-size: -I: -T: -w:",
        "meta*",
        harmless=True,
        here=True,
    ),
    "tree": Model(
        "-a -d -f -i -x -p -s -h -u -g -D -F -q -N -Q -r -t -c -U -v -S -A -n -C -J -X -L~ -P~ -I~"
        " --dirsfirst --filesfirst --noreport --gitignore --prune --du --si --inodes --device"
        " --ignore-case --matchdirs --sort= --charset= --filelimit= --timefmt= --nolinks",
        "meta*",
        here=True,
    ),
    "stat": Model("-c: -f -t --format: --printf: --terse --file-system", "meta*", harmless=True),
    "file": Model(
        "-b -i -E -h -k -l -n -N -r -0 -e: -F: -P: --brief --mime --mime-type --mime-encoding"
        " --no-dereference --extension --keep-going --raw --print0 --no-pad --exclude:"
        " --separator: --apple",
        "path*",
    ),
    "du": Model(
        "-a -b -c -h -k -l -m -P -s -S -x -0 -d: -B: -t: --all --apparent-size --bytes --total"
        " --human-readable --inodes --max-depth: --summarize --separate-dirs --one-file-system"
        " --block-size: --threshold: --exclude: --time? --si --null --count-links --no-dereference",
        "meta*",
        harmless=True,
        here=True,
    ),
    "df": Model(
        "-a -h -H -i -k -l -P -T -B: -t: -x: --all --human-readable --si --inodes --local"
        " --portability --print-type --type: --exclude-type: --total --output? --block-size:",
        "meta*",
    ),
    "pwd": Model("-L -P", ""),
    "realpath": Model(
        "-e -m -q -s -z -P --canonicalize-existing --canonicalize-missing --quiet"
        " --strip --no-symlinks --zero --physical --relative-to:meta --relative-base:meta",
        "meta*",
        harmless=True,
    ),
    "readlink": Model(
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing"
        " --no-newline --quiet --silent --verbose --zero",
        "meta*",
        harmless=True,
    ),
    "basename": Model("-a -z -s: --multiple --suffix: --zero", "text*", harmless=True),
    "dirname": Model("-z --zero", "text*", harmless=True),
    "cat": Model(
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number"
        " --squeeze-blank --show-tabs --show-nonprinting",
        "path*",
        harmless=True,
    ),
    "tac": Model("-b -r -s: --before --regex --separator:", "path*", harmless=True),
    "head": Model(
        "-# -n:any -c:any -q -v -z --lines: --bytes: --quiet --silent --verbose --zero-terminated",
        "path*",
        harmless=True,
    ),
    "tail": Model(
        "-# -n:any -c:any -q -v -z --lines: --bytes: --quiet --silent --verbose --zero-terminated",
        "path*",
        harmless=True,
    ),
    "nl": Model(
        "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering: --section-delimiter:"
        " --footer-numbering: --header-numbering: --line-increment: --join-blank-lines:"
        " --number-format: --no-renumber --number-separator: --starting-line-number:"
        " --number-width:",
        "path*",
        harmless=True,
    ),
    "wc": Model(
        "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total:",
        "path*",
        harmless=True,
    ),
    "od": Model(
        "-A: -j: -N: -S: -t: -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix: --skip-bytes:"
        " --read-bytes: --strings? --format: --output-duplicates --width? --endian:",
        "path*",
        harmless=True,
    ),
    "xxd": Model(
        "-a -b -c: -e -E -g: -i -l: -o: -p -s: -u -C -d",
        "path",
        check=_xxd_check,
        single=True,
        ordered=True,
    ),
    "hexdump": Model("-b -c -C -d -o -v -x -n: -s: -e:", "path*", harmless=True),
    "hd": Model("-v -n: -s:", "path*"),
    "strings": Model(
        "-# -a -f -n: -t: -o -w -s: -e: -U: --all --print-file-name --bytes: --radix:"
        " --include-all-whitespace --encoding: --output-separator:",
        "path*",
        check=_no_options_file,
    ),
    **{
        f"{name}sum": Model(_HASH, "path*", harmless=True)
        for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "b2")
    },
    "cksum": Model(f"{_HASH} -a: -l: --algorithm: --length: --untagged --base64 --raw", "path*"),
    "sum": Model("-r -s --sysv", "path*"),
    "md5": Model("-q -r", "path*"),
    "shasum": Model("-a: --algorithm: -b -t -U -0 --binary --text", "path*"),
    "tar": Family(_choose_tar),
    "zipinfo": Model("-1 -2 -s -m -l -v -h -t -z", "path text*", least=1, check=_zip_check),
    "size": Model("-A -B -G -d -o -x --format: --totals --common", "path*", check=_no_options_file),
    "nm": Model(
        "-A -a -B -C -D -g -n -p -P -r -S -u --demangle --dynamic --extern-only --undefined-only"
        " --defined-only --numeric-sort --no-sort --size-sort --print-size --reverse-sort",
        "path*",
        check=_no_options_file,
    ),
}
