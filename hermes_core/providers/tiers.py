"""Speeds that services sell beside the usual one, as their references describe them.

Prices are told only where the reference says one number for all: a service that may answer at
another tier than was asked for bills that one.
"""

from typing import Final

from hermes_core.ground.speeds import Speed

SpeedRules = tuple[tuple[str, tuple[Speed, ...]], ...]

_PRIORITY: Final = Speed("fast", {"service_tier": "priority"})
_CLAUDE_FAST: Final = Speed("fast", {"speed": "fast"})

OPENAI: Final[SpeedRules] = (
    ("gpt-5*", (_PRIORITY, Speed("flex", {"service_tier": "flex"}, price=0.5))),
    ("gpt-4.1*", (_PRIORITY,)),
)
"""Flex costs half; how much dearer the other one is differs by model."""

CODEX: Final[SpeedRules] = (("gpt-5.[4-9]*", (_PRIORITY,)),)

CLAUDE: Final[SpeedRules] = (
    ("claude-opus-5-[5-9]*", (_CLAUDE_FAST,)),
    (
        "claude-opus-5*",
        (Speed("fast", {"speed": "fast"}, (("anthropic-beta", "fast-mode-2026-02-01"),)),),
    ),
    ("claude-fable-5-[2-9]*", (_CLAUDE_FAST,)),
    ("claude-mythos-5-[2-9]*", (_CLAUDE_FAST,)),
)
"""Opus 5 is in a preview that has to be asked for by a header."""

_FLEX: Final = Speed("flex", {"service_tier": "flex"})

OPENROUTER: Final[SpeedRules] = (
    ("openai/gpt-5*", (_PRIORITY, _FLEX)),
    ("google/gemini-*", (_PRIORITY, _FLEX)),
    ("anthropic/claude-opus-5*", (Speed("fast", {"service_tier": "fast"}),)),
)

GATEWAY: Final[SpeedRules] = (("openai/gpt-5*", (_PRIORITY, _FLEX)),)
