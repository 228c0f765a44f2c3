"""The table of ``test_resolution``: what is set, and what must come of it."""

from dataclasses import dataclass, field
from typing import Any

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.providers.credentials import Credential

OPENROUTER = "https://openrouter.ai/api/v1"
MINE = "https://llm.example.org/v1"
LOCAL = "http://127.0.0.1:8080/v1"
OR_KEY, OA_KEY, OWN_KEY, LM_KEY = "sk-or-1", "sk-oa-1", "sk-own-1", "lm-1"


@dataclass(frozen=True)
class Row:
    """One row: what is set, and the provider, address, key and model that must come of it.

    ask: the request. saved: config.yaml. file: ``.env``. env: the process environment.
    stored: what auth.json holds, by provider. mode and auth: the format and header, where a row
    is about them. trail: words of the trail. error: words of the error, in place of a result.
    """

    name: str
    want: tuple[str, str, str, str] | None = None
    ask: dict[str, str] = field(default_factory=dict)
    saved: dict[str, Any] = field(default_factory=dict)
    file: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    stored: dict[str, list[Credential]] = field(default_factory=dict)
    mode: str = ""
    auth: str = ""
    trail: str = ""
    error: str = ""
    kind: type[ConfigError] = ConfigError


ROWS_OF_CUSTOM = [
    # Nothing, and auto
    Row("nothing at all", error="hermes demo", kind=NoCredentials),
    Row(
        "auto: the first provider with a key, from .env",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "auto: the key may be in the environment",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "auto: .env beats the environment",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        env={"OPENROUTER_API_KEY": "sk-or-stale"},
    ),
    Row(
        "auto by name in the file",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"provider": "auto", "model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "auto asked for passes over what is saved",
        ("openrouter", OPENROUTER, OR_KEY, "asked"),
        ask={"provider": "auto", "model": "asked"},
        saved={"provider": "lmstudio", "model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "auto: a lone OPENAI_API_KEY is for OpenAI, and the last resort",
        ("openai-api", "https://api.openai.com/v1", OA_KEY, "m"),
        saved={"model": "m"},
        env={"OPENAI_API_KEY": OA_KEY},
        mode="codex_responses",
    ),
    Row(
        "auto: an empty key is none",
        env={"OPENROUTER_API_KEY": ""},
        error="hermes demo",
        kind=NoCredentials,
    ),
    Row(
        "auto: an endpoint in .env is the user's",
        ("custom", MINE, OA_KEY, "m"),
        saved={"model": "m"},
        file={"OPENAI_BASE_URL": MINE, "OPENAI_API_KEY": OA_KEY},
        env={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "auto: an endpoint in the environment alone is not",
        saved={"model": "m"},
        env={"OPENAI_BASE_URL": MINE},
        error="hermes demo",
        kind=NoCredentials,
    ),
    Row(
        "a saved key without a provider",
        saved={"model": "m", "api_key": OWN_KEY},
        error="model.provider",
    ),
    Row(
        "no model anywhere",
        saved={"provider": "ai-gateway"},
        env={"AI_GATEWAY_API_KEY": "sk-ag-1"},
        error="--model",
    ),
    # custom
    Row(
        "a saved endpoint needs no provider name",
        ("custom", MINE, "", "m"),
        saved={"base_url": MINE, "model": "m"},
    ),
    Row(
        "a saved endpoint with its own key",
        ("custom", MINE, OWN_KEY, "m"),
        saved={"provider": "custom", "base_url": MINE, "api_key": OWN_KEY, "model": "m"},
        env={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a saved endpoint without a key gets OPENAI_API_KEY from .env",
        ("custom", MINE, OA_KEY, "m"),
        saved={"base_url": MINE, "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a saved endpoint without a key gets OPENAI_API_KEY from the environment",
        ("custom", LOCAL, OA_KEY, "m"),
        saved={"provider": "custom", "base_url": LOCAL, "model": "m"},
        env={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a saved endpoint never gets another provider's key",
        ("custom", MINE, "", "m"),
        saved={"base_url": MINE, "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "custom without an address",
        saved={"provider": "custom", "model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
        error="model.base_url",
    ),
    Row(
        "custom asked for without an address",
        ask={"provider": "custom"},
        saved={"model": "m"},
        error="OPENAI_BASE_URL in .env",
    ),
    Row(
        "the saved endpoint beats an exported one",
        ("custom", MINE, OA_KEY, "m"),
        saved={"base_url": MINE, "model": "m"},
        env={"OPENAI_BASE_URL": "https://stale.example.org/v1", "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "the saved endpoint beats one in .env",
        ("custom", MINE, "", "m"),
        saved={"provider": "custom", "base_url": MINE, "model": "m"},
        file={"OPENAI_BASE_URL": "https://other.example.org/v1"},
    ),
    Row(
        "an exported endpoint meets no key, stored or exported",
        ("custom", MINE, "", "m"),
        saved={"provider": "custom", "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY},
        env={"OPENAI_BASE_URL": MINE, "OPENAI_API_KEY": "sk-oa-exported"},
    ),
    Row(
        "an exported endpoint meets the key that is given with the request",
        ("custom", MINE, OWN_KEY, "m"),
        ask={"api_key": OWN_KEY},
        saved={"provider": "custom", "model": "m"},
        env={"OPENAI_BASE_URL": MINE},
    ),
    Row(
        "an exported endpoint without TLS",
        saved={"provider": "custom", "model": "m"},
        env={"OPENAI_BASE_URL": "http://10.0.0.5/v1"},
        error="without TLS",
    ),
    Row(
        "a saved endpoint without TLS is the user's choice",
        ("custom", "http://10.0.0.5/v1", OWN_KEY, "m"),
        saved={"base_url": "http://10.0.0.5/v1", "api_key": OWN_KEY, "model": "m"},
    ),
    Row(
        "an address that is given",
        ("custom", MINE, "", "m"),
        ask={"base_url": MINE, "model": "m"},
    ),
    Row(
        "an address that is given beats the saved provider, whose key stays behind",
        ("custom", MINE, "", "asked"),
        ask={"base_url": MINE, "model": "asked"},
        saved={"provider": "openrouter", "api_key": OR_KEY, "model": "m"},
    ),
    Row(
        "an address that is given does not meet the key of the saved one",
        ("custom", "https://other.example.org/v1", "", "m"),
        ask={"base_url": "https://other.example.org/v1"},
        saved={"base_url": MINE, "api_key": OWN_KEY, "model": "m"},
    ),
    Row(
        "another path on the saved host meets its key",
        ("custom", "https://llm.example.org/v2", OWN_KEY, "m"),
        ask={"base_url": "https://llm.example.org/v2"},
        saved={"base_url": MINE, "api_key": OWN_KEY, "model": "m"},
    ),
    Row(
        "an address that is given gets OPENAI_API_KEY",
        ("custom", MINE, OA_KEY, "m"),
        ask={"base_url": MINE, "model": "m"},
        env={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a known provider's address gets that provider's key, not OPENAI_API_KEY",
        ("custom", OPENROUTER, OR_KEY, "m"),
        saved={"base_url": OPENROUTER, "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY, "OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "a known provider's address without its key gets none",
        ("custom", OPENROUTER, "", "m"),
        saved={"base_url": OPENROUTER, "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "what is pasted with an address is taken off",
        ("custom", MINE, "", "m"),
        saved={"base_url": f" {MINE}/chat/completions/ ", "model": "m"},
    ),
    Row(
        "an address that is none",
        saved={"base_url": "llm.example.org/v1", "model": "m"},
        error="address",
    ),
    Row(
        "an address with a key in it",
        saved={"base_url": "https://u:p@example.org", "model": "m"},
        error="model.api_key",
    ),
]
