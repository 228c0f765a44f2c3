"""What the schema says about values that do not fit, as marks on fields of the generated types."""

import enum
from typing import Annotated, Any


class Marker(enum.Enum):
    """How lenient a receiver has to be with one field (the schema's ``x-deserialize-*``)."""

    ON_ERROR = "default-on-error"
    """A value that does not fit counts as absent."""

    ON_NULL = "default-on-null"
    """Null counts as absent."""

    SKIP_INVALID = "skip-invalid-items"
    """Items that do not fit are left out of the array."""


ON_ERROR = Marker.ON_ERROR
ON_NULL = Marker.ON_NULL
SKIP_INVALID = Marker.SKIP_INVALID

Meta = Annotated[dict[str, Any] | None, ON_ERROR]
"""The ``_meta`` of any object."""
