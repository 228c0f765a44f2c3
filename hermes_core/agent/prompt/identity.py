"""Who the agent is: the user's ``SOUL.md``, or what stands here."""

from pathlib import Path

from hermes_core.agent.prompt.foreign import structured
from hermes_core.agent.prompt.layer import Layer
from hermes_core.ground.errors import ToolError
from hermes_core.ground.ports import Files

FILE_NAME = "SOUL.md"
LIMIT = 8_000
"""Characters of ``SOUL.md`` that are used."""

DEFAULT = """\
You are Hermes, a coding agent in the user's editor. You work in the user's own files, with the \
tools you are given. The user sees your answers, every tool call and every diff as it happens.
"""


def identity(home: Path, files: Files) -> Layer:
    """Return what ``SOUL.md`` in the folder of our settings says, or the default.

    The file is the user's own word, so that it is not wrapped as data.
    """
    try:
        text = files.read((home / FILE_NAME).resolve()).decode("utf-8", "replace").strip()
    except (OSError, RuntimeError, ToolError):
        text = ""
    return Layer("identity", f"{structured(text)[:LIMIT]}\n" if text else DEFAULT)
