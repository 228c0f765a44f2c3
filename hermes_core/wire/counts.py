"""Token counts as providers report them, checked."""

from typing import Any, Final

from hermes_core.ground.usage import Usage

_MAX_TOKENS: Final = 100_000_000


def usage_of(sent: Any, received: Any, cached: Any = None, reasoning: Any = None) -> Usage | None:
    """Return the counts, or None when the main ones are missing or cannot be true."""
    input_tokens, output_tokens = count(sent), count(received)
    if input_tokens is None or output_tokens is None:
        return None
    return Usage(
        input_tokens,
        output_tokens,
        min(count(cached) or 0, input_tokens),
        min(count(reasoning) or 0, output_tokens),
    )


def count(value: Any) -> int | None:
    """Return a number of tokens, or None if ``value`` cannot be one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _MAX_TOKENS:
        return None
    return value


def detail(data: dict[str, Any], group: str, key: str) -> Any:
    """Return ``data[group][key]``, or None where there is none."""
    details = data.get(group)
    return details.get(key) if isinstance(details, dict) else None
