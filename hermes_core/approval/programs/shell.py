"""Builtins of the shell that look, print and test. ``cd`` is judged where paths are."""

import re

from hermes_core.approval.model import Model, Parsed
from hermes_core.approval.names import names

_UNARY_FILES = names("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S")
_UNARY_TEXT = frozenset(("-n", "-z"))
_BINARY = names("= == != < > -eq -ne -lt -le -gt -ge")
_BINARY_FILES = frozenset(("-nt", "-ot", "-ef"))
_NUMERIC = names("-eq -ne -lt -le -gt -ge")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def _inner(argv: tuple[str, ...]) -> tuple[str, ...]:
    return argv[1:] if argv[:1] == ("!",) else argv


def _test_objection(argv: tuple[str, ...]) -> str:
    words = _inner(argv)
    if len(words) <= 1:
        return ""
    if len(words) == 2 and (words[0] in _UNARY_FILES or words[0] in _UNARY_TEXT):
        return ""
    if len(words) == 3 and words[1] in _NUMERIC:
        numbers = _NUMBER.fullmatch(words[0]) and _NUMBER.fullmatch(words[2])
        return "" if numbers else "it computes with what is no number"
    if len(words) == 3 and (words[1] in _BINARY or words[1] in _BINARY_FILES):
        return ""
    return "the test is not understood"


def _test_files(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    words = _inner(argv)
    if len(words) == 2 and words[0] in _UNARY_FILES:
        return (("meta", words[1]),)
    if len(words) == 3 and words[1] in _BINARY_FILES:
        return (("meta", words[0]), ("meta", words[2]))
    return ()


def _check_test(parsed: Parsed) -> str:
    return _test_objection(parsed.argv)


def _check_bracket(parsed: Parsed) -> str:
    if parsed.argv[-1:] != ("]",):
        return "the test is not closed"
    return _test_objection(parsed.argv[:-1])


_CONVERSION = r"[-+ #0']*\d{0,4}(?:\.\d{0,4})?[sdiouxXcbqeEfFgGaA]|\(%[%\w :/.-]*\)T"
_FORMAT = re.compile(rf"(?:[^%]|%%|%(?:{_CONVERSION}))*")
"""What only prints: no ``n``, which sets a variable, no width from an argument or without end."""


def _check_printf(parsed: Parsed) -> str:
    first = parsed.argv[0] if parsed.argv else "-"
    prints = not first.startswith("-") and _FORMAT.fullmatch(first)
    return "" if prints else "it sets a variable, or its format is not understood"


def _check_command(parsed: Parsed) -> str:
    return "" if parsed.argv[:1] in (("-v",), ("-V",)) else "it runs another command"


def _check_sleep(parsed: Parsed) -> str:
    short = len(parsed.argv) == 1 and re.fullmatch(r"(\d|10)(\.\d+)?s?", parsed.argv[0])
    return "" if short else "it waits"


SHELL: dict[str, Model] = {
    "echo": Model("", "text*", raw=True, harmless=True),
    "printf": Model("", "text*", raw=True, check=_check_printf),
    "true": Model("", "text*", raw=True),
    "false": Model("", "text*", raw=True),
    ":": Model("", "text*", raw=True),
    "test": Model("", "text*", raw=True, check=_check_test, locate=_test_files),
    "[": Model(
        "", "text*", raw=True, check=_check_bracket, locate=lambda argv: _test_files(argv[:-1])
    ),
    "type": Model("-a -t -p -P -f", "text*", least=1),
    "command": Model("", "text*", raw=True, least=2, check=_check_command),
    "which": Model("-a -s", "text*", least=1),
    "whereis": Model("-b -m -s", "text*", least=1),
    "umask": Model("-S -p", ""),
    "times": Model("", ""),
    "sleep": Model("", "text", raw=True, check=_check_sleep),
}
