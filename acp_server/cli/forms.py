"""Questions of the agent in the terminal: a key for each likely answer, or a line of own words."""

from collections.abc import Mapping
from typing import Any, Protocol

from acp_server.cli.printable import visible_line

DECLINE: dict[str, Any] = {"action": "decline"}
MOST_KEYS = 9

Params = dict[str, Any]


class Filler(Protocol):
    """Finds the answer to a question that has been shown; None declines it."""

    async def fill(self, choices: list[str], words: bool) -> str | None:
        """Return one of ``choices``, or another text if ``words`` are an answer too."""
        ...


def question_of(params: Params) -> tuple[str, str, list[str], str]:
    """Return the text, the field of the answer, its choices, and the field for own words.

    The last is ``""`` where only a choice is an answer; without a field there is nothing to fill.
    """
    schema = params.get("requestedSchema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    fields = properties if isinstance(properties, Mapping) else {}
    choices: list[str] = []
    answer = words = ""
    for name, field in fields.items():
        if not isinstance(field, Mapping) or field.get("type") != "string":
            continue
        values = [value for value in field.get("enum") or () if isinstance(value, str)]
        if values and not choices:
            answer, choices = str(name), values[:MOST_KEYS]
        elif not words:
            words = str(name)
    return visible_line(str(params.get("message", ""))), answer, choices, words


def asks_why(params: Params) -> bool:
    """Return whether a form only asks why a call was rejected: here the next message says so."""
    schema = params.get("requestedSchema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return isinstance(properties, Mapping) and list(properties) == ["reason"]


async def filled(params: Params, filler: Filler) -> Params:
    """Return the result of ``elicitation/create``, as the person at the terminal has it."""
    _, answer, choices, words = question_of(params)
    if not choices and not words:
        return DECLINE
    said = await filler.fill(choices, bool(words))
    if said is None or not said.strip():
        return DECLINE
    field = answer if said in choices else words
    return {"action": "accept", "content": {field: said}}
