"""Who made a message's reasoning: nobody else gets its records back."""

from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import Runtime


def origin_of(runtime: Runtime) -> str:
    """Return what stands in ``Message.origin`` for answers from ``runtime``.

    The model belongs to it: records are sealed for the model that made them.
    """
    return f"{runtime.provider}|{runtime.api_mode}|{runtime.model}"


def is_own(message: Message, runtime: Runtime) -> bool:
    """Tell whether ``message`` came from ``runtime``. An unknown origin counts as another's."""
    return message.get("origin") == origin_of(runtime)
