"""Prompts of the user's own, and what is typed with a slash and is no command.

A mistyped command is answered with the one that is meant; everything else is for the model.
"""

import difflib
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
_CLOSE = 0.72
_MOST_NEAR = 3


def split_command(text: str) -> tuple[str, str] | None:
    """Return the name and the argument of what may be a command; None for paths and all else."""
    found = _WORD.fullmatch(text.strip())
    return None if found is None else (found[1], found[2].strip())


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that ``name`` may be mistyped from, the nearest first."""
    names = {one.casefold(): one for one in known}
    wanted = name.casefold()
    close = difflib.get_close_matches(wanted, names, _MOST_NEAR, _CLOSE)
    swapped = [one for one in names if one not in close and _is_swapped(wanted, one)]
    return [names[one] for one in (*close, *swapped)][:_MOST_NEAR]


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


def _is_swapped(typed: str, name: str) -> bool:
    """Return whether two neighbouring letters of a short name were typed in the wrong order."""
    if len(typed) != len(name) or typed == name:
        return False
    at = next(i for i, (one, other) in enumerate(zip(typed, name, strict=True)) if one != other)
    swapped = name[:at] + name[at : at + 2][::-1] + name[at + 2 :]
    return typed == swapped
