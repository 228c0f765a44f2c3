"""What runs, what a person must see first, and what is never done.

| | default | accept_edits |
|---|---|---|
| read or search inside the workspace | runs | runs |
| edit inside the workspace | asks | runs |
| edit of what programs obey when they open a project; anything in our own home | asks | asks |
| command; anything outside the workspace | asks | asks |
| edit of our own credentials, settings and store | refused | refused |

Paths are real ones, so that a link inside the workspace that leads out is outside. A workspace that
holds our own home, or the user's, is too wide to be trusted as a project: there edits always ask,
and so do reads of hidden files and folders.
"""

import os
from pathlib import Path

from hermes_core.approval.grants import Grants
from hermes_core.approval.places import is_hidden, is_in_home, is_own_file, obeyed_name
from hermes_core.ground.actions import Action, Decision, Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import hermes_home
from hermes_core.local.workspace import Workspace

_ALLOW = Decision("allow")
_OWN = "it would change Hermes' own settings, credentials or sessions, which only the user may."


def judge(
    action: Action,
    mode: Mode,
    workspace: Workspace,
    granted: Grants,
    home: Path | None = None,
) -> Decision:
    """Decide on an action; ``home`` is the folder of our settings, by default the process's own.

    A grant allows what would ask, never what is refused.
    """
    if action.kind == "none":
        return _ALLOW
    own = _real_home(home)
    if action.kind == "edit" and own and any(is_own_file(path, own) for path in action.paths):
        return Decision("deny", _OWN)
    if granted.covers(action):
        return _ALLOW
    reason = _reason_to_ask(action, mode, workspace, own)
    return Decision("ask", reason) if reason else _ALLOW


def _reason_to_ask(action: Action, mode: Mode, workspace: Workspace, home: Path | None) -> str:
    if action.kind == "execute":
        return "commands are confirmed in this mode"
    if not action.paths:
        return "it does not say which files it is about"
    reasons = (_place(path, workspace, home) for path in action.paths)
    if reason := next(filter(None, reasons), ""):
        return reason
    if action.kind == "read":
        return _wide_read(action, workspace, home)
    if mode != "accept_edits":
        return "edits are confirmed in this mode"
    for path in action.paths:
        if name := obeyed_name(path, _folder_of(path, workspace)):
            return f"programs obey {name} when they open the project"
    wide = any(_is_wide(_folder_of(path, workspace), home) for path in action.paths)
    return "the workspace is too wide for edits unasked" if wide else ""


def _folder_of(path: Path, workspace: Workspace) -> Path:
    """Return the innermost folder of the workspace that holds ``path``, or else its root."""
    folders = [Path(os.path.realpath(one)) for one in (workspace.cwd, *workspace.additional)]
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda one: len(one.parts), default=Path(path.anchor))


def _place(path: Path, workspace: Workspace, home: Path | None) -> str:
    if home and is_in_home(path, home):
        return "it lies in the folder of Hermes' own settings"
    return "" if workspace.contains(path) else "it lies outside the workspace"


def _wide_read(action: Action, workspace: Workspace, home: Path | None) -> str:
    for path in action.paths:
        folder = _folder_of(path, workspace)
        if _is_wide(folder, home) and (path == folder or is_hidden(path, folder)):
            return "the workspace is too wide for reading hidden files unasked"
    return ""


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
