"""The floor: the few irreversible commands that are refused in every mode.

They are found through quotes, wrappers, ``-c``, here-documents, pipes into shells, braces, plain
variables and code of other languages, as far as the text tells what will run. What a text hides
better than that is not found here; it is not safe either, and a person decides.
"""

import re
from dataclasses import dataclass, field

from hermes_core.approval.floor.carriers import (
    carried,
    filled,
    parallel_words,
    replaced_by_xargs,
    run_words,
)
from hermes_core.approval.floor.code import INTERPRETERS, code_of, forks_for_ever, shell_texts
from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.marks import SPLIT, UNKNOWN, plain
from hermes_core.approval.floor.outputs import input_of
from hermes_core.approval.floor.scan import scan
from hermes_core.approval.floor.shapes import (
    NONE,
    Finding,
    all_found,
    redirect_shape,
    shape_of,
)
from hermes_core.approval.floor.targets import Place
from hermes_core.approval.floor.words import Budget, OverBudget
from hermes_core.approval.floor.wrappers import SHELLS, WRAPPERS, scripts, shell_script, wrapped
from hermes_core.approval.programs.known import NETWORK

_TEXT_SHELLS = SHELLS | {"at", "batch", "source", "."}
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|(?:^|(?<=[\s;&|]))#[^\n]*", re.DOTALL)
_FUNCTION = re.compile(
    r"(?:function\s+)?([^\s(){};&|]{1,40})\s*(?:\(\s*\))?\s*[{(]([^{}]{1,200})[})]"
)
_MAX_BOMB = 4_096
_MAX_EXECS = 4
_MAX_WORDS = 500
_MAX_PROGRAMS = 100
_BOMB: Finding = ("fork-bomb", "it would start processes without end")


@dataclass(slots=True)
class Floor:
    """What was found. reason without a rule: a cap was reached, so that a person has to see it."""

    rule: str = ""
    reason: str = ""
    programs: tuple[tuple[str, ...], ...] = ()
    writes: tuple[str, ...] = ()
    network: bool = False
    unclear: bool = False


def read_floor(text: str, cwd: str, home: str) -> Floor:
    """Return what ``text`` would destroy if bash ran it in ``cwd``. cwd, home: real paths."""
    search = _Search(Place(cwd, home, cwd))
    try:
        finding = search.text(text, {"HOME": home, "PWD": cwd})
        unclear = False
    except OverBudget:
        finding, unclear = search.partly(), True
    reason = finding[1]
    if unclear and not finding[0]:
        reason = "it is too long or too deeply nested to be looked through"
    programs = tuple(
        tuple(plain(word) for word in words) for words in search.programs[:_MAX_PROGRAMS]
    )
    return Floor(finding[0], reason, programs, tuple(search.writes[:20]), search.network, unclear)


@dataclass(slots=True)
class _Search:
    place: Place
    budget: Budget = field(default_factory=Budget)
    programs: list[list[str]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    network: bool = False
    found: list[Command] = field(default_factory=list)

    def text(self, text: str, values: dict[str, str]) -> Finding:
        """Look through the text of a shell."""
        if _is_bomb(text):
            return _BOMB
        outer, self.found, place = self.found, [], self.place
        self.budget.enter()
        scan(text, self.budget, values, self.found)
        finding = self._commands(self.found, values)
        self.budget.leave()
        self.found, self.place = outer, place
        return finding

    def partly(self) -> Finding:
        """Look at what was read before the budget was spent."""
        self.budget = Budget()
        try:
            return self._commands(self.found, {})
        except OverBudget:
            return NONE

    def _commands(self, commands: list[Command], values: dict[str, str]) -> Finding:
        for command in commands:
            self.budget.spend(2 + len(command.words) // 8)
            if len(command.words) > _MAX_WORDS:
                raise OverBudget
            self._note(command)
            finding = redirect_shape(command, self.place)
            if not finding[0] and command.words:
                finding = self._words(command.words, command, values)
            if finding[0]:
                return finding
            self._move(command.words)
        return NONE

    def _move(self, words: list[str]) -> None:
        """Follow ``cd``, whether or not it will succeed."""
        if words and words[0] in ("cd", "pushd"):
            targets = [word for word in words[1:] if not word.startswith("-")]
            self.place = self.place.moved(targets[0] if targets else self.place.home)

    def _note(self, command: Command) -> None:
        if command.words:
            self.programs.append(command.words)
            self.network |= plain(command.words[0]).rpartition("/")[2] in NETWORK
        for operator, target in command.redirects:
            if operator in ("<", "<&"):
                continue
            path = plain(target)
            self.network |= path.startswith(("/dev/tcp/", "/dev/udp/"))
            if path not in ("/dev/null", "1", "2", "-"):
                self.writes.append(path)

    def _words(self, words: list[str], command: Command, values: dict[str, str]) -> Finding:
        """Judge one reading of a command, then what it runs in turn."""
        self.budget.enter()
        self.budget.spend()
        finding = shape_of(words, self.place)
        if not finding[0]:
            finding = self._within(words, command, values)
        self.budget.leave()
        return finding

    def _within(self, words: list[str], command: Command, values: dict[str, str]) -> Finding:
        name, rest = plain(words[0]).rpartition("/")[2], words[1:]
        nothing = not words[0].strip(UNKNOWN + SPLIT)  # a variable that is not set leaves no word
        if nothing or name.startswith(("ld-linux", "ld.so", "ld-musl")):
            return self._inner([rest], command, values)
        if name == "eval":
            return self.text(" ".join(map(plain, rest)), dict(values))
        if name == "trap" and rest:
            return self.text(
                plain(rest[1] if rest[0] == "--" and rest[1:] else rest[0]), dict(values)
            )
        if name in _TEXT_SHELLS:
            return self._shell(name, rest, command)
        if INTERPRETERS.fullmatch(name):
            return self._code([plain(word) for word in rest], command, values)
        if name in ("find", "gfind", "fd", "fdfind"):
            return self._inner(_run_by_find(rest), command, values)
        return self._wrapper(name, rest, command, values)

    def _wrapper(
        self, name: str, rest: list[str], command: Command, values: dict[str, str]
    ) -> Finding:
        bare = [plain(word) for word in rest]
        if name == "command" and rest and re.fullmatch(r"-p?[vV]p?", plain(rest[0])):
            return NONE
        for text in (*scripts(name, bare), *carried(name, bare)):
            if (finding := self.text(text, dict(values)))[0]:
                return finding
        if runs := run_words(name, rest):
            return self._inner([runs], command, values)
        if name not in WRAPPERS:
            return NONE
        inner = [self._filled(name, words, bare, command) for words in wrapped(name, rest)]
        if name in ("watch", "parallel", "flock"):
            for words in inner:
                if len(words) == 1 and (finding := self.text(plain(words[0]), dict(values)))[0]:
                    return finding
        return self._inner(inner, command, values)

    def _filled(self, name: str, words: list[str], bare: list[str], command: Command) -> list[str]:
        """Return the command in a wrapper with what the wrapper adds to it."""
        if name == "xargs":
            return filled(words, _input_words(command, self.place), replaced_by_xargs(bare))
        return parallel_words(words) if name == "parallel" else words

    def _inner(
        self, readings: list[list[str]], command: Command, values: dict[str, str]
    ) -> Finding:
        for words in readings:
            if words and words[0] and (finding := self._words(words, command, values))[0]:
                return finding
        return NONE

    def _shell(self, name: str, rest: list[str], command: Command) -> Finding:
        words = [plain(word) for word in rest]
        given = shell_script(words) if name in SHELLS else None
        home = {"HOME": self.place.home, "PWD": self.place.cwd}
        if given:
            script, arguments = given
            numbered = {str(place): word for place, word in enumerate(arguments)}
            everything = " ".join(arguments[1:])
            return self.text(script, {**home, **numbered, "@": everything, "*": everything})
        reads = [word for word in words if not word.startswith(("-", "+"))]
        takes_file = name in (*SHELLS, "source", ".") and "-s" not in words
        if takes_file and reads and reads[0] not in ("/dev/stdin", "$?"):
            return NONE
        text = input_of(command)
        return self.text(plain(text), dict(home)) if text and text != UNKNOWN else NONE

    def _code(self, rest: list[str], command: Command, values: dict[str, str]) -> Finding:
        for code in code_of(rest, input_of(command)):
            if forks_for_ever(code):
                return _BOMB
            for text in shell_texts(code[:8_192]):
                self.budget.spend()
                if (finding := self.text(text, dict(values)))[0]:
                    return finding
        return NONE


def _is_bomb(text: str) -> bool:
    if len(text) > _MAX_BOMB or "&" not in text or not ("{" in text or "(" in text or "$0" in text):
        return False
    bare = _QUOTED.sub(" ", text)
    if re.search(r"\$0\s*[&|]\s*\$0\s*&", bare):
        return True
    for found in _FUNCTION.finditer(bare):
        name, body = found[1], found[2]
        calls = len(re.findall(rf"(?<![^\s|&;]){re.escape(name)}(?![^\s|&;])", body))
        if calls > 1 and "&" in body:
            return True
    return False


def _run_by_find(words: list[str]) -> list[list[str]]:
    """Return the commands that find or fd runs for each file."""
    found: list[list[str]] = []
    for place, word in enumerate(words):
        if len(found) < _MAX_EXECS and plain(word) in (
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-x",
            "-X",
            "--exec",
            "--exec-batch",
        ):
            rest = words[place + 1 :]
            ends = [spot for spot, one in enumerate(rest) if plain(one) in (";", "+")]
            found.append(rest[: ends[0]] if ends else rest)
    return found


def _input_words(command: Command, place: Place) -> list[str]:
    """Return what xargs adds to its command, where that is plain."""
    text = input_of(command)
    if text is not None:
        return plain(text).split()
    source = command.piped.words if command.piped else []
    if source and plain(source[0]).rpartition("/")[2] == "find":
        found = all_found(source[1:], place)
        return ["-r", *found] if found else []
    return []
