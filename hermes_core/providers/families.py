"""What is peculiar to families of models, wherever they are served. Folders put it together.

Patterns match ids with and without a vendor in front. Sources: the vendors' references on reasoning
parameters and output limits.
"""

from dataclasses import replace
from typing import Final

from hermes_core.ground.reasoning import EFFORT, NO_REASONING, Reasoning
from hermes_core.ground.runtime import Compat

Rules = tuple[tuple[str, Compat], ...]

PLAIN: Final = Compat(reasoning=NO_REASONING)
"""Endpoints that document no reasoning fields."""

_LOW_TO_HIGH: Final = (("low", "low"), ("medium", "medium"), ("high", "high"))
_TO_MAX: Final = (*_LOW_TO_HIGH, ("xhigh", "max"), ("max", "max"))

# Claude, in the Messages format

_ADAPTIVE: Final = Reasoning(
    on={"thinking": {"type": "adaptive"}, "output_config": {"effort": EFFORT}},
    off={"thinking": {"type": "disabled"}},
    unset={"thinking": {"type": "adaptive"}},
    efforts=(*_LOW_TO_HIGH, ("xhigh", "xhigh"), ("max", "max")),
)
_BUDGETS: Final = (("low", 4_000), ("medium", 8_000), ("high", 16_000), ("xhigh", 32_000))
BUDGET: Final = Reasoning(
    on={"thinking": {"type": "enabled", "budget_tokens": EFFORT}}, efforts=_BUDGETS
)
_CLAUDE_BUDGET: Final = Compat(reasoning=BUDGET, default_max_tokens=64_000)
_CLAUDE_OPUS_4: Final = Compat(
    reasoning=replace(BUDGET, efforts=_BUDGETS[:-1]), default_max_tokens=32_000
)

CLAUDE: Final = Compat(reasoning=_ADAPTIVE, default_max_tokens=64_000)
"""Claude from 4.6 on, and what is not known yet."""

CLAUDE_RULES: Final[Rules] = (
    ("*claude-3-opus*", replace(PLAIN, default_max_tokens=4_096)),
    ("*claude-3*", replace(PLAIN, default_max_tokens=8_192)),
    ("*claude*haiku*", replace(PLAIN, default_max_tokens=64_000)),
    ("*claude-opus-4-2025*", _CLAUDE_OPUS_4),
    ("*claude-opus-4-[01]*", _CLAUDE_OPUS_4),
    ("*claude-opus-4.[01]*", _CLAUDE_OPUS_4),
    ("*claude-*-4-2025*", _CLAUDE_BUDGET),
    ("*claude-*-4[-.]0*", _CLAUDE_BUDGET),
    ("*claude-*-4[-.]5*", _CLAUDE_BUDGET),
    ("*claude-*-4[-.]6*", replace(CLAUDE, reasoning=replace(_ADAPTIVE, efforts=_TO_MAX))),
    ("*claude-*", CLAUDE),
)

# GPT, in the Responses format

_GPT_5: Final = Reasoning(
    on={"reasoning": {"effort": EFFORT, "summary": "auto"}},
    unset={"reasoning": {"effort": "medium", "summary": "auto"}},
)
_GPT_5_2: Final = replace(
    _GPT_5,
    off={"reasoning": {"effort": "none"}},
    efforts=(*_LOW_TO_HIGH, ("xhigh", "xhigh")),
)

_GPT_4: Final = Compat(reasoning=NO_REASONING, encrypted_reasoning=False, cache_markers=True)


def _gpt(reasoning: Reasoning) -> Compat:
    return Compat(reasoning=reasoning, cache_markers=True)


GPT_RULES: Final[Rules] = (
    ("*gpt-3.5*", _GPT_4),
    ("*gpt-4*", _GPT_4),
    ("*gpt-5.6*", _gpt(replace(_GPT_5_2, efforts=(*_GPT_5_2.efforts, ("max", "max"))))),
    ("*gpt-5.[2-9]*", _gpt(_GPT_5_2)),
    ("*gpt-5.1*", _gpt(replace(_GPT_5_2, efforts=_LOW_TO_HIGH))),
    ("*", _gpt(_GPT_5)),
)

# Others, in the chat completions format

EFFORT_FIELD: Final = Reasoning(on={"reasoning_effort": EFFORT}, off={"reasoning_effort": "none"})
"""A single field, sent only when the user chose."""

GATEWAY: Final = Reasoning(
    on={"reasoning": {"enabled": True, "effort": EFFORT}},
    off={"reasoning": {"enabled": False}},
    unset={"reasoning": {"enabled": True, "effort": "medium"}},
    efforts=(("minimal", "minimal"), *_LOW_TO_HIGH, ("xhigh", "xhigh")),
)
"""How gateways to many vendors' models are told."""

_SWITCH: Final = {"thinking": {"type": "enabled"}}
_SWITCH_OFF: Final = {"thinking": {"type": "disabled"}}

DEEPSEEK: Final = Compat(
    echo_reasoning=True,
    reasoning=Reasoning(
        on={**_SWITCH, "reasoning_effort": EFFORT}, off=_SWITCH_OFF, unset=_SWITCH, efforts=_TO_MAX
    ),
)

KIMI: Final = Compat(
    echo_reasoning=True,
    default_max_tokens=32_000,
    reasoning=Reasoning(on={"reasoning_effort": EFFORT}, off=_SWITCH_OFF, unset=_SWITCH),
)
"""An effort and the switch exclude each other."""

KIMI_RULES: Final[Rules] = (
    (
        "*kimi-k3*",
        replace(
            KIMI,
            reasoning=Reasoning(
                on={"reasoning_effort": EFFORT},
                efforts=(("low", "low"), ("high", "high"), ("max", "max")),
            ),
        ),
    ),
    ("*", KIMI),
)

GLM: Final = Compat(reasoning=Reasoning(on=_SWITCH, off=_SWITCH_OFF))
GLM_RULES: Final[Rules] = (
    (
        "*glm-5.2*",
        Compat(
            reasoning=Reasoning(
                on={**_SWITCH, "reasoning_effort": EFFORT},
                off=_SWITCH_OFF,
                efforts=(("high", "high"), ("max", "max")),
            )
        ),
    ),
    ("*glm-4.[5-9]*", GLM),
    ("*glm-[5-9]*", GLM),
)

QWEN: Final = Compat(
    reasoning=Reasoning(
        on={"enable_thinking": True, "thinking_budget": EFFORT},
        off={"enable_thinking": False},
        efforts=_BUDGETS,
    )
)

MIMO: Final = replace(PLAIN, echo_reasoning=True)
