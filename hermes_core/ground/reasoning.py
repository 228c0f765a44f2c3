"""How a model is told how much to think: an endpoint's request fields, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")
"""What a user can choose, least first."""

OWN: Final = "default"
"""In the place of an effort: the model's own measure, whatever the configuration says."""

EFFORT: Final = "{effort}"
"""Stands, in the fields of ``Reasoning.on``, for the endpoint's own word or number."""

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Top-level request fields that tell an endpoint whether and how much to think.

    on: when an effort was chosen; ``EFFORT`` in it, at any depth, becomes the endpoint's value.
    off: when ``none`` was chosen; nothing is sent where thinking cannot be turned off.
    unset: when nothing was chosen.
    efforts: the efforts that the endpoint knows, least first, each with its own word or its
        budget in tokens. Any other effort counts as the strongest of them that is not stronger,
        or else as the least.
    """

    on: Fields = field(default_factory=dict)
    off: Fields = field(default_factory=dict)
    unset: Fields = field(default_factory=dict)
    efforts: tuple[tuple[str, str | int], ...] = (
        ("low", "low"),
        ("medium", "medium"),
        ("high", "high"),
    )

    def fields(self, effort: str | None) -> dict[str, object]:
        """Return the fields for a user's choice, None if there is none."""
        if effort is None:
            return dict(self.unset)
        if effort == "none":
            return dict(self.off)
        value = self._nearest(effort)
        return {key: _filled(item, value) for key, item in self.on.items()}

    def _nearest(self, effort: str) -> str | int:
        if not self.efforts:
            return effort
        wanted = _rank(effort)
        known = [value for word, value in self.efforts if _rank(word) <= wanted]
        return known[-1] if known else self.efforts[0][1]


NO_REASONING: Final = Reasoning()
"""For endpoints that take no such field."""


def _rank(effort: str) -> int:
    """Return an effort's place; a word that is not among ours counts as the middle one."""
    return EFFORTS.index(effort if effort in EFFORTS else "medium")


def _filled(item: object, value: str | int) -> object:
    if isinstance(item, Mapping):
        return {key: _filled(part, value) for key, part in item.items()}
    return value if item == EFFORT else item
