"""What a list and an update tell of a session itself: its title, and when it was last used. Pure.

A list and an update give the same moment in the same form.
"""

from datetime import UTC, datetime
from typing import Any


def info_update(title: str | None, updated: float | None) -> dict[str, Any]:
    """Return the update that tells a session's title and when it was last used, as far as known.

    updated: seconds since 1970.
    """
    update: dict[str, Any] = {"sessionUpdate": "session_info_update"}
    if title:
        update["title"] = title
    if updated is not None:
        update["updatedAt"] = timestamp(updated)
    return update


def timestamp(seconds: float) -> str:
    """Return a moment in ISO 8601, in UTC and milliseconds."""
    moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")
