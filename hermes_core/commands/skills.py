"""``/skills``: the user's own notes on how tasks are done."""

from hermes_core.local.config import Config
from hermes_core.local.skills import FILE_NAME, FOLDER, find_skills
from hermes_core.tools.visible import one_line


def skills_text(config: Config) -> str:
    """Return the skills as Markdown, or how to make one."""
    skills = find_skills(config.home)
    place = config.home / FOLDER
    if not skills:
        return (
            f"There are no skills. One is a folder in `{place}` with a `{FILE_NAME}`: `name` and "
            "`description` between two lines `---`, then how the task is done."
        )
    lines = [f"- **{one_line(skill.name)}**: {one_line(skill.description)}" for skill in skills]
    return "\n".join([*lines, "", f"They lie in `{place}`. New sessions are told of them."])
