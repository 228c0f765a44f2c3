"""Programs that run another command: where in their arguments that command stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_core.approval.floor.marks import plain
from hermes_core.approval.names import names


@dataclass(frozen=True, slots=True)
class Wrapper:
    """valued: options with a value of their own. operands: words before the command."""

    valued: frozenset[str] = frozenset()
    operands: int = 0


def _wrapper(valued: str = "", operands: int = 0) -> Wrapper:
    return Wrapper(frozenset(valued.split()), operands)


SHELLS = names("sh bash zsh dash ksh mksh pdksh ash fish rbash csh tcsh yash")
_SUDO = (
    "-u -g -h -p -C -T -r -t -U -D -R -c --user --group --host --prompt --close-from --chdir"
    " --chroot --role --type --other-user --command-timeout"
)
WRAPPERS: dict[str, Wrapper] = {
    **{
        name: _wrapper()
        for name in [
            "command",
            "builtin",
            "nohup",
            "setsid",
            "busybox",
            "toybox",
            "unbuffer",
            "chronic",
            "eatmydata",
            "fakeroot",
            "linux32",
            "linux64",
            "caffeinate",
            "catchsegv",
            "dbus-run-session",
            "firejail",
            "proxychains",
            "proxychains4",
            "torsocks",
            "tsocks",
            "faketime",
            "rlwrap",
            "winpty",
            "noglob",
            "nocorrect",
            "-",
            "systemd-inhibit",
        ]
    },
    "sudo": _wrapper(_SUDO),
    "doas": _wrapper("-u -C"),
    "pkexec": _wrapper("--user"),
    "env": _wrapper("-u -C --unset --chdir"),
    "exec": _wrapper("-a"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "timeout": _wrapper("-s -k --signal --kill-after", 1),
    "gtimeout": _wrapper("-s -k --signal --kill-after", 1),
    "time": _wrapper("-f -o --format --output"),
    "stdbuf": _wrapper("-i -o -e"),
    "xargs": _wrapper("-I -n -P -d -E -L -s -a --max-args --max-procs --delimiter --arg-file"),
    "chroot": _wrapper("", 1),
    "unshare": _wrapper("-R -w --root --wd -S -G"),
    "nsenter": _wrapper("-t -S -G --target"),
    "strace": _wrapper("-e -o -p -s -u -E -a"),
    "ltrace": _wrapper("-e -o -p -s -u -a"),
    "taskset": _wrapper("", 1),
    "chrt": _wrapper("", 1),
    "gosu": _wrapper("", 1),
    "su-exec": _wrapper("", 1),
    "setpriv": _wrapper("--reuid --regid --groups"),
    "runuser": _wrapper("-u -g -G"),
    "setarch": _wrapper("", 1),
    "flock": _wrapper("-w -E --timeout", 1),
    "watch": _wrapper("-n --interval"),
    "systemd-run": _wrapper("-p -u --property --unit -E --setenv"),
    "parallel": _wrapper("-j --jobs -I"),
    "perf": _wrapper("", 1),
    "valgrind": _wrapper(),
    "script": _wrapper("-c --command"),
    "ccache": _wrapper(),
    "entr": _wrapper(),
    "ssh-agent": _wrapper("-a -t -P"),
    "dbus-launch": _wrapper(),
    "numactl": _wrapper("-C -N -m -c -p -i"),
    "cpulimit": _wrapper("-l -p -e -c"),
    "prlimit": _wrapper("-p -o"),
    "screen": _wrapper("-S -c -e -h -s -t -T -p"),
    "coproc": _wrapper(),
}
SCRIPTED: dict[str, tuple[str, ...]] = {
    "su": ("-c", "--command", "--session-command"),
    "runuser": ("-c", "--command"),
    "script": ("-c", "--command"),
    "flock": ("-c", "--command"),
    "env": ("-S", "--split-string"),
}
"""Programs with options whose value is the text of a command."""

_SHELL_VALUED = frozenset(("-o", "-O", "+o", "+O", "--rcfile", "--init-file"))
_SHELL_CLUSTER = re.compile(r"[-+][A-Za-z]+[oO]|-[A-Za-z]*[oO][A-Za-z]*c[A-Za-z]*")
"""Options in one word, of which one takes the next: ``-euo pipefail``, ``-oc pipefail``."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def wrapped(name: str, words: list[str]) -> Iterator[list[str]]:
    """Yield what the wrapper ``name`` may run, of its words without the name.

    Where an option is not known, its next word may be its value, and both readings are given.
    """
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return
    place, operands, after_option = 0, wrapper.operands, False
    while place < len(words):
        word = plain(words[place])
        if word == "--":
            place += 1
            after_option = False
            if not operands:
                break
        elif word.startswith("-") and len(word) > 1:
            known = word in wrapper.valued
            place += 2 if known else 1
            after_option = not known and "=" not in word
        elif _ASSIGNMENT.match(word):
            place += 1
        elif operands:
            operands -= 1
            place += 1
            after_option = False
        else:
            break
    yield words[place:]
    if after_option:
        yield words[place + 1 :]


def scripts(name: str, words: list[str]) -> Iterator[str]:
    """Yield the texts of commands that a program is given as values of options."""
    options = SCRIPTED.get(name, ())
    for place, word in enumerate(words):
        for option in options:
            if word == option or (_clustered(word, option)):
                yield from words[place + 1 : place + 2]
            elif option.startswith("--") and word.startswith(f"{option}="):
                yield word.partition("=")[2]
            elif not option.startswith("--") and word.startswith(option) and len(word) > 2:
                yield word[2:]


def _clustered(word: str, option: str) -> bool:
    short = len(option) == 2 and word.startswith("-") and not word.startswith("--")
    return short and len(word) > 2 and word.endswith(option[1])


def shell_script(words: list[str]) -> tuple[str, list[str]] | None:
    """Return the text after a shell's ``-c`` and the words after it; None without ``-c``."""
    rest = words
    given = False
    while rest and rest[0].startswith(("-", "+")) and rest[0] != "--":
        word, rest = rest[0], rest[1:]
        given = given or (word[0] == "-" and word[1:2] != "-" and "c" in word)
        if word in _SHELL_VALUED or _SHELL_CLUSTER.fullmatch(word):
            rest = rest[1:]
    rest = rest[1:] if rest[:1] == ["--"] else rest
    return (rest[0], rest[1:]) if given and rest else None
