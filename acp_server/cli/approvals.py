"""``hermes approvals``: what may run unasked, by the engine's word and by the user's rules."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from acp_server.cli.console import Failure, say
from acp_server.cli.printable import visible


def add_approvals_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes approvals`` its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = "show what you answered always to, with numbers"
    verbs.add_parser("list", help=listing, description=listing, allow_abbrev=False)
    revoking = "take a rule out again, by its number"
    revoke = verbs.add_parser("revoke", help=revoking, description=revoking, allow_abbrev=False)
    revoke.add_argument("number", metavar="NUMBER")
    words = "tell whether a command would run, ask or be refused in this folder; run nothing"
    check = verbs.add_parser("check", help=words, description=words, allow_abbrev=False)
    check.add_argument("text", metavar="COMMAND", nargs="?", help="the command, in quotes")
    check.add_argument("--json", action="store_true", help="answer with a JSON object")
    check.add_argument(
        "--jsonl",
        action="store_true",
        help="read JSON objects with `cmd` and perhaps `cwd` from stdin, one a line; answer each",
    )


def run_approvals(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands import approvals

    if arguments.verb in ("list", "revoke"):
        return _rules(arguments)
    here = Path.cwd()
    if arguments.jsonl:
        for answer in approvals.check_lines(_lines(), here):
            say(answer)
        return 0
    if arguments.text is None:
        raise Failure(
            "There is no command to judge.",
            "Give one in quotes: `hermes approvals check 'git status'`.",
        )
    verdict = approvals.check_command(arguments.text, here)
    if arguments.json:
        say(json.dumps(approvals.verdict_object(verdict)))
    else:
        say(visible(approvals.verdict_text(verdict, looked_at=_looked_at())))
    return 0


def _rules(arguments: argparse.Namespace) -> int:
    from hermes_core.approval.rules import Rules
    from hermes_core.commands import approvals
    from hermes_core.local.config import hermes_home

    rules = Rules(hermes_home())
    if arguments.verb == "list":
        said = approvals.rules_text(rules, looked_at=_looked_at())
    else:
        said = approvals.revoke_rule(rules, arguments.number)
    say(visible(said))
    return 0


def _looked_at() -> bool:
    """Return whether new sessions ask for a second opinion; False where settings are broken."""
    from hermes_core.ground.errors import ConfigError
    from hermes_core.local.config import load_config

    try:
        return load_config().second_opinion
    except ConfigError:
        return False


def _lines() -> Iterator[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "surrogateescape")
