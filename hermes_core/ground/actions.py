"""What a tool call is about to do, told to the approval engine and to the person who decides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ActionKind = Literal["read", "edit", "execute", "fetch", "mcp", "mode", "none"]

Mode = Literal["default", "accept_edits", "plan", "bypass"]

Answer = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
"""What a person may answer; everything else counts as ``reject_once``."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a tool call would do.

    kind: ``none`` changes nothing and reads nothing; ``mcp`` is a tool of a foreign server, of
    which nobody knows what it does; ``mode`` changes what runs without asking, and always asks.
    subject: the exact command, the web address, or the path as it is shown to people.
    paths: real, absolute paths that are read or written.
    scope: what an "always" answer covers, in words that complete "Always allow ...".
    key: equal for actions that such an answer covers.
    own: whether an "always" answer may cover it although it is about our own home.
    """

    kind: ActionKind
    subject: str = ""
    paths: tuple[Path, ...] = ()
    scope: str = ""
    key: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The approval engine's word on an action.

    reason: for the person, or of a refusal for the model. details: what else a person should know
    before an answer, a line each. always, never: what such an answer would cover, in words that
    complete "Always allow ..." and "Always reject ..."; ``""`` where there is no such answer.
    unasked: whether it is harmless by itself: nobody was asked, and nobody has to be.
    bypassed: whether a person would have been asked in the default mode. ruled: whether a person
    always allows what is harmless anyway.
    """

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""
    details: tuple[str, ...] = ()
    always: str = ""
    never: str = ""
    unasked: bool = False
    bypassed: bool = False
    ruled: bool = False


NOTHING = Action("none")
