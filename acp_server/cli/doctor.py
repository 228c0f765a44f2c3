"""``hermes doctor``: what is configured, what is missing, what to do next."""

import os
import sys

from acp_server.cli.console import coloured, say, wrapped
from acp_server.cli.printable import visible_line
from hermes_core.commands.checks import Finding, Report, examine, resolved
from hermes_core.ground.secrets import REDACTOR
from hermes_core.ground.version import __version__

MARKS = {"good": "✓", "odd": "!", "bad": "✗", "": " "}
COLOURS = {"good": "\x1b[32m", "odd": "\x1b[33m", "bad": "\x1b[31m"}
PLAIN = "\x1b[0m"
WORDS = 17
"""The column at which a finding's words begin."""

READY = "Ready: your editor, or `hermes chat`, can send a prompt."
NOT_READY = "Not ready: no prompt could be sent."
WIZARD = "Or run `hermes acp --setup` in a terminal: it asks for a provider and saves it."
ADVICE = "Next: correct what is marked with ✗, then run `hermes doctor` again."


def run_doctor() -> int:
    """Print the report; return 0 if a prompt could be sent, else 1."""
    report = examine(os.environ, resolved)
    show(report)
    if any(finding.mark == "bad" and finding.about == "provider" for finding in report.findings):
        say(WIZARD)
    return 0 if report.ready else 1


def show(report: Report) -> None:
    """Print the report: a line for each finding, and the way on."""
    say(f"Hermes {__version__}\n")
    colours = coloured(sys.stdout, os.environ)
    for finding in report.findings:
        say(_line(finding, colours=colours))
    say()
    if report.ready:
        say(READY)
        return
    say(NOT_READY)
    advice = [finding.advice for finding in report.findings if finding.mark == "bad"]
    for line in filter(None, advice):
        say(wrapped(f"Next: {_safe(line)}", sys.stdout))
    if not any(advice):
        say(ADVICE)


def _line(finding: Finding, *, colours: bool) -> str:
    mark = MARKS[finding.mark]
    rest = wrapped(f"    {finding.about:<12} {_safe(finding.words)}", sys.stdout, WORDS)[4:]
    if colours and finding.mark:
        mark = f"{COLOURS[finding.mark]}{mark}{PLAIN}"
    return f"  {mark} {rest}".rstrip()


def _safe(text: str) -> str:
    return visible_line(REDACTOR.redact(" ".join(text.split())))
