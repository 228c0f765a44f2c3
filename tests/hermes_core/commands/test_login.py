"""``/login``: told where to log in, and what was typed is not kept."""

from pathlib import Path

from hermes_core.commands.login import run_login
from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.config import Config

KEY = "sk-canary-typed-0123456789"


def test_it_tells_the_way(tmp_path: Path) -> None:
    config = Config(home=tmp_path)
    assert "hermes auth login PROVIDER" in run_login(config, "").text
    assert "OPENROUTER_API_KEY" in run_login(config, "or").text


def test_a_key_is_not_repeated_and_masked_from_now_on(tmp_path: Path) -> None:
    config = Config(home=tmp_path)
    for typed in (KEY, f"openrouter {KEY}", f"{KEY}\n"):
        told = run_login(config, typed).text
        assert "replace it" in told
        assert KEY not in told
    assert KEY not in REDACTOR.redact(f"key {KEY}")
    assert REDACTOR.redact("openrouter") == "openrouter"
