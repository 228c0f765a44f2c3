"""The second half of the table of ``test_resolution``."""

from hermes_core.ground.errors import NoCredentials
from tests.hermes_core.providers.resolution_fault_rows import ROWS_OF_FAULTS
from tests.hermes_core.providers.resolution_key_rows import ROWS_OF_KEYS
from tests.hermes_core.providers.resolution_named_rows import ROWS_OF_NAMED
from tests.hermes_core.providers.resolution_provider_rows import ROWS_OF_PROVIDERS
from tests.hermes_core.providers.resolution_rows import (
    LM_KEY,
    LOCAL,
    MINE,
    OA_KEY,
    OPENROUTER,
    OR_KEY,
    OWN_KEY,
    ROWS_OF_CUSTOM,
    Row,
)

ROWS_OF_OTHERS = [
    # openrouter
    Row(
        "openrouter saved, key in the file",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"provider": "openrouter", "api_key": OR_KEY, "model": "m"},
    ),
    Row(
        "the key in the file beats variables",
        ("openrouter", OPENROUTER, OWN_KEY, "m"),
        saved={"provider": "openrouter", "api_key": OWN_KEY, "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "the key that is given beats all",
        ("openrouter", OPENROUTER, "sk-given", "m"),
        ask={"api_key": "sk-given"},
        saved={"provider": "openrouter", "api_key": OWN_KEY, "model": "m"},
    ),
    Row(
        "openrouter without a key",
        saved={"provider": "openrouter", "model": "m"},
        error="OPENROUTER_API_KEY",
        kind=NoCredentials,
    ),
    Row(
        "openrouter does not take OPENAI_API_KEY",
        saved={"provider": "openrouter", "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY},
        error="OPENROUTER_API_KEY",
        kind=NoCredentials,
    ),
    Row(
        "OPENROUTER_API_KEY goes to no other host",
        saved={"provider": "openrouter", "base_url": MINE, "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "nor to another port",
        saved={"provider": "openrouter", "base_url": "https://openrouter.ai:8443/v1", "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "a proxy of one's own gets the key saved with it",
        ("openrouter", MINE, OWN_KEY, "m"),
        saved={"provider": "openrouter", "base_url": MINE, "api_key": OWN_KEY, "model": "m"},
    ),
    Row(
        "names are found in any case, and by alias",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        ask={"provider": "Open-Router"},
        saved={"model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
    ),
    # lmstudio
    Row(
        "lmstudio needs no key",
        ("lmstudio", "http://127.0.0.1:1234/v1", "", "m"),
        saved={"provider": "lmstudio", "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY, "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "lmstudio with its key",
        ("lmstudio", "http://127.0.0.1:1234/v1", LM_KEY, "m"),
        saved={"provider": "lmstudio", "model": "m"},
        env={"LM_API_KEY": LM_KEY},
    ),
    Row(
        "lmstudio on another machine, by .env",
        ("lmstudio", "http://10.0.0.5:1234/v1", LM_KEY, "m"),
        saved={"provider": "lmstudio", "model": "m"},
        file={"LM_BASE_URL": "http://10.0.0.5:1234/v1", "LM_API_KEY": LM_KEY},
    ),
    Row(
        "lmstudio where the environment says meets no key",
        ("lmstudio", "https://10.0.0.5/v1", "", "m"),
        saved={"provider": "lmstudio", "model": "m", "api_key": LM_KEY},
        env={"LM_BASE_URL": "https://10.0.0.5/v1", "LM_API_KEY": LM_KEY},
    ),
    Row(
        "lmstudio where the environment says, without TLS",
        saved={"provider": "lmstudio", "model": "m"},
        env={"LM_BASE_URL": "http://10.0.0.5:1234/v1"},
        error="without TLS",
    ),
    Row(
        "a saved address beats LM_BASE_URL",
        ("lmstudio", LOCAL, "", "m"),
        saved={"provider": "lmstudio", "base_url": LOCAL, "model": "m"},
        file={"LM_BASE_URL": "http://10.0.0.5:1234/v1"},
    ),
    # demo
    Row(
        "demo needs nothing",
        ("demo", "scripted://demo", "", "scripted-demo"),
        ask={"provider": "demo"},
    ),
    Row(
        "demo by the environment, with a model saved for nobody",
        ("demo", "scripted://demo", "", "scripted-demo"),
        saved={"model": "m"},
        env={"HERMES_INFERENCE_PROVIDER": "demo"},
    ),
    Row(
        "demo asked for beats everything saved, and takes no key along",
        ("demo", "scripted://demo", "", "scripted-demo"),
        ask={"provider": "demo"},
        saved={"provider": "openrouter", "api_key": OR_KEY, "model": "m"},
    ),
    # Precedence of the provider's name
    Row(
        "a saved provider beats HERMES_INFERENCE_PROVIDER",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"provider": "openrouter", "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        env={"HERMES_INFERENCE_PROVIDER": "demo"},
    ),
    Row(
        "a saved address beats HERMES_INFERENCE_PROVIDER",
        ("custom", MINE, "", "m"),
        saved={"base_url": MINE, "model": "m"},
        env={"HERMES_INFERENCE_PROVIDER": "demo"},
    ),
    Row(
        "HERMES_INFERENCE_PROVIDER beats auto",
        ("lmstudio", "http://127.0.0.1:1234/v1", "", "m"),
        saved={"model": "m"},
        env={"HERMES_INFERENCE_PROVIDER": "lmstudio", "OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "an unknown name is met with the nearest",
        ask={"provider": "openruter"},
        error="Did you mean openrouter",
    ),
    Row("an unknown name in the file", saved={"provider": "nobody"}, error="hermes providers"),
    Row(
        "an unknown name in the variable",
        env={"HERMES_INFERENCE_PROVIDER": "xyz"},
        error="HERMES_INFERENCE_PROVIDER",
    ),
    Row(
        "a name that is asked for does not need the saved one to be right",
        ("demo", "scripted://demo", "", "scripted-demo"),
        ask={"provider": "demo"},
        saved={"provider": "nobody"},
    ),
    # The model
    Row(
        "the model that is asked for",
        ("openrouter", OPENROUTER, OR_KEY, "asked"),
        ask={"model": "asked"},
        saved={"provider": "openrouter", "api_key": OR_KEY, "model": "m"},
    ),
    Row(
        "a model is not lent to another provider",
        ask={"provider": "lmstudio"},
        saved={"provider": "openrouter", "api_key": OR_KEY, "model": "m"},
        error="is for openrouter",
    ),
    # Keys that are none
    Row(
        "white space around a key is taken off",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"provider": "openrouter", "api_key": f" {OR_KEY}\n", "model": "m"},
    ),
    Row(
        "a key with a line break in it",
        error="characters",
        saved={"provider": "openrouter", "api_key": "sk\r\nX-Evil: 1", "model": "m"},
    ),
    Row(
        "a key with other letters in it",
        error="characters",
        saved={"provider": "openrouter", "api_key": "sk-schlüssel", "model": "m"},
    ),
]

ROWS = [
    *ROWS_OF_CUSTOM,
    *ROWS_OF_OTHERS,
    *ROWS_OF_PROVIDERS,
    *ROWS_OF_KEYS,
    *ROWS_OF_NAMED,
    *ROWS_OF_FAULTS,
]
