"""The demo's scratch repository: a bug, a test that finds it, and the check that it is gone."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt

STATS = '''\
"""Averages of a list of numbers."""


def mean(values):
    """Return the arithmetic mean."""
    return sum(values) / len(values)


def median(values):
    """Return the middle value; of an even number of values, the mean of the two in the middle."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
'''

TESTS = '''\
"""Run with: python3 test_stats.py"""

from stats import mean, median

assert mean([1, 2, 3, 6]) == 3
assert median([3, 1, 2]) == 2
assert median([4, 1, 3, 2]) == 2.5, f"median([4, 1, 3, 2]) is {median([4, 1, 3, 2])}, not 2.5"
print("all tests passed")
'''

README = """\
# stats

Averages of a list of numbers. `python3 test_stats.py` runs the tests; one of them fails.
"""

FILES = {"stats.py": STATS, "test_stats.py": TESTS, "README.md": README}
UNCHANGED = "stats.py is as it was"
GIT_SETTINGS = (
    "user.name=Hermes demo",
    "user.email=demo@localhost",
    "commit.gpgsign=false",
    "core.hooksPath=/dev/null",
    "init.templateDir=",
    "init.defaultBranch=main",
)


def make_repository(folder: Path) -> None:
    """Write the files into ``folder`` and commit them, if git is there. Raises ``OSError``."""
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    git = shutil.which("git")
    if git is not None:
        settings = [word for setting in GIT_SETTINGS for word in ("-c", setting)]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Start"]):
            _run([git, *settings, *command], folder)


def problem_with(folder: Path) -> str | None:
    """Return what is still wrong in ``folder``; None if the bug is gone and the tests pass."""
    try:
        changed = (folder / "stats.py").read_text(encoding="utf-8") != STATS
        same_tests = (folder / "test_stats.py").read_text(encoding="utf-8") == TESTS
    except (OSError, UnicodeDecodeError) as error:
        return f"a file of the repository cannot be read ({type(error).__name__})"
    if not changed:
        return UNCHANGED
    if not same_tests:
        return "test_stats.py was changed, which nobody asked for"
    if not _run([sys.executable, "-B", "test_stats.py"], folder):
        return "the tests still fail"
    return None


def _run(argv: Sequence[str], cwd: Path) -> bool:
    """Run a program that nobody watches; return whether it went well."""
    from hermes_core.local.processes import capture

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = capture(argv, cwd, env=env, timeout=60, max_bytes=100_000, interrupt=Interrupt())
    except ToolError:
        return False
    return done.exit_code == 0
