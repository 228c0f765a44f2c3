"""Git: the subcommands that only read.

What runs programs is left out: pagers, external diffs, textconv, signatures, remotes, editors.
The settings of the repository are judged elsewhere (``git_settings``).
"""

import re
from dataclasses import replace

from hermes_core.approval.git_settings import SIGNATURE
from hermes_core.approval.model import Check, Family, Model, Parsed, Unmodelled
from hermes_core.approval.programs.git_changes import GIT_CHANGES
from hermes_core.approval.programs.git_options import DIFF, LIST, LOG

_SECRET_KEYS = re.compile(
    r"token|passw|secret|header|credential|auth|apikey|\.key$|proxy|cookie", re.IGNORECASE
)
_LISTING = ("--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9-]*(\..+)?\.[A-Za-z][A-Za-z0-9-]*")


def _texts(parsed: Parsed) -> list[str]:
    return [text for _, text in parsed.operands]


def _formats(parsed: Parsed) -> str:
    for text in parsed.given("--format", "--pretty", "--sort"):
        if SIGNATURE.search(text) or "signature" in text or "%(describe" in text:
            return "the format runs a program"
    return ""


def _listing(*words: str) -> Check:
    """Operands are patterns only where one of ``words`` says so; else they are created."""

    def check(parsed: Parsed) -> str:
        if parsed.operands and not parsed.has(*words):
            return "it may create or change what it names"
        return _formats(parsed)

    return check


def _first(*words: str, bare: bool = False) -> Check:
    """The first argument has to be one of ``words``; it may be missing if ``bare``."""

    def check(parsed: Parsed) -> str:
        if parsed.argv[:1] and parsed.argv[0] in words:
            return _formats(parsed)
        return "" if bare and not parsed.argv else "it changes the repository"

    return check


def _config(parsed: Parsed) -> str:
    keys = _texts(parsed)
    if keys[:1] == ["get"]:
        keys = keys[1:]
    if len(keys) != 1 or not _KEY.fullmatch(keys[0]):
        return "it may change a setting, or show more than one"
    return "the setting may be a secret" if _SECRET_KEYS.search(keys[0]) else ""


def _remote(parsed: Parsed) -> str:
    texts = _texts(parsed)
    known = not texts or (texts[0] == "get-url" and len(texts) == 2)
    return "" if known else "it changes a remote or reaches it"


def _one_operand(parsed: Parsed) -> str:
    return "" if len(parsed.operands) == 1 else "it changes a reference"


def _reflog(parsed: Parsed) -> str:
    changes = set(_texts(parsed)[:1]) & {"expire", "delete", "drop", "write"}
    return "it changes the log" if changes else _formats(parsed)


def _revision(parsed: Parsed) -> str:
    if not parsed.operands and not parsed.has("--all"):
        return "it reads its input"
    return _formats(parsed)


def _object(parsed: Parsed) -> str:
    asked = parsed.has("-t", "-s", "-e", "-p")
    named = len(parsed.operands) == 2 and parsed.argv[0] in ("blob", "tree", "commit", "tag")
    return "" if asked or named else "it reads from its input or writes"


_READS: dict[str, tuple[str, str, Check | None]] = {
    "log": (f"{LOG} {DIFF}", "rev*", None),
    "whatchanged": (f"{LOG} {DIFF}", "rev*", None),
    "show": (f"{LOG} {DIFF}", "rev*", None),
    "rev-list": (f"{LOG} --count --objects --header --disk-usage", "rev*", None),
    "shortlog": (f"{LOG} -s -n -e -w? --summary --numbered --email --group:", "rev*", _revision),
    "range-diff": (f"{DIFF} --creation-factor= --no-dual-color", "rev*", None),
    "diff-tree": (
        f"{DIFF} -r -t -c -m -v --root --cc --no-commit-id --pretty? --format=",
        "rev*",
        None,
    ),
    "branch": (
        f"{LIST} -a -r -v -l --all --remotes --verbose --list --show-current --abbrev= --no-abbrev",
        "text*",
        _listing("-l", "--list", *_LISTING),
    ),
    "tag": (f"{LIST} -l -n? --list", "text*", _listing("-l", "--list", "-n", *_LISTING)),
    "remote": ("-v --verbose --all --push", "text*", _remote),
    "rev-parse": (
        "-q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all"
        " --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --git-dir"
        " --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir"
        " --is-bare-repository --is-shallow-repository --show-superproject-working-tree"
        " --show-object-format? --since= --until= --default: --not --revs-only --no-revs --flags"
        " --no-flags --path-format= --end-of-options",
        "rev*",
        None,
    ),
    "ls-files": (
        "-c -d -m -o -i -s -u -k -t -v -f -z -x: --cached --deleted --modified --others --ignored"
        " --stage --unmerged --killed --exclude-standard --error-unmatch --full-name --abbrev?"
        " --debug --eol --deduplicate --directory --no-empty-directory --exclude: --format:",
        "meta*",
        None,
    ),
    "ls-tree": (
        "-r -d -t -l -z --long --name-only --name-status --object-only --full-name --full-tree"
        " --abbrev? --format:",
        "rev*",
        None,
    ),
    "cat-file": ("-t -s -e -p", "rev*", _object),
    "config": (
        "--get --get-all --local --global --system --worktree --type: --bool --int --path"
        " --show-origin --show-scope --default: -z --null --includes --no-includes",
        "text*",
        _config,
    ),
    "reflog": (f"{LOG} {DIFF}", "rev*", _reflog),
    "stash": (f"{LOG} {DIFF}", "rev*", _first("list", "show")),
    "worktree": ("-v -z --porcelain --verbose", "text", _first("list")),
    "notes": ("", "text text", _first("list", "show")),
    "bisect": ("", "text", _first("log")),
    "show-ref": (
        "-q -d -s? --head --heads --branches --tags --dereference --hash? --verify"
        " --abbrev? --quiet",
        "rev*",
        None,
    ),
    "for-each-ref": (f"{LIST} --count:", "text*", _formats),
    "show-branch": ("-a -r --all --remotes --current --list --sha1-name --no-name", "rev*", None),
    "merge-base": ("-a --all --octopus --independent --is-ancestor --fork-point", "rev*", None),
    "name-rev": (
        "--tags --all --name-only --always --no-undefined --refs: --exclude:",
        "rev*",
        None,
    ),
    "cherry": ("-v --abbrev?", "rev*", None),
    "count-objects": ("-v -H --verbose --human-readable", "", None),
    "symbolic-ref": ("-q --quiet --short --no-recurse", "text", _one_operand),
    "check-ignore": ("-q -v -n -z --quiet --verbose --non-matching --no-index", "meta*", None),
    "check-attr": ("-a -z --all --cached", "text*", None),
    "check-ref-format": ("--branch --normalize --allow-onelevel", "text*", None),
    "var": ("", "text", _first("GIT_DEFAULT_BRANCH", "GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT")),
    "version": ("--build-options", "", None),
}
_WORKTREE: dict[str, tuple[str, str, Check | None]] = {
    "describe": (
        "--all --tags --always --long --exact-match --first-parent --contains --abbrev= --match:"
        " --exclude: --candidates:",
        "rev*",
        None,
    ),
    "status": (
        "-s -b -v -z -u? --short --branch --show-stash --porcelain? --long --verbose"
        " --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind"
        " --no-ahead-behind --renames --no-renames --find-renames?",
        "rev*",
        None,
    ),
    "diff": (
        f"{DIFF} --cached --staged --merge-base -0 -1 -2 -3 --base --ours --theirs --cc",
        "rev*",
        None,
    ),
    "diff-index": (f"{DIFF} --cached -m --merge-base", "rev*", None),
    "diff-files": (f"{DIFF} -0 -1 -2 -3 --base --ours --theirs --cc -q", "rev*", None),
    "blame": (
        "-L: -l -t -S:rev -b -c -e -f -n -p -s -w -M? -C? --root --show-stats --porcelain"
        " --line-porcelain --show-name --show-number --show-email --date: --since: --abbrev?"
        " --reverse --first-parent --incremental --score-debug --color-lines --color-by-age"
        " --ignore-rev: --ignore-revs-file:path",
        "rev*",
        None,
    ),
    "annotate": ("-L: -l -t -w --date: --since:", "rev*", None),
    "grep": (
        "-# -a -c -e:any -E -F -G -P -h -H -i -I -l -L -n -o -q -v -w -W -z -p -r -A: -B: -C: -m:"
        " --cached --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp"
        " --basic-regexp --fixed-strings --perl-regexp --line-number --column"
        " --files-with-matches --name-only --files-without-match --null --only-matching --count"
        " --color? --no-color --break --heading --show-function --context: --after-context:"
        " --before-context: --function-context --and --or --not --all-match --quiet --max-depth:"
        " --max-count: --threads: --no-textconv --recursive --no-recursive",
        "pattern rev*",
        None,
    ),
}


def _made(entry: tuple[str, str, Check | None], name: str, *, worktree: bool) -> Model:
    options, operands, check = entry
    return Model(
        options,
        operands,
        check=check or _formats,
        here=True,
        name=name,
        instead=("-e",),
        git=True,
        worktree=worktree,
        ordered=name == "config",
    )


_MODELS: dict[str, Model] = {
    **{name: replace(model, name=name) for name, model in GIT_CHANGES.items()},
    **{name: _made(entry, name, worktree=False) for name, entry in _READS.items()},
    **{name: _made(entry, name, worktree=True) for name, entry in _WORKTREE.items()},
}
_NEUTRAL = frozenset(
    {"--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "-P"}
)
_VERSION = Model("", "", name="version")


def _choose(argv: tuple[str, ...]) -> tuple[Model, tuple[str, ...]]:
    if argv in (("--version",), ("-v",)):
        return _VERSION, ()
    rest = argv
    while rest and rest[0] in _NEUTRAL:
        rest = rest[1:]
    if not rest:
        raise Unmodelled("git lacks a subcommand")
    if rest[0].startswith("-"):
        raise Unmodelled(f"the option {rest[0].partition('=')[0]} of git is not known to only read")
    model = _MODELS.get(rest[0])
    if model is None:
        raise Unmodelled(f"git {rest[0][:40]} is not known to only read")
    return model, rest[1:]


GIT = Family(_choose)
