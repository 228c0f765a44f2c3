"""Which tool calls of one answer may run at the same time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, Protocol, TypeVar

Together = Literal["always", "paths", "never"]
"""``always``: looks only. ``paths``: changes its own paths only. ``never``: could do anything."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a call may touch. ``paths`` are real and absolute; they count for ``paths`` alone.

    A call that changes paths, but names none, is taken to change all.
    """

    together: Together
    paths: tuple[Path, ...] = ()


class Reaching(Protocol):
    """Anything whose reach is known."""

    @property
    def reach(self) -> Reach:
        """What it may touch."""
        ...


T = TypeVar("T", bound=Reaching)


def split(calls: Sequence[T]) -> list[list[T]]:
    """Cut ``calls`` into runs whose members cannot disturb each other; the order stays.

    Calls that only look run together, changes of different paths run together (one path
    must not contain another), and every other call is a run of its own.
    """
    runs: list[list[T]] = []
    for call in calls:
        if runs and all(_undisturbed(call.reach, other.reach) for other in runs[-1]):
            runs[-1].append(call)
        else:
            runs.append([call])
    return runs


def _undisturbed(one: Reach, other: Reach) -> bool:
    if one.together == other.together == "always":
        return True
    if not one.together == other.together == "paths" or not one.paths or not other.paths:
        return False
    return not any(_overlap(a, b) for a, b in product(one.paths, other.paths))


def _overlap(a: Path, b: Path) -> bool:
    return a == b or a in b.parents or b in a.parents
