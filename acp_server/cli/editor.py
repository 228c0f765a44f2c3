"""``hermes editor``: Hermes in the settings of an editor, and out of them again."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acp_server.cli.console import Failure, coloured, is_terminal, say
from acp_server.cli.printable import visible
from acp_server.cli.providers import settings, tell
from hermes_core.ground.secrets import REDACTOR

if TYPE_CHECKING:
    from hermes_core.commands.editor import Change
    from hermes_core.commands.editor_table import Program, Surroundings

YES = ("y", "yes")
_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"


def add_editor_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes editor`` its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")

    def verb(name: str, words: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=words, description=words, allow_abbrev=False)

    verb("list", "list the editors, and whether Hermes is in their settings")
    for name, words in (
        ("install", "put Hermes into an editor's settings; the difference is shown first"),
        ("uninstall", "take it out again; what else stands in the settings stays"),
    ):
        one = verb(name, words)
        one.add_argument("name", metavar="NAME", help="an editor, as `hermes editor list` names it")
        one.add_argument("--file", metavar="FILE", help="the settings file, if it is another one")
        one.add_argument("--dry-run", action="store_true", help="only show the difference")
        one.add_argument("--yes", action="store_true", help="do not ask")


def run_editor(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``Failure`` and ``HermesError``."""
    home = settings().home
    if arguments.verb in (None, "list"):
        return _list(home)
    from hermes_core.commands.editor import plan_install, plan_uninstall
    from hermes_core.commands.editor_table import find_editor

    editor = find_editor(arguments.name)
    chosen = arguments.file
    file = None if chosen is None else Path(os.path.abspath(Path(chosen).expanduser()))
    if arguments.verb == "install":
        change = plan_install(editor, _surroundings(), _program(), home, file)
    else:
        change = plan_uninstall(editor, _surroundings(), home, file)
    if change.nothing:
        return _nothing(change, home, arguments)
    _show(change)
    if arguments.dry_run:
        return 0
    if not arguments.yes and not _agreed(change):
        tell("Nothing was changed.")
        return 1
    return _carry_out(change, home)


def _list(home: Path) -> int:
    from hermes_core.commands.editor import rows

    program = _program()
    for row in rows(_surroundings(), program, home):
        mark = "✓" if row.installed else "!" if row.installed is None else " "
        tell(f"{mark} {row.editor.name:<14} {row.editor.title:<31} {row.state}")
    tell(f"\nAn editor would start: {' '.join((program.command, *program.args))}")
    tell("hermes editor install NAME puts Hermes into one, hermes editor uninstall NAME takes it")
    tell("out; docs/editors.md tells how to go on from there.")
    return 0


def _nothing(change: "Change", home: Path, arguments: argparse.Namespace) -> int:
    from hermes_core.commands.editor import apply

    if arguments.verb == "install":
        tell(f"Hermes is in {change.editor.title} already: {change.file}")
        _tell_line(change, "It needs this line")
        return 0
    tell(f"Hermes is not in {change.editor.title}: {change.file}")
    if not arguments.dry_run:
        apply(change, home)  # what was remembered of it is out of date
    return 0


def _carry_out(change: "Change", home: Path) -> int:
    from hermes_core.commands.editor import apply

    copy = apply(change, home)
    if copy is not None:
        tell(f"A copy of the file as it was: {copy}")
    if change.record is not None:
        tell(f"Hermes is in {change.editor.title}.")
        _tell_line(change, "Add this line")
        tell(change.editor.then)
        return 0
    tell(f"Hermes is out of {change.editor.title}.")
    _tell_line(change, "Take this line out")
    return 0


def _tell_line(change: "Change", words: str) -> None:
    if change.editor.line:
        where = "init.lua" if change.file.suffix == ".lua" else "init.el"
        mine = change.record is not None and where == "init.lua"
        more = ", with your own options between the braces" if mine else ""
        tell(f"{words} ({where}{more}):\n\n    {change.editor.line}\n")


def _show(change: "Change") -> None:
    paint = coloured(sys.stdout, os.environ)
    for line in change.diff.split("\n"):
        text = visible(REDACTOR.redact(line))
        colour = _COLOURS.get(line[:1], "") if paint else ""
        say(f"{colour}{text}{_PLAIN}" if colour else text)
    if change.file.is_symlink():
        tell(f"({change.file} is a link; the file that changes is {change.real}.)")


def _agreed(change: "Change") -> bool:
    if not is_terminal(sys.stdin):
        raise Failure(
            "Nobody can be asked whether to do this: there is no terminal.",
            "Look at it with --dry-run, then run it with --yes.",
        )
    verb = "Remove" if change.after is None else "Write"
    say(f"{verb} {visible(str(change.real))}? [y/N] ", end="")
    answer = sys.stdin.readline()
    if not answer:
        say()
    return answer.strip().lower() in YES


def _surroundings() -> "Surroundings":
    from hermes_core.commands.editor_table import Surroundings

    return Surroundings(Path.home(), os.environ, sys.platform)


def _program() -> "Program":
    from hermes_core.commands.editor_program import Running, own_program

    return own_program(Running(sys.argv[0], sys.executable, sys.prefix, os.environ))
