"""When room is made: half of the window as a turn begins, 85 % within it and behind it."""

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.agent.compression.sizing import level
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config

CONFIG = Config(home=Path("/h"))
RUNTIME = Runtime(
    "custom", "m", "chat_completions", "http://h/v1", Secret(""), context_window=100_000
)


@pytest.mark.parametrize(("first", "expected"), [(True, 50_000), (False, 85_000)])
def test_the_levels_are_parts_of_the_window(first: bool, expected: int) -> None:
    assert level(CONFIG, RUNTIME, first=first) == expected


def test_the_answer_has_to_fit_too() -> None:
    assert level(CONFIG, replace(RUNTIME, max_output=30_000), first=False) == 70_000


def test_the_threshold_is_the_users_but_never_above_what_is_full() -> None:
    for threshold, expected in ((0.3, 30_000), (0.95, 85_000)):
        config = replace(CONFIG, compression_threshold=threshold)
        assert level(config, RUNTIME, first=True) == expected
        assert level(config, RUNTIME, first=False) == 85_000
