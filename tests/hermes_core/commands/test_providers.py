"""``providers`` and ``provider``: what is needed, what there is, where it is from."""

from pathlib import Path

from hermes_core.commands.providers import provider_rows, provider_text, providers_text
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.model.assembly import runtime_for
from hermes_core.providers.resolution import Request

KEY = "sk-or-0123456789abcdef"


def test_every_provider_says_what_it_needs(tmp_path: Path) -> None:
    rows = {row.name: row for row in provider_rows(Config(home=tmp_path), {})}
    assert len(rows) > 35
    assert all(row.needs for row in rows.values())
    assert rows["openrouter"].needs == "OPENROUTER_API_KEY, or `hermes auth login openrouter`"
    assert not rows["openrouter"].usable
    assert rows["openai-codex"].needs == "`hermes auth login openai-codex`"
    assert "AWS" in rows["bedrock"].needs
    assert "model.base_url" in rows["custom"].needs
    assert "ended" in rows["qwen-oauth"].note


def test_what_is_there_says_where_it_is_from_and_shows_no_key(tmp_path: Path) -> None:
    entry = NamedProvider("lab", base_url="https://lab.example/v1", api_key=Secret("key-of-lab"))
    config = Config(
        home=tmp_path,
        user_env={"OPENROUTER_API_KEY": KEY},
        env={"ZAI_API_KEY": "zai-0123456789abcdef"},
        providers=(entry,),
    )
    rows = {row.name: row for row in provider_rows(config, {})}
    assert rows["openrouter"].found == "OPENROUTER_API_KEY in .env"
    assert rows["zai"].found == "ZAI_API_KEY in the environment"
    assert "custom:lab" in rows["custom:lab"].found
    told = providers_text(config)
    assert told.index("`openrouter`") < told.index("Not set up")
    assert KEY not in told
    assert "key-of-lab" not in told
    assert "zai" in providers_text(config, everything=False)


def test_logins_that_others_hold_count_where_there_is_a_sign_of_them(tmp_path: Path) -> None:
    def found(**env: str) -> tuple[str, str]:
        rows = {row.name: row for row in provider_rows(Config(home=tmp_path, env=env), {})}
        return rows["bedrock"].found, rows["copilot-acp"].found

    home = str(tmp_path)
    assert found(HOME=home, PATH=home) == ("", "")
    assert found(AWS_PROFILE="work")[0] == "AWS's own credentials: AWS_PROFILE"
    program = tmp_path / "copilot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text("")
    assert found(HOME=home, PATH=home) == (
        "AWS's own credentials: ~/.aws/config",
        "the program copilot, if it is logged in",
    )


def test_a_broken_and_an_overriding_provider_are_named(tmp_path: Path) -> None:
    place = tmp_path / "plugins" / "model-providers"
    for name, code in (
        ("broken", "raise RuntimeError('oops')"),
        (
            "zai",
            "from hermes_core.providers import ProviderProfile, register_provider\n"
            "register_provider(ProviderProfile('zai', 'Mine', base_url='https://z.example'))",
        ),
    ):
        folder = place / name
        folder.mkdir(parents=True, mode=0o755)
        (folder / "plugin.yaml").write_text("api: 1\n")
        (folder / "__init__.py").write_text(code)
        (folder / "__init__.py").chmod(0o644)
    told = providers_text(Config(home=tmp_path))
    assert "oops" in told
    assert told.count("zai") >= 2


def test_the_trail_is_told(tmp_path: Path) -> None:
    config = Config(home=tmp_path, user_env={"OPENROUTER_API_KEY": KEY})
    runtime = runtime_for(Request(provider="openrouter", model="openai/gpt-5"), config)
    told = provider_text(runtime, ["`b` through `zai`"])
    assert "provider openrouter: asked for" in told
    assert "key: OPENROUTER_API_KEY in .env" in told
    assert "window 272000: built in" in told
    assert "1. `b` through `zai`" in told
    assert KEY not in told
