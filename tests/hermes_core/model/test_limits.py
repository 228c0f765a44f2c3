"""Longer answers: only our own limits are raised, and never beyond the model."""

from dataclasses import replace

import pytest

from hermes_core.ground.runtime import ApiMode, Compat, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.model.limits import widened
from hermes_core.wire.anthropic_messages import LIMIT


def runtime(mode: ApiMode = "chat_completions", usual: int | None = None) -> Runtime:
    compat = Compat(default_max_tokens=usual)
    return Runtime("custom", "some-model", mode, "http://x/v1", Secret(""), compat=compat)


@pytest.mark.parametrize(("times", "limit"), [(1, None), (2, 8_000), (4, 16_000), (32, 64_000)])
def test_a_limit_of_ours_is_raised_up_to_half_of_the_window(times: int, limit: int | None) -> None:
    assert widened(runtime(usual=4_000), times).max_output == limit


def test_what_a_model_is_known_to_answer_is_the_end() -> None:
    claude = replace(runtime("anthropic_messages"), provider="anthropic", model="claude-sonnet-4-5")
    assert widened(claude, 8).max_output == 64_000
    assert widened(claude, 2).max_output == 2 * LIMIT


def test_the_limit_of_the_user_and_of_an_endpoint_stay() -> None:
    users = replace(runtime(usual=4_000), max_output=1_000)
    assert widened(users, 4) == users
    assert widened(runtime(), 4) == runtime()


def test_a_small_window_is_no_reason_for_a_smaller_limit() -> None:
    small = replace(runtime("anthropic_messages"), context_window=8_000)
    assert widened(small, 2) == small
