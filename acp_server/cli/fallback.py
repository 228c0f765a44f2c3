"""``hermes fallback``: the providers that stand in for the chosen one."""

import argparse

from acp_server.cli.providers import settings, tell_markdown


def add_fallback_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes fallback`` its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")

    def verb(name: str, words: str, *arguments: str, also: tuple[str, ...] = ()) -> None:
        made = verbs.add_parser(
            name, help=words, description=words, aliases=also, allow_abbrev=False
        )
        for argument in arguments:
            made.add_argument(argument.lower(), metavar=argument)

    verb("list", "show the fallbacks, in order", also=("ls",))
    verb("add", "add one to the end", "PROVIDER", "MODEL")
    verb("remove", "take one out, by its number or provider", "WHICH", also=("rm",))
    verb("clear", "take all of them out")


def run_fallback(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands import fallback

    given = (getattr(arguments, name, None) for name in ("verb", "provider", "model", "which"))
    words = [word for word in given if word is not None]
    said, _ = fallback.run_fallback(settings(), words)
    tell_markdown(said)
    return 0
