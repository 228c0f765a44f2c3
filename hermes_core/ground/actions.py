"""What a tool call is about to do, told to the approval engine and to the person who decides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ActionKind = Literal["read", "edit", "execute", "none"]

Mode = Literal["default", "accept_edits"]

Answer = Literal["allow_once", "allow_always", "reject_once"]
"""What a person may answer; everything else counts as ``reject_once``."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a tool call would do.

    kind: ``none`` changes nothing and reads nothing.
    subject: the exact command, or the path as it is shown to people.
    paths: real, absolute paths that are read or written.
    scope: what an "always" answer covers, in words that complete "Always allow ...".
    key: equal for actions that such an answer covers.
    """

    kind: ActionKind
    subject: str = ""
    paths: tuple[Path, ...] = ()
    scope: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The approval engine's word on an action, with its reason for the person."""

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""


NOTHING = Action("none")
