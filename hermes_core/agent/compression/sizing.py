"""When a conversation is too large for its model's window, and how small it is to become. Pure."""

from dataclasses import dataclass
from typing import Literal

from hermes_core.agent.compression.plan import FRAME, Room
from hermes_core.agent.compression.tokens import Gauge
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config

FULL = 0.85
"""The part of the window above which a turn does not go on as it is."""

LONGEST_SUMMARY = 20_000
SUMMARY_SHARE = 0.1
"""Tokens that a summary may have, and the part of the window: it is asked for half of that."""

LEAST = 0.1
"""The part of the window that is left to the messages, however long prompt and tools are."""

Cut = Literal["usual", "hard", "overflow", "asked"]
"""Why a conversation is shortened: a prompt came and it is above the threshold, it fills the
window, the provider refused it as too long, or the user asked for it."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a request is, in real tokens as far as known. overhead: its prompt and tools."""

    overhead: int
    messages: int
    window: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.overhead + self.messages


def level(config: Config, runtime: Runtime, *, first: bool) -> int:
    """Return the tokens above which room is made before a step; ``first``: of the turn."""
    window = runtime.context_window
    full = min(int(window * FULL), window - min(runtime.max_output or 0, window // 2))
    return min(full, int(window * config.compression_threshold)) if first else full


def room_for(size: Size, cut: Cut, config: Config, gauge: Gauge, more: int = 0) -> Room:
    """Return how small the messages are to become.

    more: estimated tokens that are added with a summary beside the usual words.
    """
    threshold = size.window * config.compression_threshold
    target, tail = threshold * 0.6, threshold * config.compression_target_ratio
    first, last = config.compression_protect_first_n, config.compression_protect_last_n
    window = size.window
    if cut in ("hard", "overflow"):
        target, tail = threshold * 0.4, tail / 2
        first, last = min(first, 1), max(1, min(last, max(4, last // 2)))
    if cut == "overflow":  # the window is not what it was thought to be
        target, window = min(target, size.total * 0.5), min(window, size.total)
    target = max(target - size.overhead, window * LEAST)
    return Room(
        target=gauge.estimate(target),
        tail=gauge.estimate(tail),
        summary=gauge.estimate(min(LONGEST_SUMMARY, window * SUMMARY_SHARE, target / 3)),
        keep_first=first,
        keep_last=last,
        frame=FRAME + more,
        always=cut == "asked",
    )
