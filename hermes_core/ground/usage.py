"""Tokens that a model call used."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reported them; ``input`` includes cached tokens."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input - other.input,
            self.output - other.output,
            self.cached - other.cached,
            self.reasoning - other.reasoning,
        )

    @property
    def total(self) -> int:
        """Tokens that stand in the context after the call."""
        return self.input + self.output
