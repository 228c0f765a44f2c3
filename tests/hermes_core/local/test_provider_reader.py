from pathlib import Path

import pytest

from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import Config, load_config
from hermes_core.local.provider_settings import AuxiliaryTask, Choice, LoginSettings, NamedProvider


def load(home: Path, text: str, **env: str) -> Config:
    (home / "config.yaml").write_text(text)
    return load_config({"HERMES_HOME": str(home), "HOME": str(home), **env})


def test_a_named_provider_with_everything(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
providers:
  lab:
    name: The lab
    base_url: https://llm.lab.example/v1
    api_key: sk-lab-1
    key_env: LAB_KEY
    api_mode: anthropic_messages
    model: big
    models:
      big: {context_length: 200000}
      small:
      odd: {context_length: many}
    context_length: 32000
    max_tokens: 4000
    stale_timeout_seconds: 900
    discover_models: false
    enabled: false
    extra_body: {top_k: 20}
    extra_headers: {X-Team: blue}
""",
    )
    assert config.warnings == ()
    assert config.providers == (
        NamedProvider(
            name="lab",
            display_name="The lab",
            base_url="https://llm.lab.example/v1",
            api_key=Secret("sk-lab-1"),
            key_env="LAB_KEY",
            api_mode="anthropic_messages",
            model="big",
            models=(("big", 200000), ("small", None), ("odd", None)),
            context_window=32000,
            max_tokens=4000,
            timeout=900.0,
            discover_models=False,
            enabled=False,
            extra_body={"top_k": 20},
            extra_headers=(("X-Team", "blue"),),
        ),
    )


@pytest.mark.parametrize(
    ("entry", "field", "value"),
    [
        ("url: https://a.example", "base_url", "https://a.example"),
        ("api: https://a.example", "base_url", "https://a.example"),
        ("baseUrl: https://a.example", "base_url", "https://a.example"),
        ("api_key_env: LAB", "key_env", "LAB"),
        ("apiKeyEnv: LAB", "key_env", "LAB"),
        ("transport: openai_chat", "api_mode", "chat_completions"),
        ("transport: codex_responses", "api_mode", "codex_responses"),
        ("default_model: m", "model", "m"),
        ("max_output_tokens: 7", "max_tokens", 7),
        ("request_timeout_seconds: 7", "timeout", 7.0),
        ("models: [a, b]", "models", (("a", None), ("b", None))),
    ],
)
def test_other_spellings_are_read(tmp_path: Path, entry: str, field: str, value: object) -> None:
    config = load(tmp_path, f"providers:\n  lab:\n    {entry}\n")
    assert config.warnings == ()
    assert getattr(config.providers[0], field) == value


def test_the_older_list_is_read_and_the_newer_keys_win(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
custom_providers:
  - {name: lab, base_url: https://old.example}
  - {name: Shed, base_url: https://shed.example, model: m}
providers:
  Lab: {base_url: https://new.example}
""",
    )
    found = [(entry.name, entry.base_url) for entry in config.providers]
    assert found == [("Lab", "https://new.example"), ("Shed", "https://shed.example")]


def test_fallbacks_keep_their_order_and_name_a_pair_once(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
fallback_providers:
  - {provider: openrouter, model: a}
  - {provider: custom, model: b, base_url: https://b.example, api_key: sk-b, key_env: B}
  - {provider: OpenRouter, model: a}
fallback_model: {provider: deepseek, model: c, api_mode: chat_completions}
""",
    )
    assert config.warnings == ()
    assert config.fallback_providers == (
        Choice("openrouter", "a"),
        Choice("custom", "b", "https://b.example", Secret("sk-b"), "B"),
        Choice("deepseek", "c", api_mode="chat_completions"),
    )


def test_auxiliary_tasks(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
auxiliary:
  title_generation:
    provider: deepseek
    model: deepseek-chat
    timeout: 20
    reasoning_effort: low
    extra_body: {a: 1}
    fallback_chain: [{provider: main, model: x}, {provider: y}]
  vision:
  goal_judge: {provider: x}
""",
    )
    assert config.auxiliary == {
        "title_generation": AuxiliaryTask(
            "deepseek",
            "deepseek-chat",
            timeout=20.0,
            reasoning_effort="low",
            extra_body={"a": 1},
            fallback_chain=(Choice("main", "x"),),
        ),
        "vision": AuxiliaryTask(),
    }
    assert len(config.warnings) == 1
    assert (
        "entry 2 of 'auxiliary.title_generation.fallback_chain' has no model"
        in (config.warnings[0])
    )


def test_pool_strategies(tmp_path: Path) -> None:
    text = "credential_pool_strategies:\n  OpenRouter: round_robin\n  zai: least_used\n"
    config = load(tmp_path, text)
    assert config.credential_pool_strategies == {"openrouter": "round_robin", "zai": "fill_first"}
    assert "unknown value 'least_used'" in config.warnings[0]


def test_login_services(tmp_path: Path) -> None:
    text = "auth:\n  Nous: {client_id: ' mine ', client_secret: canary-login-1, scope: }\n"
    config = load(tmp_path, text)
    assert config.auth == {"nous": LoginSettings("mine", Secret("canary-login-1"))}
    assert config.warnings == ()
    assert REDACTOR.redact("<canary-login-1>") == f"<{MASK}>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("auth: [nous]\n", ":1: 'auth' must hold keys, not a list"),
        ("auth:\n  nous: {client_id: 7}\n", ":2: auth.nous.client_id must be text"),
        ("custom_providers:\n  lab: {base_url: x}\n", ":1: 'custom_providers' must be a list"),
        ("custom_providers:\n  - {base_url: x}\n", ":1: an entry of 'custom_providers' without"),
        ("providers:\n  lab: 5\n", ":2: an entry of 'providers' without name or keys"),
        ("providers: [lab]\n", ":1: 'providers' must hold keys, not a list"),
        ("fallback_providers:\n- {model: m}\n", ":1: entry 1 of 'fallback_providers' has no prov"),
        ("fallback_providers:\n- main\n", "has no provider and no model, and is ignored"),
        ("fallback_model: {provider: x}\n", "entry 1 of 'fallback_model' has no model"),
        ("fallback_model: x\n", "'fallback_model' must be a list, not 'x'"),
        ("auxiliary:\n  visoin: {}\n", ":2: unknown key 'auxiliary.visoin' - did you mean 'vi"),
        ("auxilary:\n  vision: {}\n", "did you mean 'auxiliary'"),
        ("providers:\n  lab:\n    base_url: 5\n", ":3: providers.lab.base_url must be text"),
        ("providers:\n  lab:\n    api_key: [hunter22]\n", "must be text, not another type"),
        ("providers:\n  lab:\n    enabled: maybe\n", "must be true or false"),
        ("providers:\n  lab:\n    extra_body: 1\n", "must hold keys, not 1; it is ignored"),
        ("providers:\n  lab:\n    extra_headers: {A: 1}\n", "must hold names with texts"),
        ('providers:\n  lab:\n    extra_headers: {A: "b\\r\\n"}\n', "that no header has"),
        ("providers:\n  lab:\n    models: 3\n", "must be a list of names, not 3"),
        ("providers:\n  lab:\n    max_tokens: 0\n", "must be from 1"),
        ("providers:\n  lab: {}\n  lab: {}\n", "'providers.lab' stands twice"),
    ],
)
def test_what_is_odd_is_named_and_left_out(tmp_path: Path, text: str, words: str) -> None:
    config = load(tmp_path, text)
    assert len(config.warnings) == 1
    assert words in config.warnings[0]
    assert "hunter22" not in config.warnings[0]
    assert config.fallback_providers == ()
    assert all(entry == NamedProvider(entry.name) for entry in config.providers)


def test_other_programs_keys_are_left_alone_silently(tmp_path: Path) -> None:
    text = "providers:\n  lab: {rate_limit_delay: 3, ssl_verify: true}\nauxiliary: {curator: {}}\n"
    assert load(tmp_path, text).warnings == ()


def test_every_key_is_masked_from_then_on(tmp_path: Path) -> None:
    load(
        tmp_path,
        """
model: {extra_headers: {Authorization: Bearer canary-header-1}}
providers: {lab: {api_key: canary-entry-1, key_env: LAB_WORD}}
fallback_providers: [{provider: a, model: b, api_key: canary-fallback-1, key_env: CHAIN_WORD}]
auxiliary:
  vision: {api_key: canary-task-1, fallback_chain: [{provider: a, model: b, api_key: canary-in-1}]}
""",
        LAB_WORD="canary-variable-1",
        CHAIN_WORD="canary-chained-1",
    )
    names = ("header-1", "entry-1", "fallback-1", "task-1", "in-1", "variable-1", "chained-1")
    for name in names:
        assert REDACTOR.redact(f"<canary-{name}>") == f"<{MASK}>"
