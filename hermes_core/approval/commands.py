"""The verdict on a command: it runs, a person has to see it, or it is never run.

``safe`` changes nothing, sends nothing and reads nothing outside the workspace, provided that it
runs by ``bash --noprofile --norc -c`` with ``neutral_environment()`` in an environment that holds
nothing else of the workspace's, with nothing on its input. ``forbid`` is the floor under every
mode.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hermes_core.approval.finder import Programs, SearchPath
from hermes_core.approval.floor import read_floor
from hermes_core.approval.lane import Judged, Lane
from hermes_core.approval.operands import Grounds, is_below
from hermes_core.local.workspace import Workspace

MAX_LENGTH = 65_536
"""Characters; a longer text is not looked into, and asks."""
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

Verdict = Literal["safe", "ask", "forbid"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What an "always" answer may cover: the same program to the same effect in the workspace."""

    program: str
    subcommand: str
    effect: str

    def __str__(self) -> str:
        """Return it in words."""
        return " ".join(filter(None, (self.program, self.subcommand)))


@dataclass(frozen=True, slots=True)
class CommandVerdict:
    """What became of a command.

    reasons: why it asks or is refused, for a person. rule: the name of the floor's rule, or
    ``""``. programs: each simple command that was seen, with its arguments; exact where the
    verdict is safe. guessed: words that look like commands within code of other languages and the
    like. writes: what it names as files to be changed. scope: what "always" may cover beyond the
    exact command, or None. unclear: whether a cap was reached or the text could not be read, so
    that it asks in every mode. plain: of a safe one, whether none of its programs has an option
    that writes or runs something.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    rule: str = ""
    programs: tuple[tuple[str, ...], ...] = ()
    guessed: tuple[tuple[str, ...], ...] = ()
    writes: tuple[str, ...] = ()
    network: bool = False
    scope: Scope | None = None
    unclear: bool = False
    plain: bool = False


def judge_command(
    command: str,
    workspace: Workspace,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    own: Path | None = None,
    path: str = DEFAULT_PATH,
    programs: Programs | None = None,
) -> CommandVerdict:
    """Judge a command that bash would run in ``cwd``; runs nothing.

    cwd: by default the workspace's. home: the user's. own: the folder of our own settings. path:
    the PATH that the command will get. programs: looks its programs up there, by default on disk.
    """
    if len(command) > MAX_LENGTH:
        reason = f"it is longer than {MAX_LENGTH} characters and was not checked"
        return CommandVerdict("ask", (reason,), unclear=True)
    folders = tuple(os.path.realpath(one) for one in (workspace.cwd, *workspace.additional))
    here = os.path.realpath(cwd) if cwd else folders[0]
    user = os.path.realpath(home or os.path.expanduser("~"))
    ours = os.path.realpath(own) if own else ""
    floor = read_floor(command, here, user)
    if floor.rule:
        return CommandVerdict(
            "forbid",
            (floor.reason,),
            floor.rule,
            programs=floor.programs,
            guessed=floor.guessed,
            writes=floor.writes,
            network=floor.network,
        )
    wide = any(is_below(one, folder) for one in filter(None, (user, ours)) for folder in folders)
    lane = Lane(Grounds(folders, ours), here, programs or SearchPath(path, folders), wide=wide)
    judged = lane.judge(command)
    if not judged.reasons and not floor.reason:
        return CommandVerdict("safe", programs=tuple(judged.programs), plain=judged.plain)
    seen = judged.programs if judged.modelled else floor.programs
    return CommandVerdict(
        "ask",
        tuple(filter(None, (floor.reason, *judged.reasons))),
        programs=tuple(seen),
        guessed=() if judged.modelled else floor.guessed,
        writes=tuple(dict.fromkeys((*floor.writes, *judged.writes))),
        network=floor.network or judged.network,
        scope=_scope(judged),
        unclear=floor.unclear,
    )


def _scope(judged: Judged) -> Scope | None:
    if not judged.modelled or len(judged.effects) != 1 or len(judged.programs) != 1:
        return None
    return Scope(*judged.effects[0])
