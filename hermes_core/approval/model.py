"""What a program takes: its options by exact spelling, its operands, and what it does.

A model is data. Options are written as words, parted by spaces:

    -a --all          no value
    -n: --lines:      a value, the next argument or attached (``-n5``, ``--lines=5``)
    --color?          perhaps a value, only where attached
    --unified=        a value, only where attached
    -L~               a value, only as the next argument: the program joins options its own way
    --arg&            two values, the next arguments
    -f:path           the value is the path of a file that is read; also ``meta``, ``rev``
    -e:any            as ``:``, and the next argument may begin with a dash
    -#                a number as an option (``-20``)

Operands are written as roles, parted by spaces; the last may end in ``*``: any number of it.
``path`` is read, ``meta`` is only looked at (its name, its size), ``write`` is changed, ``text``
is no path, ``rev`` is a revision or a path, ``pattern`` is text unless an option of
``instead`` was given. ``""`` takes no operands.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

FLAG, VALUE, OPTIONAL, ATTACHED = "flag", "value", "optional", "attached"
SEPARATE, PAIR = "separate", "pair"
_ENDINGS = {"?": OPTIONAL, "=": ATTACHED, "~": SEPARATE, "&": PAIR}


class Unmodelled(Exception):
    """The arguments are not what the model knows; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Arguments as the program will read them.

    options: names and values in order; values: what of them are paths, as role and text.
    operands: role and text.
    """

    argv: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    operands: tuple[tuple[str, str], ...]

    def has(self, *names: str) -> bool:
        """Return whether one of the options was given."""
        return any(name in names for name, _ in self.options)

    def given(self, *names: str) -> Iterator[str]:
        """Yield the values of these options."""
        return (value for name, value in self.options if name in names)


Check = Callable[[Parsed], str]
"""Looks closer; returns why it asks, or ``""``."""


@dataclass(frozen=True, slots=True)
class Model:
    """A program, or a subcommand of one.

    check: looks closer at arguments that are otherwise known.
    effect: what it does, for a person, where it does more than read and print; then it asks.
    raw: its arguments are no options: ``echo``, ``test``.
    harmless: none of its options, known here or not, writes or runs something, so that a
        pattern may stand where a file could be named like an option; those found are judged.
    walks: returns, if it reads the content of all below the folders it is given, whether it
        reads files of a given name; else None.
    here: it looks into the working folder, or the given one, without being told.
    name: of the subcommand, for programs that have them.
    network: it sends something.
    single: each option is an argument of its own; its value follows, or is a number.
    ordered: options stand before operands: some builds write to a second operand.
    locate: finds paths among the arguments of a ``raw`` program, with their roles.
    git: it obeys the settings of the repository. worktree: it also compares the files there.
    """

    options: str = ""
    operands: str = ""
    least: int = 0
    instead: tuple[str, ...] = ()
    check: Check | None = None
    effect: str = ""
    raw: bool = False
    harmless: bool = False
    walks: Callable[[Parsed], Callable[[str], bool] | None] | None = None
    here: bool = False
    name: str = ""
    network: bool = False
    locate: Callable[[tuple[str, ...]], tuple[tuple[str, str], ...]] | None = None
    single: bool = False
    ordered: bool = False
    git: bool = False
    worktree: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """A program with subcommands; ``choose`` returns the model and the arguments left for it."""

    choose: Callable[[tuple[str, ...]], tuple[Model, tuple[str, ...]]]


@dataclass(slots=True)
class _Reading:
    options: list[tuple[str, str]] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)


def parse_arguments(model: Model, argv: tuple[str, ...]) -> Parsed:
    """Return ``argv`` (without the program's name) as read by ``model``; raises ``Unmodelled``."""
    if model.raw:
        located = model.locate(argv) if model.locate else ()
        return Parsed(argv, (), located, tuple(_with_roles(model, list(argv), ())))
    reading = _Reading()
    known = known_options(model.options)
    rest = iter(argv)
    for argument in rest:
        if model.single and argument.startswith("-") and (len(argument) > 2 or argument == "--"):
            _require_single(argument)
        if model.ordered and reading.operands and argument.startswith("-"):
            raise Unmodelled("an option stands behind an operand")
        if argument == "--":
            reading.operands += rest
        elif argument == "-" or not argument.startswith("-"):
            reading.operands.append(argument)
        elif argument.startswith("--"):
            _long(argument, rest, known, reading)
        else:
            _cluster(argument, rest, known, reading)
    names = tuple(name for name, _ in reading.options)
    operands = _with_roles(model, reading.operands, names)
    return Parsed(argv, tuple(reading.options), tuple(reading.values), tuple(operands))


@lru_cache(maxsize=512)
def known_options(spec: str) -> dict[str, tuple[str, str]]:
    """Return what ``spec`` says: option to its kind and its value's role."""
    found: dict[str, tuple[str, str]] = {}
    for word in spec.split():
        name, colon, role = word.partition(":")
        if colon:
            found[name] = (VALUE, role or "text")
        elif name[-1] in _ENDINGS:
            found[name[:-1]] = (_ENDINGS[name[-1]], "text")
        else:
            found[name] = (FLAG, "")
    return found


def _long(
    argument: str,
    rest: Iterator[str],
    known: dict[str, tuple[str, str]],
    reading: _Reading,
) -> None:
    name, equals, value = argument.partition("=")
    kind, role = _look_up(name, known, argument)
    if kind == PAIR and not equals:
        value = " ".join((_following(name, "any", rest), _following(name, "any", rest)))
        reading.options.append((name, value))
        return
    if (kind in (FLAG, PAIR) and equals) or (kind == ATTACHED and not equals):
        raise Unmodelled(f"the option {name} is not known in this form")
    if kind == VALUE and not equals:
        value = _separate(name, role, rest, reading)
    reading.options.append((name, value))
    if kind == VALUE and role not in ("text", "any"):
        reading.values.append((role, value))


def _cluster(
    argument: str,
    rest: Iterator[str],
    known: dict[str, tuple[str, str]],
    reading: _Reading,
) -> None:
    if "-#" in known and argument[1:].isdigit():
        reading.options.append(("-#", argument[1:]))
        return
    for place, char in enumerate(argument[1:], 2):
        name = f"-{char}"
        kind, role = _look_up(name, known, argument)
        if kind == SEPARATE and argument[place:]:
            raise Unmodelled(f"the value of {name} has to be an argument of its own")
        value = "" if kind == FLAG else argument[place:]
        if kind in (VALUE, SEPARATE) and not value:
            value = _separate(name, role, rest, reading)
        reading.options.append((name, value))
        if kind == VALUE and role not in ("text", "any"):
            reading.values.append((role, value))
        if kind != FLAG:
            return


def _require_single(argument: str) -> None:
    if argument == "--" or not argument[2:].isdigit():
        raise Unmodelled(f"the option {argument[:40]} is not known in this form")


def _look_up(name: str, known: dict[str, tuple[str, str]], argument: str) -> tuple[str, str]:
    found = known.get(name)
    if found is None:
        whole = argument if argument.startswith("--") or len(argument) == 2 else name
        raise Unmodelled(f"the option {whole.partition('=')[0]} is not among those that only read")
    return found


def _separate(name: str, role: str, rest: Iterator[str], reading: _Reading) -> str:
    """Return the next argument as a value.

    A program that reads no options behind its first operand takes it for an operand instead.
    """
    value = _following(name, role, rest)
    if reading.operands and role in ("text", "any"):
        reading.values.append(("late", value))
    return value


def _following(name: str, role: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise Unmodelled(f"the option {name} lacks its value")
    if value.startswith("-") and value != "-" and role != "any":
        raise Unmodelled(f"the value of {name} looks like an option")
    return value


def _with_roles(
    model: Model, operands: list[str], given: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    roles = model.operands.split()
    if roles and roles[0] == "pattern" and any(name in model.instead for name in given):
        roles = roles[1:]
    many = roles.pop().removesuffix("*") if roles and roles[-1].endswith("*") else ""
    if len(operands) < model.least:
        raise Unmodelled("an operand is missing")
    for place, operand in enumerate(operands):
        if place >= len(roles) and not many:
            raise Unmodelled(f"the operand {operand[:80]!r} is one more than it only reads")
        role = roles[place] if place < len(roles) else many
        yield ("text" if role == "pattern" else role), operand
