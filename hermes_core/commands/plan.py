"""``/plan``: look and think before anything is changed."""

from hermes_core.commands.seat import Prompt, Prompts, Seat

IN_PLAN = (
    "This session is in plan mode: reads and harmless commands run, nothing is changed. "
    "`/mode default` or your editor's list of modes ends it."
)


def run_plan(seat: Seat, text: str) -> str | Prompts:
    """Change to plan mode; ``text`` is then sent as a prompt."""
    seat.set_mode("plan")
    return Prompts((Prompt(text),)) if text else IN_PLAN
