"""``hermes demo``: the real server, client and tools in a scratch repository, a scripted model.

It needs no key and no network. It succeeds if the bug is really gone at the end, or if the person
rejected the edit.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from acp_server.cli.chat import INTERRUPTED, run_to_end, seated
from acp_server.cli.client import agent_command
from acp_server.cli.console import Failure
from acp_server.cli.questions import DemoAsker
from acp_server.cli.scratch import UNCHANGED, make_repository, problem_with

TITLE = "Hermes demo"
ABOUT = (
    "The model is scripted: its words were written beforehand, and nothing leaves this machine.\n"
    "All else is real: the server that editors start, its protocol, the tools, the diff, the tests."
)
PROMPT = "The median of an even number of values comes out wrong. Find the bug and fix it."


def run_demo(*, keep: bool) -> int:
    """Run the demo; return 0 if the bug was fixed or the edit rejected.

    ``keep`` leaves the repository behind.
    """
    try:
        scratch = Path(tempfile.mkdtemp(prefix="hermes-demo-")).resolve()
        repository = scratch / "repository"
        make_repository(repository)
    except OSError as error:
        raise Failure(
            f"The scratch repository could not be made: {error.strerror}.",
            "Set TMPDIR to a folder that can be written.",
        ) from error
    try:
        return run_to_end(_play(scratch, repository, keep=keep))
    finally:
        if not keep:
            shutil.rmtree(scratch, ignore_errors=True)


async def _play(scratch: Path, repository: Path, *, keep: bool) -> int:
    environ = environment(os.environ, scratch / "home")
    async with seated(agent_command(), repository, environ, DemoAsker()) as seat:
        tell = seat.transcript.remark
        tell(TITLE, "bold")
        tell(ABOUT, "dim", "about")
        tell(f"› {PROMPT}", "bold")
        await seat.client.new_session(repository)
        reason = await seat.turns.run(PROMPT)
    problem = problem_with(repository)
    rejected = problem == UNCHANGED and seat.face.rejections > 0
    if problem is None:
        tell("✓ Checked: the bug is gone, and the tests pass.", "green")
    elif rejected:
        tell("○ Checked: you rejected the edit, so nothing was written and the bug is still there.")
    else:
        tell(f"✗ Checked: {problem}.", "red")
    tell(_farewell(repository, keep=keep), "dim", "farewell")
    if reason == "cancelled":
        return INTERRUPTED
    return 0 if (problem is None or rejected) and reason == "end_turn" else 1


def environment(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the server's environment: a home of its own, and the scripted model."""
    chosen = {**environ, "HERMES_HOME": str(home), "HERMES_INFERENCE_PROVIDER": "demo"}
    if shutil.which("python3", path=environ.get("PATH")) is None:
        ours = str(Path(sys.executable).parent)
        chosen["PATH"] = os.pathsep.join(filter(None, (environ.get("PATH"), ours)))
    return chosen


def program() -> str:
    """Return how the person starts this ``hermes``: by its name if the PATH leads to it."""
    beside = Path(sys.executable).parent / "hermes"
    known = shutil.which("hermes")
    if not beside.is_file() or (known and Path(known).samefile(beside)):
        return "hermes"
    with suppress(OSError, ValueError):
        beside = beside.relative_to(Path.cwd())
    return shlex.quote(str(beside))


def _farewell(repository: Path, *, keep: bool) -> str:
    if keep:
        return f"The repository is {repository}"
    return (
        f"{repository} is removed; `{program()} demo --keep` leaves it for a look.\n"
        f"Next: `{program()} doctor` tells how to set up a model of your own."
    )
