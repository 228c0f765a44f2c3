"""``/init``: have the model write an ``AGENTS.md`` from the repository."""

from hermes_core.commands.seat import Prompt, Prompts, Seat
from hermes_core.ground.errors import HermesError

FILE = "AGENTS.md"

_TASK = f"""\
Write {FILE} for this repository, in the working folder's root: what somebody has to know who
changes this code for the first time and knows nothing of it.

1. Look first: the README, the files that build and test it (package manifests, Makefile, CI), the
   layout of the folders, some typical source files and tests, existing instruction files.
2. Write only what you have seen. Leave out what is plain from the names of files, what holds for
   any project, and whatever you would have to guess.
3. Say, as far as there is something to say: the commands to build, test (also a single test), lint
   and run; where what is, in a few lines; rules that a change must keep, with their reasons where
   the code does not show them; traps.
4. Short sentences, Markdown, at most about 100 lines.
5. If there is an {FILE} already, improve it: keep what still holds, correct what does not, and say
   afterwards what you changed. Do not touch any other file.\
"""


def run_init(seat: Seat, wishes: str) -> Prompts:
    """Return the prompt that has the model write the file; ``wishes`` is added to it.

    The file is written as any other, so it asks where edits ask. Raises ``HermesError`` in plan
    mode, where nothing can be written.
    """
    if seat.mode == "plan":
        raise HermesError(
            f"{FILE} cannot be written in plan mode. Type `/mode default`, then `/init` again."
        )
    more = f"\n\nThe user's wishes:\n{wishes}" if wishes else ""
    return Prompts((Prompt(_TASK + more),))
