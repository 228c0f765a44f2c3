"""``/doctor``: what ``hermes doctor`` looks at, as an answer in a session."""

from pathlib import Path

from hermes_core.commands.checks import Finding, Report, examine, resolved
from hermes_core.commands.seat import Seat
from hermes_core.tools.visible import one_line

READY = "Ready: a prompt can be sent."
NOT_READY = "Not ready: no prompt could be sent."

_MARKS = {"good": "✓", "odd": "!", "bad": "✗", "": "–"}


def run_doctor(seat: Seat, _argument: str) -> str:
    """Report on the settings as they are now, and what this session uses."""
    report = examine(seat.environ, resolved, Path(seat.cwd))
    return f"{report_text(report)}\n\nThis session uses {seat.model()}"


def report_text(report: Report) -> str:
    """Return the report as a Markdown list, with what to do next."""
    lines = [_line(finding) for finding in report.findings]
    lines += ["", READY if report.ready else NOT_READY]
    lines += [f"Next: {_shown(f.advice)}" for f in report.findings if f.mark == "bad" and f.advice]
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    about = f"**{finding.about}** " if finding.about else ""
    return f"- {_MARKS[finding.mark]} {about}{_shown(finding.words)}"


def _shown(text: str) -> str:
    return one_line(" ".join(text.split()))
