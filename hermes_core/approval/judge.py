"""What runs, what a person must see first, and what is never done.

| | default | accept_edits | plan | bypass |
|---|---|---|---|---|
| harmless command; read or search inside the workspace | runs | runs | runs | runs |
| edit inside the workspace | asks | runs | refused | runs |
| other command; anything outside the workspace; MCP tool | asks | asks | refused | runs |
| what is delicate | asks | asks | refused | asks |
| the floor; edit of our own credentials, settings and store | never | never | never | never |

Delicate are secret files, what programs obey when they open a project, our own home, and commands
that cannot be read or are over a cap.

What a person always allows does not ask, in any row but the last two and in no plan; what a person
always rejects is refused. Paths are real ones, so that a link inside the workspace that leads
out is outside. A workspace that holds our own home, or the user's, is too wide to be trusted as a
project: there edits always ask, and so do reads of hidden files and folders.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hermes_core.approval.places import is_hidden, is_in_home, is_own_file, obeyed_name
from hermes_core.approval.rules import Kind, Rule, Rules
from hermes_core.approval.secret_files import is_secret
from hermes_core.ground.actions import Action, Decision, Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import hermes_home
from hermes_core.local.outputs import FOLDER
from hermes_core.local.workspace import Workspace

if TYPE_CHECKING:
    from hermes_core.approval.commands import CommandVerdict

_ALLOW = Decision("allow")
_OWN = "it would change Hermes' own settings, credentials or sessions, which only the user may."
_LONG_QUERY, _LONG_URL = 120, 400
"""Characters of a query, and of a web address, from which on each one is looked at by a person."""

_UNKNOWN = "$?"
"""What stands in a program's name for a part that the text does not tell."""
_READS = "only reads"
"""The effect of a rule about a command that was harmless; it covers nothing that it became."""

_NO_WALL = "no sandbox holds commands here, so that only the plainest run unasked (see /sandbox)"
_PLAN = (
    "in plan mode files are only read and nothing is changed or run. Say what you would do; the"
    " user leaves plan mode to have it done."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What an action is, whatever the mode.

    reason: why it asks in the default mode, ``""`` if it does not. hard: whether it asks in every
    mode. edit: whether ``accept_edits`` lets it pass. forbidden: why it is never done.
    rules: what "always" would store, the widest first; denials: what a denial may be about.
    """

    reason: str = ""
    hard: bool = False
    edit: bool = False
    forbidden: str = ""
    rules: tuple[Rule, ...] = ()
    denials: tuple[Rule, ...] = ()
    details: tuple[str, ...] = ()


class Judge:
    """Decides for one session. home: the folder of our settings. path: returns that of commands.

    narrow: whether nothing but this engine holds commands. Then those alone run unasked of which
    no program has an option that writes or runs something.
    """

    def __init__(
        self,
        workspace: Workspace,
        rules: Rules,
        home: Path | None = None,
        path: Callable[[], str] = str,
        narrow: Callable[[], bool] = bool,
    ) -> None:
        self.rules = rules
        self._workspace = workspace
        self._home = _real_home(home)
        self._path = path
        self._narrow = narrow
        self._visited: set[str] = set()
        self._root = os.path.realpath(workspace.cwd)

    def decide(self, action: Action, mode: Mode) -> Decision:
        """Decide on an action in a mode."""
        if action.kind in ("none", "mode"):
            asks = Decision("ask", action.subject, always=action.scope)
            return asks if action.kind == "mode" else _ALLOW
        found = self._examine(action)
        if found.forbidden:
            return Decision("deny", found.forbidden)
        denial = self.rules.find((*found.rules, *found.denials), "deny")
        if denial is not None:
            return Decision("deny", f"the user always rejects it ({denial}; see /approvals).")
        ruled = self.rules.find(found.rules, "allow") is not None
        if found.reason and mode == "plan":
            return Decision("deny", _PLAN)
        if found.reason and ruled:
            return _ALLOW
        always = _scope_of(found.rules[0]) if found.rules else ""
        never = _scope_of(found.denials[0]) if found.denials else ""
        asked = Decision("ask", found.reason, found.details, always, never)
        if not found.reason:
            return replace(asked, verdict="allow", unasked=True, ruled=ruled)
        if not found.hard and (mode == "bypass" or (mode == "accept_edits" and found.edit)):
            return replace(asked, verdict="allow", bypassed=mode == "bypass")
        return asked

    def remember(self, action: Action, *, allow: bool) -> str:
        """Keep an "always" answer; return what of it could not be kept, for a person."""
        if action.kind == "mode":
            return ""
        found = self._examine(action)
        if allow:
            return self.rules.add(found.rules[0]) if found.rules else ""
        return self.rules.add(replace(found.denials[0], answer="deny")) if found.denials else ""

    def _examine(self, action: Action) -> Finding:
        if action.kind == "execute":
            return self._command(action)
        if action.kind == "fetch":
            return self._fetch(action)
        if action.kind == "mcp":
            return self._foreign(action)
        own = self._home
        if action.kind == "edit" and own and any(is_own_file(path, own) for path in action.paths):
            return Finding(forbidden=_OWN)
        reason, hard = self._reason(action)
        rule = self._rule(action)
        lasting = rule is not None and (not hard or action.own)
        return Finding(
            reason,
            hard,
            edit=action.kind == "edit" and self._is_inside(action),
            rules=(rule,) if rule and lasting else (),
            denials=(rule,) if rule else (),
        )

    def passed(self, action: Action) -> None:
        """Note that a person let an action pass: only the first visit to a host of the web asks."""
        if action.kind == "fetch":
            self._visited.add(action.key)

    def _fetch(self, action: Action) -> Finding:
        rule = Rule("allow", "host", action.key, self._root)
        if len(urlsplit(action.subject).query) > _LONG_QUERY or len(action.subject) > _LONG_URL:
            reason = "its address is long enough to carry data out"
            return Finding(reason, hard=True, denials=(rule,), details=(action.subject,))
        reason = "" if action.key in self._visited else f"it is the first visit to {action.key}"
        return Finding(reason, rules=(rule,), denials=(rule,))

    def _foreign(self, action: Action) -> Finding:
        rule = self._rule(action)
        rules = (rule,) if rule else ()
        return Finding("what an MCP server does is not known", rules=rules, denials=rules)

    def _command(self, action: Action) -> Finding:
        from hermes_core.approval.commands import DEFAULT_PATH, judge_command

        verdict = judge_command(
            action.subject,
            self._workspace,
            own=self._home,
            path=self._path() or DEFAULT_PATH,
        )
        exact = Rule("allow", "command", action.subject, self._root)
        rules: tuple[Rule, ...]
        denials = (exact, *self._programs(verdict))
        if verdict.verdict == "forbid":
            why = "; ".join(verdict.reasons)
            return Finding(forbidden=f"{why} (rule {verdict.rule}). It is refused in every mode.")
        if verdict.verdict == "safe":
            if verdict.plain or not self._narrow():
                rules = (replace(exact, effect=_READS), exact)
                return Finding(rules=rules, denials=denials, details=_details(verdict))
            return Finding(_NO_WALL, rules=(exact,), denials=denials)
        hard = verdict.unclear or self._is_delicate(verdict)
        rules = () if hard else (exact,)
        if rules and verdict.scope is not None:
            name = str(verdict.scope)
            rules = (Rule("allow", "program", name, self._root, verdict.scope.effect), exact)
        return Finding(
            "; ".join(verdict.reasons) or "commands are confirmed in this mode",
            hard,
            rules=rules,
            denials=denials,
            details=_details(verdict),
        )

    def _programs(self, verdict: "CommandVerdict") -> tuple[Rule, ...]:
        """Return what a denial of a program, or of its subcommand, would be about."""
        names: list[str] = []
        for argv in (*verdict.programs, *verdict.guessed):
            names.append(argv[0])
            if len(argv) > 1:
                names.append(f"{argv[0]} {argv[1]}")
        return tuple(Rule("deny", "program", one, self._root) for one in dict.fromkeys(names))

    def _is_delicate(self, verdict: "CommandVerdict") -> bool:
        """Return whether a command names a secret file, or would change what programs obey."""
        seen = (*verdict.programs, *verdict.guessed)
        words = (word for argv in seen for word in argv[1:])
        if any(is_secret(Path(word).parts[-3:]) for word in words if "\0" not in word):
            return True
        for written in verdict.writes:
            path = Path(os.path.realpath(os.path.join(self._root, os.path.expanduser(written))))
            if self._home and is_in_home(path, self._home):
                return True
            if self.is_secret(path) or obeyed_name(path, self._folder_of(path)):
                return True
        return False

    def _rule(self, action: Action) -> Rule | None:
        """Return what an "always" answer to anything but a command is about."""
        if not action.key:
            return None
        if action.kind in ("edit", "read") and len(action.paths) == 1 and not action.own:
            kind: Kind = "edit" if action.kind == "edit" else "read"
            return Rule("allow", kind, str(action.paths[0]), self._root)
        return Rule("allow", "other", action.key, self._root, effect=action.scope)

    def _is_inside(self, action: Action) -> bool:
        return all(self._workspace.contains(path) for path in action.paths)

    def _reason(self, action: Action) -> tuple[str, bool]:
        """Return why an action other than a command asks, and whether it does so in every mode."""
        if not action.paths:
            return "it does not say which files it is about", True
        for path in action.paths:
            reason = _place(path, self._home)
            if reason or self.is_secret(path):
                return reason or f"{path.name} may hold secrets", True
        if action.kind == "edit":
            for path in action.paths:
                if name := obeyed_name(path, self._folder_of(path)):
                    return f"programs obey {name} when they open the project", True
        if not self._is_inside(action):
            return "it lies outside the workspace", False
        if action.kind == "read":
            return self._wide_read(action), True
        wide = any(_is_wide(self._folder_of(path), self._home) for path in action.paths)
        if wide:
            return "the workspace is too wide for edits unasked", True
        return "edits are confirmed in this mode", False

    def is_secret(self, path: Path) -> bool:
        """Return whether a file holds secrets by its name, or that of a folder it lies in."""
        folder = self._folder_of(path)
        return is_secret(path.relative_to(folder).parts)

    def _folder_of(self, path: Path) -> Path:
        """Return the innermost folder of the workspace that holds ``path``, or else its root."""
        own = (self._workspace.cwd, *self._workspace.additional)
        folders = [Path(os.path.realpath(one)) for one in own]
        holding = [folder for folder in folders if path.is_relative_to(folder)]
        return max(holding, key=lambda one: len(one.parts), default=Path(path.anchor))

    def _wide_read(self, action: Action) -> str:
        for path in action.paths:
            folder = self._folder_of(path)
            if _is_wide(folder, self._home) and (path == folder or is_hidden(path, folder)):
                return "the workspace is too wide for reading hidden files unasked"
        return ""


def _place(path: Path, home: Path | None) -> str:
    if home and is_in_home(path, home / FOLDER):
        return (
            "it is kept output; read_file alone reads that unasked, in its own session, until"
            " Hermes is restarted"
        )
    if home and is_in_home(path, home):
        return "it lies in the folder of Hermes' own settings"
    return ""


def _scope_of(rule: Rule) -> str:
    """Return what a rule covers, in words that complete "Always allow ..."."""
    if rule.kind == "command":
        while_so = f", while it {rule.effect}" if rule.effect else ""
        return f"this exact command in this workspace{while_so}"
    if rule.kind == "program":
        effect = f" where it {rule.effect}" if rule.effect else ""
        return f"`{rule.what}`{effect}, in this workspace"
    if rule.kind == "other":
        return rule.effect or rule.what
    if rule.kind == "host":
        return f"reading pages of {rule.what} in this workspace"
    verb = "edits of" if rule.kind == "edit" else "reading"
    return f"{verb} {Path(rule.what).name} in this workspace"


def _details(verdict: "CommandVerdict") -> tuple[str, ...]:
    lines = []
    names = list(dict.fromkeys(argv[0] for argv in verdict.programs))
    if names and all(name and _UNKNOWN not in name for name in names):
        lines.append(f"Programs: {', '.join(names)}")
    if verdict.writes:
        lines.append(f"Writes: {', '.join(verdict.writes)}")
    if verdict.network:
        lines.append("It reaches the network.")
    return tuple(lines)


def _is_wide(folder: Path, home: Path | None) -> bool:
    """Return whether our own home, or the user's, lies in a folder of the workspace."""
    homes = [Path(os.path.realpath(os.path.expanduser("~"))), *([home] if home else [])]
    return any(one.is_relative_to(folder) for one in homes)


def _real_home(home: Path | None) -> Path | None:
    if home is None:
        try:
            home = hermes_home()
        except ConfigError:
            return None
    return Path(os.path.realpath(home))
