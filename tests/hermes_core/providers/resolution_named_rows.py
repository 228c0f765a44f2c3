"""The rows of ``test_resolution`` about endpoints that the user named."""

from typing import Any

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.secrets import Secret
from hermes_core.local.provider_settings import NamedProvider
from tests.hermes_core.providers.resolution_provider_rows import stored
from tests.hermes_core.providers.resolution_rows import MINE, OA_KEY, OPENROUTER, OR_KEY, Row

LAB = "https://llm.lab.example/v1"
LAB_KEY = "sk-lab-1"


def named(*entries: NamedProvider, **more: str) -> dict[str, object]:
    return {"providers": entries, **more}


def lab(**more: Any) -> NamedProvider:
    return NamedProvider("lab", base_url=LAB, **more)


ROWS_OF_NAMED = [
    Row(
        "custom:NAME stays custom:NAME",
        ("custom:lab", LAB, LAB_KEY, "m"),
        saved=named(lab(api_key=Secret(LAB_KEY)), provider="custom:lab", model="m"),
        trail="provider custom:lab",
    ),
    Row(
        "its bare name will do, and comes back whole",
        ("custom:lab", LAB, "", "m"),
        ask={"provider": "LAB"},
        saved=named(lab(model="m")),
    ),
    Row(
        "its key by a variable in .env",
        ("custom:lab", LAB, LAB_KEY, "m"),
        saved=named(lab(key_env="LAB_KEY", model="m"), provider="custom:lab"),
        file={"LAB_KEY": LAB_KEY},
    ),
    Row(
        "its key by a variable that the user named and exported",
        ("custom:lab", LAB, LAB_KEY, "m"),
        saved=named(lab(key_env="LAB_KEY", model="m"), provider="custom:lab"),
        env={"LAB_KEY": LAB_KEY},
    ),
    Row(
        "its own key beats its variable",
        ("custom:lab", LAB, LAB_KEY, "m"),
        saved=named(
            lab(key_env="LAB_KEY", api_key=Secret(LAB_KEY), model="m"), provider="custom:lab"
        ),
        file={"LAB_KEY": "sk-lab-2"},
    ),
    Row(
        "it never gets OPENAI_API_KEY",
        ("custom:lab", LAB, "", "m"),
        saved=named(lab(model="m"), provider="custom:lab"),
        file={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "nor the address of OPENAI_BASE_URL",
        ("custom:lab", LAB, "", "m"),
        saved=named(lab(model="m"), provider="custom:lab"),
        file={"OPENAI_BASE_URL": MINE, "CUSTOM_BASE_URL": MINE},
    ),
    Row(
        "a stored key of its own",
        ("custom:lab", LAB, LAB_KEY, "m"),
        saved=named(lab(model="m"), provider="custom:lab"),
        stored=stored("custom:lab", LAB_KEY),
    ),
    Row(
        "its first model, where none is named",
        ("custom:lab", LAB, "", "big"),
        saved=named(lab(models=(("big", None), ("small", None))), provider="custom:lab"),
    ),
    Row(
        "the model that is saved for another is not lent to it",
        ask={"provider": "custom:lab"},
        saved=named(lab(), provider="openrouter", model="m"),
        error="is for openrouter",
    ),
    Row(
        "a name that nobody has is no plain custom",
        saved=named(lab(), provider="custom:lob", base_url=MINE, model="m"),
        error="Did you mean custom:lab?",
    ),
    Row(
        "one that is switched off is an error",
        saved=named(lab(enabled=False), provider="custom:lab", model="m"),
        error="switched off",
    ),
    Row(
        "one without an address",
        saved=named(NamedProvider("lab"), provider="custom:lab", model="m"),
        error="Set base_url in its entry",
    ),
    Row(
        "its format, where it is said",
        ("custom:lab", LAB, "", "m"),
        saved=named(lab(api_mode="anthropic_messages", model="m"), provider="custom:lab"),
        mode="anthropic_messages",
    ),
    Row(
        "its format, told from the path",
        ("custom:lab", f"{LAB}/anthropic", "", "m"),
        saved=named(
            NamedProvider("lab", base_url=f"{LAB}/anthropic", model="m"), provider="custom:lab"
        ),
        mode="anthropic_messages",
    ),
    Row(
        "plain http, since the user saved it",
        ("custom:lab", "http://10.0.0.7:8000/v1", LAB_KEY, "m"),
        saved=named(
            NamedProvider(
                "lab", base_url="http://10.0.0.7:8000/v1", api_key=Secret(LAB_KEY), model="m"
            ),
            provider="custom:lab",
        ),
    ),
    Row(
        "a variable of .env in its address",
        ("custom:lab", LAB, "", "m"),
        saved=named(
            NamedProvider("lab", base_url="https://${LAB_HOST}/v1", model="m"),
            provider="custom:lab",
        ),
        file={"LAB_HOST": "llm.lab.example"},
    ),
    Row(
        "a variable of the process environment is not put into its address",
        saved=named(
            NamedProvider("lab", base_url="https://${LAB_HOST}/v1", model="m"),
            provider="custom:lab",
        ),
        env={"LAB_HOST": "evil.example"},
        error="LAB_HOST, which is not set in",
    ),
    Row(
        "a bundled name is not shadowed",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved=named(NamedProvider("openrouter", base_url=LAB), provider="openrouter", model="m"),
        file={"OPENROUTER_API_KEY": OR_KEY},
        trail="your own endpoint of that name is custom:openrouter",
    ),
    Row(
        "and is reached by its whole identity, without the other's key",
        ("custom:openrouter", LAB, "", "m"),
        saved=named(
            NamedProvider("openrouter", base_url=LAB), provider="custom:openrouter", model="m"
        ),
        file={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "an alias may be shadowed",
        ("custom:kimi", LAB, "", "m"),
        saved=named(NamedProvider("kimi", base_url=LAB), provider="kimi", model="m"),
        file={"KIMI_API_KEY": "sk-ki-1"},
    ),
    Row(
        "a named endpoint at a known provider's host is given that provider's key",
        ("custom:mine", OPENROUTER, OR_KEY, "m"),
        saved=named(NamedProvider("mine", base_url=OPENROUTER, model="m"), provider="custom:mine"),
        file={"OPENROUTER_API_KEY": OR_KEY, "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a key named with the choice that is not there is missed by its name",
        ask={"provider": "deepseek", "key_env": "MY_DEEPSEEK"},
        saved={"model": "m"},
        error="MY_DEEPSEEK",
        kind=NoCredentials,
    ),
    Row(
        "a key named with the choice",
        ("deepseek", "https://api.deepseek.com/v1", "sk-my-1", "deepseek-v4-pro"),
        ask={"provider": "deepseek", "key_env": "MY_DEEPSEEK"},
        env={"MY_DEEPSEEK": "sk-my-1"},
        stored=stored("deepseek", "sk-ds-1"),
    ),
    Row(
        "model.key_env names the key of the saved endpoint",
        ("custom", MINE, "sk-mine-1", "m"),
        saved={"base_url": MINE, "model": "m", "key_env": "MINE_KEY"},
        env={"MINE_KEY": "sk-mine-1", "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "model.key_env stays at the host it was saved with",
        ("custom", "https://other.example.org/v1", "", "m"),
        ask={"base_url": "https://other.example.org/v1", "model": "m"},
        saved={"base_url": MINE, "model": "m", "key_env": "MINE_KEY"},
        env={"MINE_KEY": "sk-mine-1"},
    ),
]
