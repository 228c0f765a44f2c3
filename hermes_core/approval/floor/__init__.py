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
from hermes_core.approval.floor.lists import EXECS, FD_EXECS, all_found
from hermes_core.approval.floor.marks import SPLIT, UNKNOWN, plain
from hermes_core.approval.floor.outputs import input_of
from hermes_core.approval.floor.recipes import recipe_texts
from hermes_core.approval.floor.scan import scan
from hermes_core.approval.floor.shapes import (
    NONE,
    Finding,
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
_DEFINED = re.compile(r"\bfunction\s+([\w-]{1,40})|(?<![\w-])([\w-]{1,40})[ \t]*\([ \t]*\)")
_MAX_BOMB = 4_096
_MAX_EXECS = 4
_MAX_WORDS = 500
_MAX_PROGRAMS = 100
_BOMB: Finding = ("fork-bomb", "it would start processes without end")


@dataclass(slots=True)
class Floor:
    """What was found. reason without a rule: a cap was reached, so that a person has to see it.

    programs: commands that the shell would run. guessed: words that look like commands, in code of
    other languages and the like.
    """

    rule: str = ""
    reason: str = ""
    programs: tuple[tuple[str, ...], ...] = ()
    guessed: tuple[tuple[str, ...], ...] = ()
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
    functions = {name for names in _DEFINED.findall(text) for name in names}
    seen: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
    for words, runs in search.programs[:_MAX_PROGRAMS]:
        argv = tuple(plain(word) for word in words)
        seen[runs and argv[0] not in functions].append(argv)
    guessed, programs = map(tuple, seen)
    return Floor(
        rule=finding[0],
        reason=reason,
        programs=programs,
        guessed=guessed,
        writes=tuple(search.writes[:20]),
        network=search.network,
        unclear=unclear,
    )


@dataclass(slots=True)
class _Search:
    place: Place
    budget: Budget = field(default_factory=Budget)
    programs: list[tuple[list[str], bool]] = field(default_factory=list)
    in_code: bool = False
    writes: list[str] = field(default_factory=list)
    network: bool = False
    found: list[Command] = field(default_factory=list)

    def text(self, text: str, values: dict[str, str]) -> Finding:
        """Look through the text of a shell."""
        if _is_bomb(text):
            return _BOMB
        outer, self.found, place = self.found, [], self.place
        self.budget.enter()
        scan(text, self.budget, values, self.found, place)
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
            self.place = command.place or self.place
            if len(command.words) > _MAX_WORDS:
                raise OverBudget
            self._note(command)
            finding = redirect_shape(command, self.place)
            if not finding[0] and command.words and not command.pattern:
                finding = self._words(command.words, command, values)
            if finding[0]:
                return finding
        return NONE

    def _note(self, command: Command) -> None:
        if command.words:
            self.programs.append((command.words, command.runs and not self.in_code))
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
            return self._inner(self._run_by_find(name, rest), command, values)
        return self._wrapper(name, rest, command, values)

    def _wrapper(
        self, name: str, rest: list[str], command: Command, values: dict[str, str]
    ) -> Finding:
        bare = [plain(word) for word in rest]
        if name == "command" and rest and re.fullmatch(r"-p?[vV]p?", plain(rest[0])):
            return NONE
        recipes = recipe_texts(name, rest, input_of(command))
        for text in (*scripts(name, bare), *carried(name, bare), *recipes):
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
            return filled(words, _input_words(command), replaced_by_xargs(bare))
        if name != "parallel" or ":::" in bare:
            return parallel_words(words) if name == "parallel" else words
        token = "{}" if any("{}" in plain(word) for word in words) else ""
        return filled(words, _input_words(command), token)

    def _run_by_find(self, name: str, words: list[str]) -> list[list[str]]:
        """Return the commands that find or fd runs, with what it finds if that is all."""
        options = FD_EXECS if name in ("fd", "fdfind") else EXECS
        given = all_found(name, words, self.place)
        runs = _after(options, words)
        if options is FD_EXECS:
            runs = [run if _takes_names(run) else [*run, "{}"] for run in runs]
        return [filled(run, given, "{}") for run in runs]

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
            arguments = rest[len(rest) - len(arguments) :]
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
        outer, self.in_code = self.in_code, True
        for code in code_of(rest, input_of(command)):
            if forks_for_ever(code):
                return _BOMB
            for text in shell_texts(code[:8_192]):
                self.budget.spend()
                if (finding := self.text(text, dict(values)))[0]:
                    return finding
        self.in_code = outer
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


def _after(options: frozenset[str], words: list[str]) -> list[list[str]]:
    """Return the commands that stand behind options, up to the sign that ends them."""
    found: list[list[str]] = []
    for place, word in enumerate(words):
        if len(found) < _MAX_EXECS and plain(word) in options:
            rest = words[place + 1 :]
            ends = [spot for spot, one in enumerate(rest) if plain(one) in (";", "+")]
            found.append(rest[: ends[0]] if ends else rest)
    return found


def _takes_names(words: list[str]) -> bool:
    return any(re.search(r"\{(?:/?\.|//?)?\}", plain(word)) for word in words)


def _input_words(command: Command) -> list[str]:
    """Return what xargs adds to its command, where that is plain."""
    return (input_of(command) or "").replace("\0", " ").split()
