"""What one setting is: its name, its type and its bounds."""

from dataclasses import dataclass
from typing import Literal

KeyType = Literal[
    "text", "secret", "whole number", "number", "choice", "flag", "names", "texts", "data", "models"
]
"""``texts`` maps names to texts, ``data`` is any mapping, ``models`` maps ids to their limits."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting.

    name: its dotted name, or its bare name within an entry; field: the attribute that holds it.
    minimum and maximum: bounds of a number, both allowed.
    spellings: further names that are read; also: further values that stand for a choice.
    """

    name: str
    field: str
    type: KeyType
    default: str | int | float | bool | tuple[str, ...] | None
    text: str
    minimum: float = 0
    maximum: float = 1e9
    choices: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()

    @property
    def leaf(self) -> str:
        """The name within its section."""
        return self.name.rpartition(".")[2]
