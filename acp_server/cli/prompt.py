"""``hermes prompt``: what a new session here would send before the conversation."""

import argparse
from pathlib import Path

from acp_server.cli.providers import settings, tell, tell_markdown


def add_prompt_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes prompt`` its options."""
    parser.add_argument("--full", action="store_true", help="show the text instead of its sizes")
    parser.add_argument("--cwd", metavar="DIR", help="the folder of the session, instead of here")


def run_prompt(arguments: argparse.Namespace) -> int:
    """Show the prompt; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands.prompt import costs, new_prompt, remarks

    folder = Path(arguments.cwd or ".").expanduser().absolute()
    prompt, schemas = new_prompt(settings(), folder)
    if arguments.full:
        tell(prompt.rstrip("\n"))
        return 0
    for cost in costs(prompt, schemas):
        tell(f"{cost.name:<24}{cost.characters:>10,} characters{cost.tokens:>9,} tokens")
    for remark in remarks(prompt):
        tell_markdown(f"\n{remark.rstrip()}")
    return 0
