"""Deterministic mutations of commands: what a clever or a clumsy hand would make of them."""

import random
from collections.abc import Iterator

OPERANDS = (
    *("src", "docs", ".", "README.md", "src/app.py", ".env", "ext", "keylink", "docs/passwd-link"),
    *("../other/README.md", "/etc/passwd", "~", "--", "-", "-rf", "-delete", "--pre=sh", "*.md"),
    *("src/*.py", "docs/*", "HEAD", "HEAD~1", "v0.1", "main", "x", "out.txt", "5", "''", "'a b'"),
    *("'*.py'", "build/out.o", "data/log.txt", "data/users.csv", "package.json", "a=b", "{}"),
)
OPTIONS = (
    *("-o", "-i", "-n", "-r", "-R", "-e", "-f", "-l", "-L", "-c", "-x", "-p", "-z", "-O", "-w"),
    *("-s", "-u", "-v", "-a", "-d", "-t", "-T", "-D", "-I", "-S", "-C3", "-ox", "-Lo", "-pl"),
    *("--output=x", "--output", "--all", "--files", "--hidden", "--follow", "--exec", "-exec"),
    *("-delete", "-print", "--stat", "--format=%h", "--pretty=oneline", "--include=*.py"),
    *("--color=never", "--in-place", "--recursive", "--unified=1", "--textconv", "-1", "-20"),
)
PIECES = ("'", '"', "\\", " ", ";", "|", "&&", "||", ">", "<", "#", "$", "*", "?", "!", "~", "=")
JOINS = ("; ", " && ", " || ", " | ", "\n", " 2>&1 | ", " # ", " >/dev/null; ")


def mutations(commands: list[str], seed: int) -> Iterator[str]:
    """Yield mutated commands without end; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        text = rng.choice(commands)
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = rng.choice(_CHANGES)(text, rng, commands)
        yield text


def _join(text: str, rng: random.Random, commands: list[str]) -> str:
    return text + rng.choice(JOINS) + rng.choice(commands)


def _add(text: str, rng: random.Random, _commands: list[str]) -> str:
    words = text.split(" ")
    words.insert(rng.randrange(1, len(words) + 1), rng.choice(OPERANDS + OPTIONS))
    return " ".join(words)


def _replace(text: str, rng: random.Random, _commands: list[str]) -> str:
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(OPERANDS + OPTIONS)
    return " ".join(words)


def _drop(text: str, rng: random.Random, _commands: list[str]) -> str:
    words = text.split(" ")
    del words[rng.randrange(len(words))]
    return " ".join(words)


def _swap(text: str, rng: random.Random, _commands: list[str]) -> str:
    words = text.split(" ")
    one, two = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[two] = words[two], words[one]
    return " ".join(words)


def _cross(text: str, rng: random.Random, commands: list[str]) -> str:
    other = rng.choice(commands).split(" ")
    return " ".join([text.split(" ", maxsplit=1)[0], *other[1:]])


def _insert(text: str, rng: random.Random, _commands: list[str]) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(PIECES) + text[place:]


def _quote(text: str, rng: random.Random, _commands: list[str]) -> str:
    words = text.split(" ")
    place = rng.randrange(len(words))
    mark = rng.choice(("'", '"'))
    words[place] = f"{mark}{words[place]}{mark}"
    return " ".join(words)


_CHANGES = (_join, _add, _add, _replace, _drop, _swap, _cross, _insert, _quote)
