"""What the committed table knows, and under which names."""

import json

import pytest

from hermes_core.model.facts import TABLE, known_fact


@pytest.mark.parametrize(
    ("provider", "model", "window"),
    [
        ("anthropic", "claude-sonnet-4-5", 200_000),
        ("openrouter", "anthropic/claude-sonnet-4.5", 200_000),
        ("openrouter", "anthropic/claude-sonnet-4.5:thinking", 200_000),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("openai-api", "gpt-5", 272_000),
        ("openai-api", "gpt-5-2025-08-07", 272_000),
    ],
)
def test_a_model_is_found_under_the_names_it_goes_by(
    provider: str, model: str, window: int
) -> None:
    fact = known_fact(provider, model)
    assert fact is not None
    assert fact.window == window


def test_a_provider_with_limits_of_its_own_keeps_them_to_itself() -> None:
    own = known_fact("copilot", "claude-haiku-4.5")
    other = known_fact("openrouter", "anthropic/claude-haiku-4.5")
    assert own is not None
    assert other is not None
    assert own.window < other.window


def test_what_is_not_known_is_none() -> None:
    assert known_fact("openrouter", "nobody/knows-this") is None
    assert known_fact("custom", "gpt-5", elsewhere=False) is None


def test_sounds_are_taken_where_the_models_own_provider_says_so() -> None:
    own, passed_on = (
        known_fact("gemini", "gemini-3.5-flash"),
        known_fact("nous", "gemini-3.5-flash"),
    )
    assert own is not None
    assert passed_on is not None
    assert (own.audio, passed_on.audio) == (True, False)
    assert passed_on.window == own.window
    deaf = known_fact("deepseek", "deepseek-chat")
    assert deaf is not None
    assert not deaf.audio


def test_the_table_is_whole() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    assert set(table) == {"made", "from", "models"}
    assert sum(len(rows) for rows in table["models"].values()) > 400
    for rows in table["models"].values():
        for window, answer, images, *audio in rows.values():
            assert window > 0
            assert answer >= 0
            assert images in (0, 1)
            assert audio in ([], [1])
