"""How long an answer may be, where a longer one is worth a try."""

from dataclasses import replace

from hermes_core.ground.runtime import Runtime
from hermes_core.model.facts import known_fact
from hermes_core.wire.anthropic_messages import LIMIT


def widened(runtime: Runtime, times: int) -> Runtime:
    """Return ``runtime`` with an output limit of ``times`` the usual one, as far as it goes.

    Only a limit that we set ourselves is raised, up to what the model is known to answer, or
    else half of its window. What the user set stays, and so does what an endpoint decides.
    """
    usual = runtime.compat.default_max_tokens
    if usual is None and runtime.api_mode == "anthropic_messages":
        usual = LIMIT
    if times <= 1 or usual is None or runtime.max_output is not None:
        return runtime
    fact = known_fact(runtime.provider, runtime.model)
    most = (fact.max_output if fact else None) or runtime.context_window // 2
    return replace(runtime, max_output=min(usual * times, most)) if most > usual else runtime
