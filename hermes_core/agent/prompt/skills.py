"""The index of the user's skills: names and what they are for; ``skill_view`` reads one."""

from pathlib import Path

from hermes_core.agent.prompt.foreign import inert
from hermes_core.agent.prompt.layer import Layer
from hermes_core.ground.injection import kinds_of, scan
from hermes_core.local.skills import Skill, find_skills

LIMIT = 2_000
LONGEST = 160
"""Characters of the whole index, and of one description in it."""

_HEAD = """\
# Skills
The user's own notes on how to do a task. Read one that fits with skill_view before you begin.
"""


def skills(home: Path) -> Layer:
    """Return the index; an empty layer if there are no skills."""
    lines = [_line(skill) for skill in find_skills(home)]
    text, left = _HEAD, len(lines)
    for line in lines:
        if len(text) + len(line) > LIMIT:
            text += f"[{left} more: skill_view without a name lists all]\n"
            break
        text, left = text + line, left - 1
    return Layer("skills", text if lines else "")


def _line(skill: Skill) -> str:
    description = " ".join(inert(skill.description).split())
    if hits := scan(description, strict=True):
        description = f"[BLOCKED: {kinds_of(hits)}]"
    if len(description) > LONGEST:
        description = f"{description[: LONGEST - 1].rstrip()}…"
    return f"- {skill.name}: {description}\n" if description else f"- {skill.name}\n"
