"""Programs that are no wrappers, and run text of their arguments all the same.

Editors, debuggers, archivers, git, runners of packages: where in their arguments commands stand.
"""

import re
from collections.abc import Iterator

from hermes_core.approval.floor.marks import plain

_EDITORS = frozenset({"vi", "vim", "nvim", "view", "ex", "gvim", "vimdiff"})
_VALUES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_EDITORS, ("-c", "--cmd")),
    **dict.fromkeys(("gdb", "lldb"), ("-ex", "-eval-command", "--eval-command", "-o", "-iex")),
    "expect": ("-c",),
    "tar": ("-I", "-F", "--to-command", "--use-compress-program", "--checkpoint-action"),
    "npx": ("-c", "--call"),
    "npm": ("-c", "--call"),
    "nix-shell": ("--run", "--command"),
    "git": ("-c", "-x", "--exec", "--upload-pack", "--receive-pack", "--extcmd"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
}
"""Options whose value is run, or holds what is run."""
_PREFIX = re.compile(r"[\w.-]+=!?|exec=|:?!|shell\s+|platform shell\s+|(?:spawn|exec|system)\s+")
"""What may stand in such a value before the command."""
_SED_RUNS = re.compile(r"(?:^|[;{\n\d$/!IM])[ \t]*e[ \t]+([^\n]{1,500})")
_FILTER = re.compile(r"--[a-z]+-filter")
_RUNNERS: dict[str, tuple[tuple[str, ...], int]] = {
    **dict.fromkeys(("poetry", "uv", "pipenv", "pdm", "hatch", "rye", "conda"), (("run",), 0)),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "mise", "asdf"), (("exec", "x"), 0)),
    "direnv": (("exec",), 1),
    "machinectl": (("shell",), 1),
    "tmux": (("new", "new-session", "new-window", "neww", "split-window", "run-shell", "run"), 0),
}
"""Subcommands after which a command stands, and the words between them."""
_RUNNER_VALUED = frozenset(
    ("-s", "-n", "-t", "-c", "-x", "-y", "-e", "-F", "-p", "--with", "--python", "--name")
)


def carried(name: str, words: list[str]) -> Iterator[str]:
    """Yield the commands that stand as text in the arguments of a program; words: plain."""
    options = _VALUES.get(name, ())
    for place, word in enumerate(words):
        for option in options:
            if word == option:
                yield from map(_without_prefix, words[place + 1 : place + 2])
            elif option.startswith("--") and word.startswith(f"{option}="):
                yield _without_prefix(word.partition("=")[2])
    if name == "git":
        yield from _git_texts(words)
    elif name in ("sed", "gsed"):
        for word in words:
            yield from (found[1] for found in _SED_RUNS.finditer(word))
    elif name in _EDITORS:
        yield from (_without_prefix(word[1:]) for word in words if word.startswith(("+!", "+:!")))


def _without_prefix(value: str) -> str:
    while found := _PREFIX.match(value):
        value = value[found.end() :]
    return value


def _git_texts(words: list[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        rest = words[place + 1 :]
        if word == "foreach" and words[place - 1 : place] == ["submodule"]:
            yield " ".join(one for one in rest if one not in ("--recursive", "-q", "--quiet"))
        elif word == "run" and words[place - 1 : place] == ["bisect"]:
            yield " ".join(one if re.fullmatch(r"[\w./-]+", one) else f"'{one}'" for one in rest)
        elif _FILTER.fullmatch(word):
            yield from rest[:1]


def run_words(name: str, words: list[str]) -> list[str]:
    """Return the command that a runner runs, as words; none if it runs none."""
    subcommands, between = _RUNNERS.get(name, ((), 0))
    place = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    if not subcommands or plain(" ".join(words[place : place + 1])) not in subcommands:
        return []
    place += 1 + between
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in _RUNNER_VALUED else 1
    rest = words[place:]
    if name == "tmux" and len(rest) == 1:
        return ["sh", "-c", *rest]
    return rest


def replaced_by_xargs(words: list[str]) -> str:
    """Return the text that xargs replaces by what it reads, or ``""``."""
    for place, word in enumerate(words):
        if word in ("-I", "--replace"):
            return " ".join(words[place + 1 : place + 2]) if word == "-I" else "{}"
        if word.startswith(("-I", "--replace=")):
            return word[2:] if word.startswith("-I") else word.partition("=")[2]
        if word == "-i":
            return "{}"
        if not word.startswith("-"):
            break
    return ""


def filled(words: list[str], given: list[str], token: str) -> list[str]:
    """Return a command with what is given put in for the token, or behind it."""
    if not token:
        return words + given
    found: list[str] = []
    for word in words:
        bare = plain(word)
        if not given or token not in bare:
            found.append(word)
        elif any(char in bare for char in " \t\n"):
            found.append(bare.replace(token, " ".join(given)))
        else:
            found += [bare.replace(token, one) for one in given]
    return found


def parallel_words(words: list[str]) -> list[str]:
    """Return the command of parallel with all that it is given."""
    bare = [plain(word) for word in words]
    if ":::" not in bare:
        return words
    place = bare.index(":::")
    given = [word for word in bare[place + 1 :] if word != ":::"]
    command = words[:place]
    if any("{}" in plain(word) for word in command):
        return filled(command, given, "{}")
    return command + given
