"""Text that every wire sends: clean, and never empty where endpoints refuse that."""

from typing import Any, Final

EMPTY: Final = "(empty)"
"""Stands for a message without text or calls, which endpoints refuse."""

NO_IMAGE: Final = "[An image was left out here, because this model takes none.]"
"""Stands for an image where the endpoint takes none."""

NO_SOUND: Final = "[A sound was left out here, because this model takes none.]"
"""Stands for a sound where the model or the format takes none."""


def clean(value: Any) -> Any:
    """Return ``value`` with lone surrogates replaced and surrogate pairs joined."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    return value
