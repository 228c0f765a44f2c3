"""What a person answered "always" to: rules that last, in ``$HERMES_HOME/approvals.yaml``.

Each rule is of one workspace, the working folder of the session in which it was made. A workspace
may bring rules of its own, in ``.hermes/approvals.yaml``; they can only tighten: what they
would allow is passed over. Neither file may be a link: what it led to could be changed as a file
of a project, or be none of the workspace's.
"""

import os
import reprlib
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from hermes_core.ground.errors import ConfigError

FILE_NAME = "approvals.yaml"
WORKSPACE_FILE = Path(".hermes", FILE_NAME)

Answered = Literal["allow", "deny"]
Kind = Literal["command", "program", "edit", "read", "host", "other"]

_KEY = "rules"
_HEAD = """\
# What you answered "always" to, one rule an entry. Change or delete entries as you like: Hermes
# reads this file anew when it changes. `hermes approvals list` shows it, `revoke` takes one out.
#
# answer: allow or deny. kind: command (the exact text), program (the program, its subcommand and
# what it may do), edit or read (a file), host (of web
# pages), other. workspace: the folder that a session works in.
"""


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 2  # few lines of YAML can stand for more than fits into any memory
_SHORT.maxdict = 6
_SHORT.maxstring = 60
_LINK = "{path} is a link, which is not followed. Put the file itself there."


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``what``: a command, a program with its subcommand, a path, a key of a tool."""

    answer: Answered
    kind: Kind
    what: str
    workspace: str
    effect: str = ""
    since: str = ""

    def is_about(self, other: "Rule") -> bool:
        """Return whether it answers what ``other`` would be the rule of.

        A denial holds whatever the effect is.
        """
        same = (self.kind, self.what, self.workspace) == (other.kind, other.what, other.workspace)
        return same and (self.answer == "deny" or self.effect == other.effect)

    def __str__(self) -> str:
        """Return the rule in words, on one line."""
        effect = f" ({self.effect})" if self.effect else ""
        return f"{self.answer} {self.kind} {self.what!r}{effect} in {self.workspace}"


class Rules:
    """The rules of one home, as one session sees them; thread-safe.

    home: None to keep them in memory alone. A rule that could not be written holds for the session.
    """

    def __init__(self, home: Path | None = None, workspace: Path | None = None) -> None:
        self._path = None if home is None else Path(os.path.realpath(home)) / FILE_NAME
        self._workspace = None if workspace is None else os.path.realpath(workspace)
        self._tightening = self._workspace_file()
        self._lock = threading.Lock()
        self._own: list[Rule] = []
        self._read: dict[Path, tuple[object, list[Rule], tuple[str, ...]]] = {}

    def all(self) -> list[Rule]:
        """Return the rules of the file, in its order, then those of this session alone."""
        with self._lock:
            return [*self._of(self._path)[0], *self._own]

    def problems(self) -> tuple[str, ...]:
        """Return what of the files is no rule, for a person."""
        with self._lock:
            found = [*self._of(self._path)[1], *self._of(self._tightening)[1]]
            if self._tightening is not None:
                loose = [one for one in self._of(self._tightening)[0] if one.answer == "allow"]
                found += [f"{self._tightening}: it may not allow {one.what!r}." for one in loose]
        return tuple(found)

    def find(self, wanted: Iterable[Rule], answer: Answered) -> Rule | None:
        """Return a rule with ``answer`` about one of these; those of the workspace only deny."""
        those = list(wanted)
        about = {(one.kind, one.what, one.workspace) for one in those}
        with self._lock:
            known = [self._own, self._of(self._path)[0]]
            if answer == "deny" and self._tightening is not None:
                known.append(self._of(self._tightening)[0])
            fitting = [
                one
                for one in chain.from_iterable(known)
                if one.answer == answer and (one.kind, one.what, one.workspace) in about
            ]
        return next((one for one in fitting if any(map(one.is_about, those))), None)

    def add(self, rule: Rule) -> str:
        """Keep a rule; return why it holds for this session alone, ``""`` if it lasts."""
        from hermes_core.local.yaml_list import append_entry

        if self.find((rule,), rule.answer) is not None:
            return ""
        if self._path is None:
            with self._lock:
                self._own.append(rule)
            return ""
        entry = {"answer": rule.answer, "kind": rule.kind, "what": rule.what}
        if rule.effect:
            entry["effect"] = rule.effect
        entry |= {"workspace": rule.workspace, "since": rule.since or time.strftime("%Y-%m-%d")}
        try:
            _require_text(rule)
            _require_no_link(self._path)
            append_entry(self._path, _KEY, entry, _HEAD)
        except ConfigError as error:
            with self._lock:
                self._own.append(rule)
            return str(error)
        return ""

    def revoke(self, number: int) -> Rule:
        """Forget the rule of this number in ``all``, from 1; raises ``ConfigError``."""
        from hermes_core.local.yaml_list import remove_entry

        entries = _entries(self._path) if self._path and _stamp(self._path) else []
        read = enumerate(map(_rule, entries))
        places = [(place, one) for place, one in read if isinstance(one, Rule)]
        if self._path is not None and 1 <= number <= len(places):
            remove_entry(self._path, _KEY, places[number - 1][0])
            return places[number - 1][1]
        with self._lock:
            if not 1 <= number - len(places) <= len(self._own):
                raise ConfigError(_no_number(number, len(places) + len(self._own)))
            return self._own.pop(number - len(places) - 1)

    def _workspace_file(self) -> Path | None:
        """Return the workspace's own file, unless it is the user's."""
        if self._workspace is None:
            return None
        path = Path(self._workspace) / WORKSPACE_FILE
        return None if path == self._path else path

    def _of(self, path: Path | None) -> tuple[list[Rule], tuple[str, ...]]:
        if path is None:
            return [], ()
        if _is_link(path):
            return [], (_LINK.format(path=path),)
        stamp = _stamp(path)
        kept = self._read.get(path)
        if kept is None or kept[0] != stamp:
            folder = self._workspace if path == self._tightening else None
            kept = self._read[path] = (stamp, *_load(path, stamp, folder))
        return kept[1], kept[2]


def _stamp(path: Path) -> object:
    """Return what changes with a file; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def _is_link(path: Path) -> bool:
    return path.is_symlink() or path.parent.is_symlink()


def _require_no_link(path: Path) -> None:
    if _is_link(path):
        raise ConfigError(_LINK.format(path=path))


def _require_text(rule: Rule) -> None:
    try:
        f"{rule.what}{rule.workspace}".encode()
    except UnicodeEncodeError:
        raise ConfigError("Its name holds bytes that are no text, and cannot be kept.") from None


def _no_number(number: int, count: int) -> str:
    if not count:
        return "There are no rules."
    return f"There is no rule {number}: they are numbered from 1 to {count}. List them again."


def _load(path: Path, stamp: object, workspace: str | None) -> tuple[list[Rule], tuple[str, ...]]:
    if stamp is None:
        return [], ()
    try:
        entries = _entries(path)
    except ConfigError as error:
        return [], (str(error),)
    read = [_rule(one, workspace) for one in entries]
    rules = [one for one in read if isinstance(one, Rule)]
    wrong = [f"{path}: {one}" for one in read if isinstance(one, str)]
    return rules, tuple(wrong)


def _entries(path: Path) -> list[Any]:
    from hermes_core.local.yaml_file import read_yaml

    try:
        data = read_yaml(path).data
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None
    entries = data.get(_KEY) if isinstance(data, dict) else data
    if not isinstance(entries, list | None):
        raise ConfigError(f"{path} has no list of rules. Correct it, or move it away.")
    return entries or []


def _rule(entry: object, workspace: str | None = None) -> Rule | str:
    """Return the rule that an entry is, or what is wrong with it.

    workspace: the folder that it is of, whatever it says.
    """
    if not isinstance(entry, Mapping):
        return f"{_SHORT.repr(entry)} is no rule"
    what, folder = entry.get("what"), workspace or entry.get("workspace")
    answer = next((one for one in get_args(Answered) if one == entry.get("answer")), None)
    kind = next((one for one in get_args(Kind) if one == entry.get("kind")), None)
    if answer is None or kind is None:
        return (
            f"an answer is one of {', '.join(get_args(Answered))}, a kind one of"
            f" {', '.join(get_args(Kind))}: {_SHORT.repr(entry)}"
        )
    if not all(isinstance(one, str) and one for one in (what, folder)):
        return f"a rule needs the texts what and workspace: {_SHORT.repr(entry)}"
    effect, since = (str(entry.get(name) or "") for name in ("effect", "since"))
    real = os.path.realpath(os.path.expanduser(str(folder)))
    return Rule(answer, kind, str(what), real, effect, since)
