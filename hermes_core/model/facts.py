"""What is known of a model: how much it takes, how much it answers, whether it sees and hears.

The order: what the user configured, what the endpoint's own list says, the committed table
(``windows.json``, made by ``tests/data/model_table.py``), the provider's usual window.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("windows.json")

_PASSED_ON = frozenset({"copilot", "opencode-go", "tencent-tokenhub", "alibaba"})
"""Providers whose limits for other makers' models are their own."""

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")
_BEDROCK = re.compile(
    r"^(?:[a-z-]+\.)*?(?:anthropic|meta|mistral|deepseek|openai)\.|-v\d+(?::\d+)?$"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One model. window: tokens of a request; max_output: of an answer, None if not known.

    audio: whether its own provider takes sounds for it, in chat completions.
    """

    window: int
    max_output: int | None = None
    images: bool | None = None
    audio: bool = False


def known_fact(provider: str, model: str, *, elsewhere: bool = True) -> Fact | None:
    """Return what the table has for a model, or None.

    elsewhere: whether a model that the provider's own rows do not have may be looked for by
    its name in the rows of others, as for those who pass on other makers' models. A server of
    the user's own may run the same model with a smaller window, so it must not. Whether those
    pass on sounds is not said there.
    """
    table = _table()
    own = table.get(provider, {})
    if model in own:
        return own[model]
    if not elsewhere:
        return None
    wanted = _plain(model)
    found = _by_plain_name(provider).get(wanted)
    if found is None and (other := _by_plain_name("").get(wanted)) is not None:
        return replace(other, audio=False)
    return found


@cache
def _table() -> Mapping[str, Mapping[str, Fact]]:
    data: Any = json.loads(TABLE.read_text(encoding="utf-8"))
    return {
        provider: {name: _fact(row) for name, row in rows.items()}
        for provider, rows in data["models"].items()
    }


def _fact(row: list[int]) -> Fact:
    """Return the fact of a row; only of models that take sounds it has a fourth place."""
    return Fact(row[0], row[1] or None, bool(row[2]), audio=len(row) > 3 and bool(row[3]))


@cache
def _by_plain_name(provider: str) -> Mapping[str, Fact]:
    """Return a provider's rows by plain name; with ``""``, those of all makers.

    A name that stands twice has the smaller window: too long a request fails, too short a window
    only costs a summary.
    """
    found: dict[str, Fact] = {}
    for name, rows in _table().items():
        if provider != name and (provider or name in _PASSED_ON):
            continue
        for model, fact in rows.items():
            plain = _plain(model)
            if plain not in found or fact.window < found[plain].window:
                found[plain] = fact
    return found


def _plain(model: str) -> str:
    """Return a model's id without maker, variant, date and dots."""
    name = _BEDROCK.sub("", model.lower().rpartition("/")[2])
    return _DATED.sub("", _BEDROCK.sub("", name).partition(":")[0]).replace(".", "-")
