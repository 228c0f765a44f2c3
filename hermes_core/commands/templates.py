"""Prompts of the user's own, and what is typed with a slash and is no command.

A mistyped command is answered with the one that is meant; everything else is for the model.
"""

import os
import re
import shlex
from collections.abc import Iterable

from hermes_core.commands.seat import Prompt, Prompts, Reply, Seat
from hermes_core.ground.errors import HermesError
from hermes_core.local.templates import ENDING, FOLDER, Template, Templates, read_templates
from hermes_core.tools.visible import one_line

_WORD = re.compile(r"/([A-Za-z][\w-]{0,63})(?!\S)\s*(.*)", re.DOTALL | re.ASCII)
_PLACE = re.compile(r"\$(ARGUMENTS\b|[1-9](?!\d))")
_MOST_NEAR = 3
_SHORTEST = 3
_LONG = 6


def split_command(text: str) -> tuple[str, str] | None:
    """Return the name and the argument of what may be a command; None for paths and all else."""
    found = _WORD.fullmatch(text.strip())
    return None if found is None else (found[1], found[2].strip())


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that ``name`` may be mistyped from, the nearest first.

    One letter may be wrong, missing, too many or swapped with its neighbour; two in long names.
    """
    wanted, found = name.casefold(), []
    for one in known:
        letters = one.casefold()
        shortest = min(len(letters), len(wanted))
        if shortest < _SHORTEST:
            continue
        distance = _distance(wanted, letters)
        if distance <= (1 if shortest < _LONG else 2):
            found.append((distance, abs(len(letters) - len(wanted)), one))
    return [one for *_, one in sorted(found)][:_MOST_NEAR]


def expand(template: Template, argument: str) -> str:
    """Return the prompt: ``$ARGUMENTS`` is all that was typed, ``$1`` to ``$9`` its words.

    Words are parted as a shell does. What was typed is not looked at for placeholders; where the
    template has none, it stands at the end.
    """
    words = _words(argument)

    def fill(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return argument
        place = int(found[1])
        return words[place - 1] if place <= len(words) else ""

    text, count = _PLACE.subn(fill, template.body)
    return text if count or not argument else f"{text}\n\n{argument}"


def run_typed(seat: Seat, text: str, commands: Iterable[str]) -> Reply:
    """Return what ``/name …`` comes to that is no built-in command, of which ``commands`` are.

    Raises ``HermesError`` for a template that is broken.
    """
    split = split_command(text)
    if split is None:
        return Prompts((Prompt(text),))
    name, argument = split
    builtin = tuple(commands)
    found = read_templates(seat.config().home, frozenset(builtin))
    for template in found.usable:
        if template.name == name:
            return Prompts((Prompt(expand(template, argument)),))
    for broken in found.broken:
        if broken.name == name:
            raise HermesError(f"{FOLDER}/{name}{ENDING} cannot be used: {broken.why}.")
    near = near_names(name, (*builtin, *(one.name for one in found.usable)))
    if not near or os.path.lexists(f"/{name}"):
        return Prompts((Prompt(text),))
    meant = " or ".join(f"`/{one}`" for one in near)
    return (
        f"There is no command `/{name}`. Did you mean {meant}? The model was sent nothing; if it "
        "is meant for the model, put a word in front of it."
    )


def templates_text(templates: Templates) -> str:
    """Return the user's prompts as a Markdown list, broken ones with the reason; may be empty."""
    lines = [f"- `/{_usage(one)}`: {one_line(one.description)}" for one in templates.usable]
    if templates.usable:
        lines.insert(0, "Your own prompts:")
    for one in templates.broken:
        name = one_line(one.name)
        lines.append(f"- `{FOLDER}/{name}{ENDING}` cannot be used: {one_line(one.why)}")
    return "\n".join(lines)


def _usage(template: Template) -> str:
    return f"{template.name} {one_line(template.hint)}".rstrip()


def _words(argument: str) -> list[str]:
    try:
        return shlex.split(argument)
    except ValueError:  # a quote that is not closed
        return argument.split()


def _distance(typed: str, name: str) -> int:
    """Return how many letters differ, two swapped neighbours counting once."""
    rows = [list(range(len(name) + 1))]
    for i, one in enumerate(typed, 1):
        above, row = rows[-1], [i]
        for j, other in enumerate(name, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (one != other))
            if i > 1 and j > 1 and one == name[j - 2] and typed[i - 2] == other:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
