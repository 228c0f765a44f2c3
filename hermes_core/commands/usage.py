"""``/usage``: tokens, calls and cost of the session, of its last turn, and by model."""

from collections.abc import Sequence

from hermes_core.commands.seat import Seat
from hermes_core.sessions.transcript import told_usage
from hermes_core.sessions.usage import Used, total


def run_usage(seat: Seat, _argument: str) -> str:
    """Answer ``/usage``. Raises ``StoreError``."""
    ledger = seat.agent.records.ledger
    return usage_text(ledger.session, ledger.turn)


def usage_text(session: Sequence[Used], turn: Sequence[Used] = ()) -> str:
    """Return what was used as Markdown; costs are estimates.

    session: by task and model. turn: call by call.
    """
    whole, last = total(session), total(turn)
    if whole is None:
        return "Nothing was used in this session yet."
    lines = [f"This session: {told_usage(whole)}."]
    if last is not None:
        lines.append(f"The last turn: {told_usage(last)}.")
    lines.append("")
    lines += [f"- {_name(used)}: {told_usage(used)}" for used in session]
    return "\n".join(lines)


def _name(used: Used) -> str:
    task = f", {used.task.replace('_', ' ')}" if used.task else ""
    return f"`{used.model}` of {used.provider}{task}"
