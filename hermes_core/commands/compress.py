"""``/compress``: summarise the conversation now, to make room in the model's window."""

from typing import TYPE_CHECKING

from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent

NOTHING = (
    "There is nothing to summarise yet: the conversation is short, or all of it is recent. It goes "
    "on as it is."
)


def compress_text(agent: "AIAgent", focus: str, interrupt: Interrupt | None = None) -> str:
    """Summarise the agent's conversation; return what came of it.

    focus: what the summary should keep above all. Raises ``HermesError`` or ``Interrupted``.
    """
    event = agent.compress(focus, interrupt)
    return NOTHING if event is None else event.text
