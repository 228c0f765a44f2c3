"""Questions in the terminal: a key for each likely answer, a line of own words, field by field.

A page is shown with its whole address, and is for the person to open. Nothing is sent before a key
or a line has answered each field.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from acp_server.cli.printable import visible, visible_line
from hermes_core.ground.forms import FormRefused, choices_of, content_of, fits, form_schema

DECLINE: dict[str, Any] = {"action": "decline"}
MOST_KEYS = 8
ATTEMPTS = 3
"""How often a line may be typed that a field does not take."""

OPEN = "I open it"
SEND = "Send this"
EMPTY = "Leave it empty"
YES, NO = "Yes", "No"
WHY = "What to do instead"
"""The title of the field by which the agent asks why a call was rejected."""

HINT = "Enter alone leaves it empty, Ctrl-D answers nothing at all."

Params = dict[str, Any]


class Filler(Protocol):
    """Finds the answer to a question that has been shown; None declines it."""

    async def fill(self, choices: list[str], words: bool) -> str | None:
        """Return one of ``choices``, or another text if ``words`` are an answer too."""
        ...

    def say(self, text: str) -> None:
        """Show a line."""
        ...


def question_of(params: Params) -> str:
    """Return what is asked, in lines; of a page with its address."""
    text = visible(str(params.get("message", "")))
    return f"{text}\n{visible_line(str(params.get('url')))}" if _is_page(params) else text


def asks_why(params: Params) -> bool:
    """Return whether a form only asks why a call was rejected: here the next message says so."""
    fields = _fields_of(params)
    return list(fields) == ["reason"] and fields["reason"].get("title") == WHY


async def filled(params: Params, filler: Filler) -> Params:
    """Return the result of ``elicitation/create``, as the person at the terminal has it."""
    if _is_page(params):
        opened = await filler.fill([OPEN], False)
        return {"action": "accept"} if opened == OPEN else DECLINE
    if params.get("mode", "form") != "form":
        return DECLINE
    fields = _fields_of(params)
    texts = all(field.get("type") == "string" for field in fields.values())
    if fields and texts and set(fields) <= {"answer", "other"}:
        return await _answered(fields, filler)
    try:
        schema = form_schema(params.get("requestedSchema"))
    except FormRefused as refused:
        filler.say(f"  This form cannot be shown: {visible_line(str(refused))}.")
        return DECLINE
    return await _filled_in(schema, filler)


async def _answered(fields: Mapping[str, Any], filler: Filler) -> Params:
    """Have the model's own question answered: by one of its choices, or in own words."""
    choices = [one for one in fields.get("answer", {}).get("enum") or () if isinstance(one, str)]
    words = "other" if choices else "answer"
    said = await filler.fill(choices[: MOST_KEYS + 1], words in fields)
    if said is None or not said.strip():
        return DECLINE
    return {"action": "accept", "content": {"answer" if said in choices else words: said}}


async def _filled_in(schema: Mapping[str, Any], filler: Filler) -> Params:
    content: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        answered, value = await _field(field, name in schema.get("required", ()), filler)
        if not answered:
            return DECLINE
        if value is not None:
            content[name] = value
    if len(schema["properties"]) != 1:
        for name, value in content.items():
            filler.say(f"  {schema['properties'][name]['title']}: {visible_line(str(value))}")
        if await filler.fill([SEND], False) != SEND:
            return DECLINE
    checked = content_of(schema, content)
    return DECLINE if checked is None else {"action": "accept", "content": checked}


async def _field(field: Mapping[str, Any], required: bool, filler: Filler) -> tuple[bool, Any]:
    """Return whether a field was answered, and its value; None where it was left empty."""
    about = [field["title"], field.get("description", "")]
    if "default" in field:
        about.append(f"suggested: {field['default']}")
    filler.say(f"  {visible_line(' · '.join(filter(None, about)))}")
    choices = [(True, YES), (False, NO)] if field["type"] == "boolean" else choices_of(field)
    if choices and field["type"] != "array" and len(choices) <= MOST_KEYS:
        names = [name for _, name in choices]
        said = await filler.fill(names if required else [*names, EMPTY], False)
        picked = [value for value, name in choices if name == said]
        return said is not None, picked[0] if picked else None
    for number, (_, name) in enumerate(choices, start=1):
        filler.say(f"  {number}  {visible_line(str(name))}")
    return await _typed(field, required, choices, filler)


async def _typed(
    field: Mapping[str, Any], required: bool, choices: list[Any], filler: Filler
) -> tuple[bool, Any]:
    several = field["type"] == "array"
    kind = "Numbers, with commas between. " if several else "A number. " if choices else ""
    filler.say(f"  {kind}{'Ctrl-D answers nothing at all.' if required else HINT}")
    for _ in range(ATTEMPTS):
        line = await filler.fill([], True)
        if line is None:
            return False, None
        if not line.strip() and not required:
            return True, None
        value = _value(field, line.strip(), choices)
        if value is not None and fits(field, value):
            return True, value
        filler.say("  The field does not take that. Type it again.")
    return False, None


def _value(field: Mapping[str, Any], line: str, choices: list[Any]) -> Any:
    """Return what a line means for a field; None for nothing that it can mean."""
    try:
        if choices:
            picked = [choices[_place(one)][0] for one in line.split(",") if one.strip()]
            return picked if field["type"] == "array" else picked[0]
        if field["type"] == "integer":
            return int(line)
        return float(line) if field["type"] == "number" else line
    except (ValueError, IndexError):
        return None


def _place(number: str) -> int:
    place = int(number) - 1
    if place < 0:
        raise IndexError
    return place


def _is_page(params: Params) -> bool:
    return params.get("mode") == "url"


def _fields_of(params: Params) -> Mapping[str, Any]:
    schema = params.get("requestedSchema")
    fields = schema.get("properties") if isinstance(schema, Mapping) else None
    known = isinstance(fields, Mapping) and all(isinstance(f, Mapping) for f in fields.values())
    return fields if known and isinstance(fields, Mapping) else {}
