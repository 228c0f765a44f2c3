"""``hermes memory``: what is kept for later sessions."""

import argparse

from acp_server.cli.providers import settings, tell_markdown


def add_memory_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes memory`` its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")

    def verb(name: str, words: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=words, description=words, allow_abbrev=False)

    verb("list", "show the entries with their numbers, and how full the files are")
    add = verb("add", "remember something")
    add.add_argument("--user", action="store_true", help="it is about you, not about the work")
    add.add_argument("text", nargs="+", metavar="TEXT")
    verb("forget", "forget an entry").add_argument("number", type=int, metavar="NUMBER")


def run_memory(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands import memory

    config = settings()
    if arguments.verb == "add":
        said = memory.add_entry(config.home, " ".join(arguments.text), user=arguments.user)
    elif arguments.verb == "forget":
        said = memory.forget_entry(config.home, arguments.number)
    else:
        said = memory.memory_text(config)
    tell_markdown(said.replace("**", ""))
    return 0
