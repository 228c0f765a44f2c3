"""The automatic lane: whether each simple command of a text only reads, inside the workspace."""

import os
import re
from dataclasses import dataclass, field

from hermes_core.approval.finder import Programs
from hermes_core.approval.git_settings import repository_objection
from hermes_core.approval.model import Family, Model, Parsed, Unmodelled, parse_arguments
from hermes_core.approval.names import names
from hermes_core.approval.operands import MAX_MATCHES, Grounds, TooMany
from hermes_core.approval.places import obeyed_name
from hermes_core.approval.programs import PROGRAMS
from hermes_core.approval.programs.known import NETWORK, REASONS
from hermes_core.approval.programs.versions import VERSION, VERSION_FORMS
from hermes_core.approval.shell_words import Redirect, Step, Unreadable, Word, read_steps

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[.*)?\+?=")
_BUILTINS = names("echo printf true false : test [ type command umask times pwd cd")
_MAX_CWDS = 4


@dataclass(slots=True)
class Judged:
    """What a text does, as far as it was understood.

    reasons: why a person has to see it; none if it is safe. programs: with their arguments,
    patterns expanded. effects: name of program, subcommand and effect of each changing command;
    modelled: whether these, with nothing else, are the reasons. plain: whether no program has an
    option that writes or runs something, given or not.
    """

    reasons: list[str] = field(default_factory=list)
    programs: list[tuple[str, ...]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    effects: list[tuple[str, str, str]] = field(default_factory=list)
    network: bool = False
    modelled: bool = True
    plain: bool = True

    def object(self, reason: str) -> None:
        """Note a reason that no model covers."""
        self.modelled = False
        if reason not in self.reasons:
            self.reasons.append(reason)


class Lane:
    """Judges texts in one folder.

    cwd: real. wide: whether the workspace is too wide to be read unasked.
    """

    def __init__(self, grounds: Grounds, cwd: str, programs: Programs, *, wide: bool) -> None:
        self._grounds = grounds
        self._cwds = [cwd]
        self._programs = programs
        self._wide = wide
        self._judged = Judged()

    def judge(self, text: str) -> Judged:
        """Return what ``text`` does; reads folders, runs nothing."""
        try:
            steps = read_steps(text)
        except Unreadable as reason:
            self._judged.object(str(reason))
            return self._judged
        for place, step in enumerate(steps):
            following = steps[place + 1].connector if place + 1 < len(steps) else ""
            try:
                self._step(step, piped="|" in (step.connector, following))
            except (Unmodelled, TooMany) as reason:
                self._judged.object(str(reason))
        if not steps:
            self._judged.object("it holds no command")
        return self._judged

    def _step(self, step: Step, *, piped: bool) -> None:
        words = step.words
        if words and words[0] == Word("!"):
            if step.connector == "|":
                raise Unmodelled("a negation stands within a pipe")
            words = words[1:]
        for redirect in step.redirects:
            self._redirect(redirect)
        if not words:
            raise Unmodelled("a redirection stands without a program")
        argv = self._expanded(words)
        self._judged.programs.append(argv)
        if _ASSIGNMENT.match(words[0].text):
            raise Unmodelled(f"it sets the variable {words[0].text.partition('=')[0][:60]}")
        if argv[0] == "cd":
            self._change_folder(argv[1:], step.connector, piped=piped)
        else:
            self._call(argv, words)

    def _redirect(self, redirect: Redirect) -> None:
        target, operator = redirect.target, redirect.operator
        if redirect.fd not in ("", "0", "1", "2") or target.active:
            raise Unmodelled("a redirection is not understood")
        if operator == "<" and redirect.fd in ("", "0"):
            self._check_path("path", target.text)
        elif operator == ">&" and target.bare and target.text in ("1", "2"):
            return
        elif operator in (">", ">>", "&>", "&>>"):
            if target.text == "/dev/null":
                return
            self._judged.writes.append(target.text)
            self._change_objection(target.text)
            self._note_effect("", "", "writes a file by redirection")
            self._judged.object(f"it writes to {target.text[:80]}")
        else:
            raise Unmodelled("a redirection is not understood")

    def _expanded(self, words: tuple[Word, ...]) -> tuple[str, ...]:
        if any(word.active for word in words) and len(self._cwds) > 1:
            raise Unmodelled("a pattern stands for files of an uncertain folder")
        argv: list[str] = []
        for word in words:
            argv += self._grounds.expand(word, self._cwds[0])
        if len(argv) > MAX_MATCHES:
            raise TooMany(f"it has more than {MAX_MATCHES} arguments")
        return tuple(argv)

    def _change_folder(self, operands: tuple[str, ...], connector: str, *, piped: bool) -> None:
        if piped or len(operands) != 1 or operands[0].startswith("-") or not operands[0]:
            raise Unmodelled("the folder that it changes to is uncertain")
        reached = []
        for cwd in self._cwds:
            self._raise(self._grounds.objection(operands[0], cwd, "meta"))
            place = os.path.normpath(os.path.join(cwd, operands[0]))
            entered = os.path.isdir(place) and os.access(place, os.X_OK)
            if os.path.realpath(place) != place or not entered:
                raise Unmodelled(f"{operands[0][:80]} is no folder that it surely changes to")
            reached.append(place)
        kept = self._cwds if connector in ("&&", "||") else []
        self._cwds = list(dict.fromkeys([*kept, *reached]))
        if len(self._cwds) > _MAX_CWDS:
            raise Unmodelled("it changes the folder too often")

    def _call(self, argv: tuple[str, ...], words: tuple[Word, ...]) -> None:
        name, rest = argv[0], argv[1:]
        model, rest = self._model(name, rest)
        if words[0].active or (
            name not in _BUILTINS and (why := self._programs.objection(name, self._cwds))
        ):
            raise Unmodelled(why if not words[0].active else "the program's name is a pattern")
        self._judged.plain &= model.harmless or model is VERSION or name in _BUILTINS
        self._patterns(model, words[1:])
        parsed = parse_arguments(model, rest)
        if model.check and (why := model.check(parsed)):
            raise Unmodelled(f"{name}: {why}")
        self._paths(model, parsed)
        if model.git:
            self._repository(model)
        if model.effect:
            self._judged.network |= model.network
            self._note_effect(name, model.name, model.effect)
            self._judged.reasons.append(f"{name} {model.name} {model.effect}".replace("  ", " "))

    def _model(self, name: str, rest: tuple[str, ...]) -> tuple[Model, tuple[str, ...]]:
        if rest in VERSION_FORMS.get(name, ()):
            return VERSION, rest
        found = PROGRAMS.get(name)
        if name in NETWORK:
            self._judged.network = True
        if found is None:
            if name.startswith(("/", "./", "../")) or "/" in name:
                raise Unmodelled(f"{name[:80]} is called by its path, not by its name")
            raise Unmodelled(REASONS.get(name, f"{name[:80]!r} is not known to only read"))
        return found.choose(rest) if isinstance(found, Family) else (found, rest)

    def _patterns(self, model: Model, words: tuple[Word, ...]) -> None:
        """Refuse a pattern that a file named like an option could match."""
        if model.harmless:
            return
        ended = False
        for word in words:
            ended = ended or word.text == "--"
            if word.active and word.active[0] == 0 and not ended:
                raise Unmodelled("a pattern may match a file that is named like an option")

    def _paths(self, model: Model, parsed: Parsed) -> None:
        paths = [one for one in (*parsed.values, *parsed.operands) if one[0] != "text"]
        if model.git or all(role == "text" for role, _ in parsed.operands):
            paths = [one for one in paths if one[0] != "late"]
        is_read = model.walks(parsed) if model.walks else None
        if self._wide and (paths or model.here or is_read):
            raise Unmodelled("the workspace is too wide to be read unasked")
        for role, text in paths:
            if role == "write":
                self._judged.writes.append(text)
                self._change_objection(text)
            else:
                self._check_path(role, text)
        if is_read is None:
            return
        given = [text for role, text in parsed.operands if role == "path"] or ["."]
        for cwd in self._cwds:
            for text in given:
                self._raise(self._grounds.walk_objection(text, cwd, is_read))

    def _check_path(self, role: str, text: str) -> None:
        if text == "-" and role in ("path", "file", "late"):
            return
        if text == "/dev/null" and role in ("path", "file", "late", "meta"):
            return
        if role == "rev":
            role, text = "path", text.rpartition(":")[2] or "."
        for cwd in self._cwds:
            self._raise(self._grounds.objection(text, cwd, role))

    def _change_objection(self, text: str) -> None:
        """Note that no rule may cover a change outside the workspace or of an obeyed file."""
        for cwd in self._cwds:
            objection = self._grounds.objection(text, cwd, "path")
            name = obeyed_name(*self._grounds.place(text, cwd)) if not objection else ""
            if objection or name:
                self._judged.object(objection or f"programs obey {name} when they open the project")

    def _repository(self, model: Model) -> None:
        folders, searches = self._grounds.folders, model.name == "grep"
        for cwd in self._cwds:
            self._raise(
                repository_objection(cwd, folders, worktree=model.worktree, searches=searches)
            )

    def _note_effect(self, name: str, subcommand: str, effect: str) -> None:
        self._judged.effects.append((name, subcommand, effect))

    def _raise(self, objection: str) -> None:
        if objection:
            raise Unmodelled(objection)
