"""What is known of the providers, kept apart from the profiles that are held against it."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "data" / "providers.json"


@dataclass(frozen=True)
class Wire:
    """One request that a provider must be sent. body holds what must stand in it, absent what not.

    headers: by name in lower case, None where any value will do. path: where it is not the usual.
    """

    provider: str
    model: str
    api_mode: str
    auth: str
    body: dict[str, Any]
    absent: tuple[str, ...]
    base_url: str
    headers: dict[str, str | None]
    effort: str | None = None
    path: str | None = None

    @property
    def name(self) -> str:
        return f"{self.provider}-{self.model}-{self.api_mode}-{self.effort or 'unset'}"


@cache
def facts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def wires() -> list[Wire]:
    return [
        Wire(
            provider=fact["id"],
            model=wire["model"],
            api_mode=wire["api_mode"],
            auth=wire["auth"],
            body=wire["body"],
            absent=tuple(wire["absent"]),
            base_url=wire.get("base_url") or fact["base_url"],
            headers=wire.get("headers", {}),
            effort=wire.get("effort"),
            path=wire.get("path"),
        )
        for fact in facts()
        for wire in fact["wires"]
    ]
