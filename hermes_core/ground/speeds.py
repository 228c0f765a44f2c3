"""How fast an endpoint serves a model, where that can be chosen beside its usual way.

Sources: OpenAI and OpenRouter on ``service_tier``, Anthropic on fast mode, Vercel's gateway on
service tiers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

SPEEDS: Final = ("fast", "flex")
"""Sooner than usual at a higher price; later than usual at a lower one."""

USUAL: Final = "usual"
"""The word of a session that wants neither, whatever the configuration says."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One way beside the usual.

    word: one of ``SPEEDS``. fields, headers: what a request says for it. price: how many times the
    usual price it costs, None where that is not known or differs from answer to answer.
    """

    word: str
    fields: Mapping[str, object] = field(default_factory=dict)
    headers: tuple[tuple[str, str], ...] = ()
    price: float | None = None
