"""A tolerant reader of shell text: finds the simple commands wherever they stand.

It never refuses: what it does not understand it reads as well as it can. It looks into groups,
subshells, functions, loops and substitutions, joins quoted parts, and keeps the values of plain
assignments. Its answer serves the floor and what a person is shown, never a yes.
"""

import re

from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.marks import SPLIT, UNKNOWN, expand_braces, without_marks
from hermes_core.approval.floor.outputs import output_of
from hermes_core.approval.floor.words import Budget, WordScan
from hermes_core.approval.names import names

_BLANKS = re.compile(r"(?:[ \t]|\\\r?\n)+")
_OPERATOR = re.compile(r"&>>|<<<|<<-|&&|\|\||\|&|&>|<<|<>|<&|>>|>\||>&|;;|[;|&\n()<>]")
_REDIRECTS = frozenset({"<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<<", "<<", "<<-"})
_KEYWORDS = names("if then else elif fi while until do done { } ! time -p esac coproc")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def scan(text: str, budget: Budget, values: dict[str, str], found: list[Command]) -> None:
    """Add the simple commands of ``text`` to ``found``, in order of their ends.

    values: of variables, which plain assignments change. Raises ``OverBudget``; what was found
    until then stands in ``found``.
    """
    _Reader(without_marks(text), budget, values, found).list_until("")


class _Reader:
    def __init__(
        self, text: str, budget: Budget, values: dict[str, str], found: list[Command]
    ) -> None:
        self.text = text
        self.at = 0
        self.budget = budget
        self.values = values
        self.found = found
        self.substituted = ""
        self._here: list[tuple[Command, str, bool]] = []

    def list_until(self, closing: str) -> None:
        """Read commands until ``closing`` stands where a word might begin; or to the end."""
        self.budget.enter()
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
        self.budget.leave()

    def _operator(self, operator: str, current: Command) -> Command:
        if operator in _REDIRECTS:
            self._redirect(operator, current)
            return current
        if operator == "(":
            return self._parenthesis(current)
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
        self.list_until(")")
        return current

    def _finish(self, command: Command) -> None:
        if command.words or command.redirects:
            self.found.append(command)

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
        inner = _Reader(text.replace('"', " "), self.budget, self.values, self.found)
        while inner.at < len(inner.text):
            WordScan(inner, quoted=True)
            inner.at += 1

    def nested(self, text: str) -> None:
        """Read the commands of a substitution between backticks."""
        _Reader(text, self.budget, self.values, self.found).list_until("")

    def mark(self) -> int:
        """Return how many commands were found so far."""
        return len(self.found)

    def printed_since(self, mark: int) -> str:
        """Return what the commands found since then print, if it is plain; else UNKNOWN."""
        found = self.found[mark:]
        printed = output_of(found[0]) if len(found) == 1 else None
        return printed.rstrip("\n") if printed else UNKNOWN


def _split(value: str) -> list[str]:
    if SPLIT not in value:
        return [value]
    return [part for part in value.split(SPLIT) if part]
