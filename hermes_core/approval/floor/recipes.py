"""Commands within scripts of other programs that stand in the text: makefiles, macros.

A makefile on the input or by process substitution is no file of the project: its text is known.
"""

import re
from collections.abc import Iterator

from hermes_core.approval.floor.marks import UNKNOWN, plain

MAKES = frozenset(("make", "gmake", "bmake", "mk", "just", "ninja"))
_FILE = re.compile(r"(-f|-X|--file|--makefile|--justfile)(?:=?(.*))", re.DOTALL)
_EVAL = re.compile(r"(-E|--eval)(?:=?(.*))", re.DOTALL)
_SHELL = re.compile(r"\$[({]shell\s+((?:[^()]|\([^()]*\))*)[)}]|^[\w.-]+\s*!=\s*(.+)", re.MULTILINE)
_ASSIGNED = re.compile(r"\s*(?:export\s+|override\s+)?([\w.-]+)\s*[:?+]{0,3}=\s*(.*)")
_NINJA = re.compile(r"\s+command\s*=\s*(.*)")
_VARIABLE = re.compile(r"\$(?:[({](\w+)[)}])")
_LINES = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex"), re.compile(r"^[ :]*!(.+)", re.MULTILINE)),
    "gdb": re.compile(r"^\s*(?:shell|!)\s*(.+)", re.MULTILINE),
    "expect": re.compile(r"(?:spawn|exec|system)\s+([^\]\n]+)"),
    "tclsh": re.compile(r"exec\s+([^\]\n]+)"),
    "sed": re.compile(r"(?:^|[;{\n\d$/!IM])[ \t]*e[ \t]+([^\n]+)"),
}
_STDIN = ("-", "/dev/stdin", "/dev/fd/0")


def recipe_texts(name: str, words: list[str], text: str | None) -> Iterator[str]:
    """Yield the commands that a program reads from a script which stands in the command's text.

    words: with marks, without the name. text: what it reads, if that is known.
    """
    if name in MAKES:
        yield from _of_makefile(words, text)
    elif name in _LINES and text and _reads_input(words):
        yield from (found.strip() for found in _LINES[name].findall(plain(text)))


def _reads_input(words: list[str]) -> bool:
    return not words or any(UNKNOWN in word or word in _STDIN for word in words)


def _of_makefile(words: list[str], text: str | None) -> Iterator[str]:
    for place, word in enumerate(words):
        following = "".join(words[place + 1 : place + 2])
        if found := _EVAL.fullmatch(plain(word)):
            yield from _recipes(found[2] or plain(following))
        elif (found := _FILE.fullmatch(word)) and text is not None:
            value = found[2] or following
            if UNKNOWN in value or value in _STDIN:
                yield from _recipes(plain(text))


def _recipes(text: str) -> Iterator[str]:
    """Yield the commands of a makefile's text."""
    lines = text.replace("\\\n", " ").split("\n")
    known = {"RM": "rm -f"}
    for line in lines:
        if line.lstrip().startswith("#"):
            continue
        for found in _SHELL.findall(line):
            yield _expanded(found[0] or found[1], known)
        if found := _NINJA.fullmatch(line):
            yield _expanded(found[1], known)
        elif found := _ASSIGNED.fullmatch(line):
            known[found[1]] = found[2].strip()
        elif line[:1] in ("\t", " "):
            yield _expanded(line.strip().lstrip("@-+ "), known)
        elif ":" in line and ";" in line:
            yield _expanded(line.partition(";")[2].strip().lstrip("@-+ "), known)


def _expanded(text: str, known: dict[str, str]) -> str:
    """Put make's variables in; others are left to the shell."""
    text = _VARIABLE.sub(lambda found: known.get(found[1], f"${found[1]}"), text)
    return text.replace("$$", "$")
