"""Commands that stop the machine or end everything that runs on it."""

import re

from hermes_core.approval.floor.lists import fits_every_process
from hermes_core.approval.floor.marks import EVERY, UNKNOWN, plain
from hermes_core.approval.floor.targets import Place
from hermes_core.approval.names import names

_NONE = ("", "")
_OFF = ("power-off", "it would stop or restart the machine")
_KILL = ("kill-everything", "it would end every process")
_SYSTEMCTL = names("poweroff reboot halt kexec soft-reboot rescue emergency switch-root exit")
_TARGETS = re.compile(
    r"(poweroff|reboot|halt|shutdown|kexec|rescue|emergency|runlevel[0156])\.target"
)
_NUMBERS = re.compile(r"\{[012]\.\.\d{4,}\}|\[[01]-9\]\*+")
"""Braces and patterns that stand for the numbers of all processes."""
_VALUED = frozenset(("-s", "-n", "--signal"))
_LEVELS = names("0 1 2 3 4 5 6 s S q Q u U") - {"q", "Q"}


def _shutdown(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    return _NONE if {"-c", "--show", "-k"} & set(words) else _OFF


def _off(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    return _NONE if {"-w", "--wtmp-only"} & set(words) else _OFF


def _init(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    return _OFF if words[:1] and words[0] in _LEVELS else _NONE


def _systemctl(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    verbs = [word for word in words if not word.startswith("-")]
    if not verbs:
        return _NONE
    if verbs[0] in _SYSTEMCTL:
        return _OFF
    starts = verbs[0] in ("start", "isolate", "restart", "enable")
    return _OFF if starts and any(map(_TARGETS.fullmatch, verbs[1:])) else _NONE


def _bus(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    off = any(re.search(r"(PowerOff|Reboot|Halt|KExec)$", word) for word in words)
    return _OFF if off else _NONE


def _kexec(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    return _OFF if {"-e", "--exec", "--force", "-f"} & set(words) else _NONE


def _script(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    text = " ".join(words).lower()
    return _OFF if re.search(r"tell app.{0,60} to (shut ?down|restart)", text) else _NONE


def _kill(_name: str, words: list[str], _place: Place) -> tuple[str, str]:
    every = any(EVERY in word or _NUMBERS.fullmatch(plain(word)) for word in words)
    words = [plain(word) for word in words if UNKNOWN not in word]
    signal = ""
    targets: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _VALUED:
            signal = next(rest, "")
        elif word == "--":
            targets += rest
        elif word.startswith("-") and not targets and not signal:
            signal = word
        else:
            targets.append(word)
    if signal in ("-l", "-L", "--list", "--table") or signal.lstrip("-") == "0":
        return _NONE
    first = "1" in targets and signal.upper().lstrip("-").removeprefix("SIG") in ("9", "KILL")
    return _KILL if first or every or "-1" in targets else _NONE


def _killall5(_name: str, _words: list[str], _place: Place) -> tuple[str, str]:
    return _KILL


def _pkill(name: str, words: list[str], _place: Place) -> tuple[str, str]:
    if "-0" in words or "-l" in words:
        return _NONE
    bare = [plain(word) for word in words]
    return _KILL if fits_every_process(bare, inverts=name == "pkill") else _NONE


PROCESSES = {
    "shutdown": _shutdown,
    **dict.fromkeys(("reboot", "halt", "poweroff"), _off),
    "init": _init,
    "telinit": _init,
    "systemctl": _systemctl,
    "loginctl": _systemctl,
    **dict.fromkeys(("dbus-send", "busctl", "gdbus", "qdbus"), _bus),
    "kexec": _kexec,
    "osascript": _script,
    "kill": _kill,
    "killall5": _killall5,
    "pkill": _pkill,
    "killall": _pkill,
}
