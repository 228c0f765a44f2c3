"""The persona @Hermes: Jupyter AI speaks the Agent Client Protocol to ``hermes acp``."""

import os
import shlex
import shutil
from pathlib import Path

from jupyter_ai_acp_client.base_acp_persona import BaseAcpPersona
from jupyter_ai_persona_manager import PersonaDefaults, PersonaRequirementsUnmet

COMMAND = [*shlex.split(os.environ.get("HERMES_COMMAND") or "hermes"), "acp"]

if shutil.which(COMMAND[0]) is None:
    raise PersonaRequirementsUnmet(
        f"There is no program {COMMAND[0]} on the PATH of JupyterLab. Install Hermes, or name the "
        "program in HERMES_COMMAND, then start JupyterLab again."
    )


class HermesPersona(BaseAcpPersona):
    """Answers to @Hermes in a chat: one Hermes process for all of them, one session for each."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, executable=COMMAND, **kwargs)

    @property
    def defaults(self):
        """What Jupyter AI shows; the system prompt is Hermes's own."""
        return PersonaDefaults(
            name="Hermes",
            description="A coding agent that shows what it does and asks before it does it.",
            avatar_path=str(Path(__file__).with_name("icon.svg")),
            system_prompt="unused",
        )
