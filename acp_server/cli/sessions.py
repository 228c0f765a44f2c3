"""``hermes sessions``: the stored sessions, to be read, moved and deleted."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from acp_server.cli.console import Failure, is_terminal, say
from acp_server.cli.printable import visible
from acp_server.cli.providers import settings, tell, tell_markdown

if TYPE_CHECKING:
    from hermes_core.sessions.store import Store

LISTED = 50
YES = ("y", "yes")


def add_sessions_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes sessions`` its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")

    def verb(name: str, words: str, *arguments: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=words, description=words, allow_abbrev=False)
        for argument in arguments:
            made.add_argument(argument.lower(), metavar=argument)
        return made

    listing = verb("list", "list this folder's sessions, the last changed first")
    listing.add_argument("--all", action="store_true", help="those of every folder")
    listing.add_argument("--cwd", metavar="DIR", help="those of DIR")
    listing.add_argument("--limit", type=_number, default=LISTED, metavar="N", help="at most N")
    verb("show", "print a session as Markdown", "SESSION")
    search = verb("search", "find sessions by what was said in them")
    search.add_argument("query", nargs="+", metavar="WORD")
    search.add_argument("--limit", type=_number, default=LISTED, metavar="N", help="at most N")
    export = verb("export", "write a session whole, as JSON or Markdown", "SESSION")
    export.add_argument("--format", choices=("json", "markdown"), default="json")
    export.add_argument("--output", metavar="FILE", help="a new file; stdout if left out")
    export.add_argument("--force", action="store_true", help="replace FILE if it is there")
    take = verb("import", "read a session that was exported as JSON; - reads stdin", "FILE")
    take.add_argument("--cwd", metavar="DIR", help="the folder that it goes on in, else this one")
    rename = verb("rename", "give a session a title, which no model replaces", "SESSION")
    rename.add_argument("title", nargs="+", metavar="TITLE")
    delete = verb("delete", "delete sessions for good, by id")
    delete.add_argument("ids", nargs="+", metavar="ID")
    prune = verb("prune", "delete old sessions and give the space back")
    prune.add_argument("--older-than", type=_days, metavar="DAYS", help="not changed for DAYS days")
    prune.add_argument("--keep", type=_number, metavar="N", help="keep the N newest in any case")
    prune.add_argument("--dry-run", action="store_true", help="only tell what would go")
    for one in (delete, prune):
        one.add_argument("--yes", action="store_true", help="do not ask")
    verb("vacuum", "give the space of deleted sessions back")


def run_sessions(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``Failure`` and ``HermesError``."""
    from hermes_core.sessions.store import FILE_NAME, Store

    store = Store(settings().home / FILE_NAME)
    try:
        for notice in store.notices:
            tell(f"! {notice}")
        return VERBS[arguments.verb or "list"](store, arguments)
    finally:
        store.close()


def _list(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import list_text

    everywhere = getattr(arguments, "all", False)
    limit = getattr(arguments, "limit", LISTED)
    folder = None if everywhere else str(_folder(getattr(arguments, "cwd", None)))
    rows = store.sessions(folder, limit=limit + 1)
    tell_markdown(list_text(rows, folders=everywhere, limit=limit))
    if not rows and folder is not None:
        tell("`hermes sessions list --all` lists those of every folder.".replace("`", ""))
    return 0


def _show(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import export_text
    from hermes_core.sessions.finding import find_session

    tell(export_text(store, find_session(store, arguments.session).id, "markdown").rstrip())
    return 0


def _search(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import search_text

    tell_markdown(search_text(store, " ".join(arguments.query), arguments.limit))
    return 0


def _export(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import export_text, write_new
    from hermes_core.sessions.finding import find_session, short

    row = find_session(store, arguments.session)
    text = export_text(store, row.id, arguments.format)
    if arguments.output is None:
        say(visible(text) if is_terminal(sys.stdout) else text, end="")
        return 0
    path = Path(arguments.output).expanduser()
    write_new(path, text, replace=arguments.force)
    tell(f"{short(row.id)} stands in {path}. It holds all that was said and shown.")
    return 0


def _import(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import import_text

    tell_markdown(import_text(store, _read(arguments.file), _folder(arguments.cwd)))
    return 0


def _rename(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.sessions.finding import find_session, short
    from hermes_core.sessions.titling import clean_title, set_title

    row = find_session(store, arguments.session)
    title = clean_title(" ".join(arguments.title))
    if not title:
        raise Failure("A title needs at least one character that can be seen.", "Name another one.")
    set_title(store, row.id, title, "person")
    tell(f"{short(row.id)} is called “{title}” now.")
    return 0


def _delete(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import (
        delete_text,
        forget_files,
        list_text,
        session_by_id,
    )

    rows = [row for one in arguments.ids if (row := session_by_id(store, one)) is not None]
    if rows and not _agreed(list_text(rows, folders=True), yes=arguments.yes):
        return 1
    for wanted in arguments.ids:
        tell_markdown(delete_text(store, wanted))
    forget_files(store, settings())
    return 0


def _prune(store: "Store", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import (
        forget_files,
        prune_now,
        prune_plan,
        prune_text,
    )

    rows = prune_plan(store, arguments.older_than, arguments.keep)
    if arguments.dry_run or not rows:
        tell_markdown(prune_text(rows))
        return 0
    if not _agreed(prune_text(rows), yes=arguments.yes):
        return 1
    tell_markdown(prune_now(store, rows))
    forget_files(store, settings())
    return 0


def _vacuum(store: "Store", _arguments: argparse.Namespace) -> int:
    from hermes_core.commands.sessions import vacuum_text

    tell(vacuum_text(store))
    return 0


def _agreed(what: str, *, yes: bool) -> bool:
    """Ask whether to delete, unless that was said already; a pipe has to say it."""
    if yes:
        return True
    tell_markdown(what)
    if not is_terminal(sys.stdin):
        raise Failure(
            "Nothing was deleted: there is nobody to ask.",
            "Add --yes to delete without a question.",
        )
    say("Delete them for good? [y/N] ", end="")
    if sys.stdin.readline().strip().lower() in YES:
        return True
    say("Nothing was deleted.")
    return False


def _read(name: str) -> bytes:
    """Return the bytes of a regular file, or of stdin; one byte too many of a file too large."""
    from hermes_core.sessions.imported import LARGEST

    try:
        if name == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        path = Path(name).expanduser()
        if not path.is_file():
            raise Failure(f"{name} is no file.", "Name a file that is there.")
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Failure(f"{name} cannot be read: {reason}.", "Name a file that is there.") from None


def _folder(chosen: str | None) -> Path:
    try:
        return Path(chosen or ".").expanduser().resolve(strict=True)
    except (OSError, RuntimeError):
        text = f"There is no folder {chosen or 'here any more'}."
        raise Failure(text, "Name one that exists with --cwd DIR.") from None


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("a number of 0 or more is needed")
    return number


def _days(text: str) -> float:
    days = float(text.removesuffix("d"))
    if not 0 <= days < 100_000:
        raise argparse.ArgumentTypeError("a number of days is needed")
    return days


VERBS: dict[str, "Callable[[Store, argparse.Namespace], int]"] = {
    "list": _list,
    "show": _show,
    "search": _search,
    "export": _export,
    "import": _import,
    "rename": _rename,
    "delete": _delete,
    "prune": _prune,
    "vacuum": _vacuum,
}
