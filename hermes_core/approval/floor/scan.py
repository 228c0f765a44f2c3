"""A tolerant reader of shell text: finds the simple commands wherever they stand.

It never refuses: what it does not understand it reads as well as it can. It looks into groups,
subshells, functions, loops and substitutions, joins quoted parts, and keeps the values of plain
assignments. Its answer serves the floor and what a person is shown, never a yes.
"""

import re

from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.marks import (
    SPLIT,
    UNKNOWN,
    alternatives,
    expand_braces,
    plain,
    without_marks,
)
from hermes_core.approval.floor.outputs import input_of, printed
from hermes_core.approval.floor.targets import Place
from hermes_core.approval.floor.words import Budget, WordScan
from hermes_core.approval.names import names

_BLANKS = re.compile(r"(?:[ \t]|\\\r?\n)+")
_OPERATOR = re.compile(r"&>>|<<<|<<-|&&|\|\||\|&|&>|<<|<>|<&|>>|>\||>&|;;|[;|&\n()<>]")
_REDIRECTS = frozenset({"<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<<", "<<", "<<-"})
_KEYWORDS = names("if then else elif fi while until do done { } ! time -p esac coproc")
_ARM = re.compile(r"(?:\bin|;;&?)\s*$")
"""What stands before the patterns of a choice."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def scan(
    text: str, budget: Budget, values: dict[str, str], found: list[Command], place: Place
) -> None:
    """Add the simple commands of ``text`` to ``found``, in order of their ends.

    values: of variables, which plain assignments change. place: where it begins. Raises
    ``OverBudget``; what was found until then stands in ``found``.
    """
    _Reader(without_marks(text), budget, values, found, place).list_until("")


class _Reader:
    def __init__(
        self,
        text: str,
        budget: Budget,
        values: dict[str, str],
        found: list[Command],
        place: Place,
    ) -> None:
        self.text = text
        self.at = 0
        self.budget = budget
        self.values = values
        self.found = found
        self.substituted = ""
        self.place = place
        self._before = place
        self._chooses = False
        self._tests = False
        self._move(place)
        self._here: list[tuple[Command, str, bool]] = []

    def list_until(self, closing: str) -> None:
        """Read commands until ``closing`` stands where a word might begin; or to the end."""
        self.budget.enter()
        begins = self.place
        current = Command()
        while self.at < len(self.text):
            self.budget.spend()
            if blanks := _BLANKS.match(self.text, self.at):
                self.at = blanks.end()
                continue
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
                continue
            operator = _OPERATOR.match(self.text, self.at)
            if operator and self.text[self.at : self.at + 2] not in ("<(", ">("):
                self.at = operator.end()
                if operator.group() == closing:
                    break
                current = self._operator(operator.group(), current)
            else:
                self._word(current)
        self._finish(current)
        if closing:
            self._move(begins)
        self.budget.leave()

    def _operator(self, operator: str, current: Command) -> Command:
        if operator in _REDIRECTS:
            self._redirect(operator, current)
            return current
        if operator == "(":
            return self._parenthesis(current)
        if operator == ")" and self._chooses:
            _be_pattern(current)
        self._finish(current)
        following = Command()
        if operator in ("|", "|&"):
            following.piped = current
        elif operator == "\n":
            self._bodies()
        return following

    def _parenthesis(self, current: Command) -> Command:
        if self.text[self.at : self.at + 1] == ")":
            self.at += 1
            return Command()
        if current.words[:1] == ["case"]:
            self._finish(current)
            current = Command()
        before = self.text[max(self.at - 20, 0) : self.at - 1]
        if self._chooses and _ARM.search(before):
            mark = len(self.found)
            self.list_until(")")
            for command in self.found[mark:]:
                command.pattern = not command.inner
                command.runs &= command.inner
        elif before.endswith("=") or self.text.startswith("(", self.at):
            self.values_until(")")
        else:
            self.list_until(")")
        return current

    def values_until(self, closing: str) -> None:
        """Read a list of values or a sum, in which commands stand only within words."""
        mark = len(self.found)
        self.list_until(closing)
        for command in self.found[mark:]:
            command.runs &= command.inner

    def _finish(self, command: Command) -> None:
        command.place = self.place
        self._tests |= plain("".join(command.words[:1])) == "[["
        command.runs &= not (self._tests or command.pattern)
        self._tests &= command.words[-1:] != ["]]"]
        if command.words or command.redirects:
            self.found.append(command)
        if command.words:
            self._follow(command)

    def _move(self, place: Place) -> None:
        """Go to a place, which the shell tells by a variable."""
        self._before, self.place = self.place, place
        self.values["PWD"] = place.cwd or UNKNOWN

    def _follow(self, command: Command) -> None:
        """Follow what changes the folder, whether or not it will succeed, and what sets names."""
        name, rest = command.words[0], command.words[1:]
        if name in ("cd", "pushd"):
            targets = [word for word in rest if not word.startswith("-") or word == "-"]
            target = targets[0] if targets else self.place.home
            self._move(self._before if target == "-" else self.place.moved(target))
        elif name == "popd":
            self._move(self._before)
        elif name in ("for", "select", "case"):
            command.runs = False
            self._chooses |= name == "case"
            if rest[1:2] == ["in"] and name != "case":
                self.values[rest[0]] = alternatives(rest[2:]) if rest[2:] else ""
        elif name == "read":
            given = input_of(command) if command.piped else None
            value = alternatives(given.split()) if given and given.split() else UNKNOWN
            self.values.update(dict.fromkeys(filter(_NAME.fullmatch, rest), value))

    def _word(self, command: Command) -> None:
        start = self.at
        scanned = WordScan(self)
        raw = self.text[start : self.at]
        if self.substituted:
            command.text, self.substituted = self.substituted, ""
        if self.text[self.at : self.at + 1] in ("<", ">") and raw.isdigit():
            return
        if not command.words and self._is_passed(raw, scanned.value):
            return
        for word in _split(scanned.value):
            command.words += expand_braces(word)

    def _is_passed(self, raw: str, value: str) -> bool:
        """Return whether the first word is a keyword or an assignment."""
        if raw in _KEYWORDS:
            return True
        if raw == "function":
            self._skip_name()
            return True
        found = _ASSIGNMENT.fullmatch(value)
        if found and raw.startswith(found[1]):
            self.values[found[1]] = found[2].replace(SPLIT, " ")
            return True
        return False

    def _skip_name(self) -> None:
        found = re.compile(r"[ \t]*[^ \t\n;&|(){}]+").match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _redirect(self, operator: str, command: Command) -> None:
        if blanks := _BLANKS.match(self.text, self.at):
            self.at = blanks.end()
        start = self.at
        target = WordScan(self).value
        raw = self.text[start : self.at]
        if operator in ("<<", "<<-"):
            quoted = any(char in raw for char in "'\"\\")
            self._here.append((command, re.sub(r"['\"\\]", "", raw), quoted))
        elif operator == "<<<":
            command.text = target
        else:
            for word in expand_braces(target):
                command.redirects.append((operator, word))

    def _bodies(self) -> None:
        """Read the here-documents that were announced on the line that has ended."""
        waiting, self._here = self._here, []
        for command, delimiter, quoted in waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                self.budget.spend()
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                if line.lstrip("\t") == delimiter:
                    break
                lines.append(line)
            command.text = "\n".join(lines)
            if not quoted and ("$(" in command.text or "`" in command.text):
                self.nested_in_text(command.text)

    def nested_in_text(self, text: str) -> None:
        """Look for substitutions in text that is expanded as between double quotes."""
        inner = _Reader(text.replace('"', " "), self.budget, self.values, self.found, self.place)
        while inner.at < len(inner.text):
            WordScan(inner, quoted=True)
            inner.at += 1

    def nested(self, text: str) -> None:
        """Read the commands of a substitution between backticks."""
        _Reader(text, self.budget, self.values, self.found, self.place).list_until("")
        self.values["PWD"] = self.place.cwd or UNKNOWN

    def mark(self) -> int:
        """Return how many commands were found so far."""
        return len(self.found)

    def printed_since(self, mark: int) -> str:
        """Return what the commands found since then print, if it is plain; else UNKNOWN."""
        text = printed(self.found[mark:])
        for command in self.found[mark:]:
            command.inner = True
        return text.rstrip("\n") if text is not None else UNKNOWN


def _be_pattern(command: Command | None) -> None:
    """Note that what was read is a pattern of a choice, perhaps of several parts."""
    while command is not None:
        command.pattern, command.runs = True, False
        command = command.piped


def _split(value: str) -> list[str]:
    if SPLIT not in value:
        return [value]
    return [part for part in value.split(SPLIT) if part]
