"""The part of a request that all wires have in common: model, limit, thinking, temperature."""

from typing import Any

from hermes_core.ground.reasoning import Reasoning
from hermes_core.ground.runtime import Runtime


def opening(runtime: Runtime, limit_key: str, reasoning: Reasoning) -> dict[str, Any]:
    """Return the beginning of a streaming request.

    limit_key: the wire's own key of the output limit; reasoning: its own way to be told to think.
    """
    compat = runtime.compat
    request: dict[str, Any] = {
        **(compat.reasoning or reasoning).fields(runtime.reasoning_effort),
        **compat.extra_body,
        "model": runtime.model,
        "stream": True,
    }
    if compat.temperature is not None:
        request["temperature"] = compat.temperature
    limit = _limit(runtime)
    if limit is not None and compat.max_tokens_key is not None:
        request[compat.max_tokens_key or limit_key] = limit
    return request


def _limit(runtime: Runtime) -> int | None:
    """Return the output limit; the endpoint's default must leave room for the conversation."""
    default = runtime.compat.default_max_tokens
    if runtime.max_output is not None or default is None:
        return runtime.max_output
    return min(default, max(runtime.context_window // 2, 1))
