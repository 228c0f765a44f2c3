"""Programs that turn text into text on their output.

Options that write a file, run a compressor or read names from a file are left out.
"""

import re

from hermes_core.approval.model import Model, Parsed
from hermes_core.approval.programs.awk import awk_objection
from hermes_core.approval.programs.jq import jq_objection
from hermes_core.approval.programs.sed import sed_objection


def _sed_check(parsed: Parsed) -> str:
    scripts = list(parsed.given("-e", "--expression"))
    if not scripts:
        scripts = [text for role, text in parsed.operands if role == "text"]
    if not scripts:
        return "it lacks its script"
    objections = (sed_objection(script) for script in scripts)
    return next(filter(None, objections), "")


def _awk_check(parsed: Parsed) -> str:
    programs = [text for role, text in parsed.operands if role == "text"]
    if not programs:
        return "it lacks its program"
    if any("=" in text for role, text in parsed.operands if role == "path"):
        return "it assigns a variable among its files"
    return awk_objection(programs[0])


def _jq_check(parsed: Parsed) -> str:
    programs = [text for role, text in parsed.operands if role == "text"]
    return jq_objection(programs[0]) if programs else "it lacks its filter"


def _seq_check(parsed: Parsed) -> str:
    numbers = [text for _, text in parsed.operands]
    short = all(re.fullmatch(r"[+-]?\d{1,6}(\.\d{1,3})?", number) for number in numbers)
    return "" if short else "it may print without end"


def _shuf_check(parsed: Parsed) -> str:
    if parsed.has("-r", "--repeat") and not parsed.has("-n", "--head-count"):
        return "it prints without end"
    ranges = parsed.given("-i", "--input-range")
    short = all(re.fullmatch(r"\d{1,7}-\d{1,7}", one) for one in ranges)
    return "" if short else "its range is too wide"


def _factor_check(parsed: Parsed) -> str:
    long = any(len(text) > 18 for _, text in parsed.operands)
    return "it may compute for long" if long else ""


_SORT = (
    "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k: -t: -S: --ignore-leading-blanks"
    " --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort"
    " --human-numeric-sort --numeric-sort --random-sort --reverse --sort: --version-sort --check?"
    " --key: --merge --stable --field-separator: --unique --zero-terminated --debug"
    " --parallel: --buffer-size:"
)
_DIFF = (
    "-# -q -s -c -u -e -n -y -p -t -T -r -N -i -E -Z -b -w -B -a -d -C: -U: -F: -W: -I: -x: -L:"
    " --brief --report-identical-files --context? --unified? --ed --rcs --side-by-side --width:"
    " --left-column --suppress-common-lines --show-c-function --show-function-line: --label:"
    " --expand-tabs --initial-tab --tabsize: --recursive --no-dereference --new-file"
    " --exclude: --ignore-case --ignore-tab-expansion --ignore-trailing-space"
    " --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:"
    " --text --strip-trailing-cr --minimal --speed-large-files --color? --normal"
)
_BASE64 = "-d -D -i -w: --decode --ignore-garbage --wrap:"

TEXT: dict[str, Model] = {
    "sort": Model(_SORT, "path*"),
    "uniq": Model(
        "-c -d -D -i -u -z -f: -s: -w: --count --repeated --all-repeated? --group? --ignore-case"
        " --unique --zero-terminated --skip-fields: --skip-chars: --check-chars:",
        "path",
        ordered=True,
    ),
    "cut": Model(
        "-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement"
        " --only-delimited --output-delimiter: --zero-terminated",
        "path*",
        harmless=True,
    ),
    "tr": Model(
        "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", "text text"
    ),
    "diff": Model(_DIFF, "file file", least=2),
    "cmp": Model(
        "-b -l -s -i: -n: --print-bytes --verbose --quiet --silent --ignore-initial: --bytes:",
        "path path text text",
        least=1,
    ),
    "comm": Model(
        "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated",
        "path path",
        harmless=True,
    ),
    "join": Model(
        "-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order"
        " --header --zero-terminated",
        "path path",
        harmless=True,
    ),
    "paste": Model("-d: -s -z --delimiters: --serial --zero-terminated", "path*", harmless=True),
    "rev": Model("", "path*", harmless=True),
    "column": Model(
        "-t -s: -o: -N: -c: -x -J -R: -T: -H: -O: -W: -E: -d -L -e --table --separator:"
        " --output-separator: --table-columns: --output-width: --fillrows --json --table-name:"
        " --table-right: --table-truncate: --table-hide: --table-order: --table-noheadings",
        "path*",
    ),
    "fold": Model("-b -s -w: --bytes --spaces --width:", "path*", harmless=True),
    "fmt": Model(
        "-# -c -s -t -u -w: --crown-margin --split-only --tagged-paragraph"
        " --uniform-spacing --width: --goal: --prefix:",
        "path*",
        harmless=True,
    ),
    "pr": Model("-# -d -F -f -h: -l: -m -n? -o: -r -t -T -w: -W: -a", "path*"),
    "expand": Model("-i -t: --initial --tabs:", "path*", harmless=True),
    "unexpand": Model("-a -t: --all --first-only --tabs:", "path*", harmless=True),
    "shuf": Model(
        "-e -i: -n: -r -z --echo --input-range: --head-count: --repeat --zero-terminated",
        "path*",
        check=_shuf_check,
    ),
    "tsort": Model("", "path", harmless=True),
    "numfmt": Model(
        "-d: -z --from: --to: --from-unit: --to-unit: --padding: --round: --suffix: --format:"
        " --field: --header? --grouping --delimiter: --invalid: --zero-terminated",
        "text*",
    ),
    "factor": Model("", "text*", check=_factor_check),
    "seq": Model(
        "-f: -s: -w -t: --format: --separator: --equal-width",
        "text text text",
        least=1,
        check=_seq_check,
    ),
    "iconv": Model(
        "-f: -t: -c -l -s --from-code: --to-code: --list --silent --byte-subst:", "path*"
    ),
    "base64": Model(_BASE64, "path", harmless=True),
    "base32": Model(_BASE64, "path", harmless=True),
    "basenc": Model(f"{_BASE64} --base64 --base64url --base32 --base32hex --base16", "path"),
    "sed": Model(
        "-n -E -r -s -u -z -e: --quiet --silent --expression: --regexp-extended --separate"
        " --unbuffered --null-data --posix --sandbox",
        "pattern path*",
        instead=("-e", "--expression"),
        check=_sed_check,
    ),
    **{
        name: Model("-F: -v:", "pattern path*", check=_awk_check, ordered=True)
        for name in ("awk", "gawk", "mawk", "nawk")
    },
    "jq": Model(
        "-c -n -r -j -a -s -S -C -M -e -R --compact-output --null-input --raw-output --join-output"
        " --ascii-output --slurp --sort-keys --color-output --monochrome-output --exit-status"
        " --raw-input --tab --stream --seq --unbuffered --indent: --arg& --argjson&",
        "pattern path*",
        check=_jq_check,
    ),
}
