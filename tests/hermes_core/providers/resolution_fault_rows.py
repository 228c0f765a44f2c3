"""Faults that other agents' users reported, each as a row that holds here.

The names begin with the report's place: those without a project are of NousResearch/hermes-agent.
"""

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.secrets import Secret
from hermes_core.local.provider_settings import NamedProvider
from tests.hermes_core.providers.resolution_provider_rows import AN, DS, GO, stored
from tests.hermes_core.providers.resolution_rows import LOCAL, MINE, OA_KEY, OPENROUTER, OR_KEY, Row

ALL_KEYS = {
    "OPENROUTER_API_KEY": OR_KEY,
    "ANTHROPIC_API_KEY": "sk-ant-api03-1",
    "DEEPSEEK_API_KEY": "sk-ds-1",
    "AI_GATEWAY_API_KEY": "sk-ag-1",
    "OLLAMA_API_KEY": "ol-1",
}

ROWS_OF_FAULTS = [
    Row(
        "28660: no provider's key goes to a custom host",
        ("custom", MINE, "", "m"),
        saved={"provider": "custom", "base_url": MINE, "model": "m"},
        file=ALL_KEYS,
        env=ALL_KEYS,
        stored=stored("openrouter", OR_KEY),
    ),
    Row(
        "91308: a side task's own endpoint does not get OPENAI_API_KEY",
        ("custom", MINE, "", "m"),
        ask={"provider": "custom", "base_url": MINE, "model": "m", "main": ""},
        file={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "15743: a fallback's own address is used, without the primary's key",
        ("custom", MINE, "", "m"),
        ask={"provider": "custom", "base_url": MINE, "model": "m", "main": ""},
        saved={"provider": "openrouter", "model": "x", "api_key": OR_KEY},
        file={"OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "33163: a fallback has the stored key of its own provider",
        ("deepseek", DS, "sk-ds-1", "m"),
        ask={"provider": "deepseek", "model": "m", "main": ""},
        saved={"provider": "openrouter", "model": "x"},
        stored={**stored("openrouter", OR_KEY), **stored("deepseek", "sk-ds-1")},
    ),
    Row(
        "7230: a provider without a key is an error that a chain can go on from",
        ask={"provider": "deepseek", "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        error="no key for deepseek",
        kind=NoCredentials,
    ),
    Row(
        "420: a stale OPENAI_BASE_URL does not redirect a saved provider",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"provider": "openrouter", "model": "m"},
        file={"OPENROUTER_API_KEY": OR_KEY},
        env={"OPENAI_BASE_URL": MINE},
    ),
    Row(
        "1434: a stale variable of the provider's own neither redirects nor breaks it",
        ("anthropic", AN, "sk-ant-api03-1", "m"),
        saved={"provider": "anthropic", "model": "m"},
        file={"ANTHROPIC_API_KEY": "sk-ant-api03-1"},
        env={"ANTHROPIC_BASE_URL": "https://stale.example.org"},
        trail="passed over: ANTHROPIC_BASE_URL in the environment",
    ),
    Row(
        "116053: a Gemini key of a new shape stays with Gemini",
        (
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "AQ.gem-1",
            "gemini-3.1-pro-preview",
        ),
        ask={"provider": "gemini"},
        file={"GEMINI_API_KEY": "AQ.gem-1"},
    ),
    Row(
        "54147: a format saved for one model is not used for the next",
        ("opencode-go", GO, "sk-go-1", "kimi-k3"),
        saved={
            "provider": "opencode-go",
            "model": "kimi-k3",
            "api_mode": "anthropic_messages",
        },
        file={"OPENCODE_GO_API_KEY": "sk-go-1"},
        mode="chat_completions",
    ),
    Row(
        "54147 again: nor for another address",
        ("custom", MINE, "", "m"),
        ask={"base_url": MINE, "model": "m"},
        saved={"base_url": LOCAL, "model": "m", "api_mode": "codex_responses"},
        mode="chat_completions",
    ),
    Row(
        "39753: a model of another vendor's name stays with the custom endpoint",
        ("custom", MINE, "", "anthropic/claude-sonnet-5"),
        saved={"provider": "custom", "base_url": MINE, "model": "anthropic/claude-sonnet-5"},
        file=ALL_KEYS,
        mode="chat_completions",
    ),
    Row(
        "3846: auto honours the local endpoint that is saved",
        ("custom", LOCAL, "", "m"),
        saved={"provider": "auto", "base_url": LOCAL, "model": "m"},
        file=ALL_KEYS,
    ),
    Row(
        "29285: auto takes a login before an exported key",
        ("anthropic", AN, "sk-ant-oat01-1", "m"),
        saved={"model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
        stored=stored("anthropic", "sk-ant-oat01-1", "oauth"),
    ),
    Row(
        "102384: a bare custom finds its name again by its address",
        ("custom:lab", MINE, "sk-lab-1", "m"),
        saved={
            "provider": "custom",
            "base_url": f"{MINE}/",
            "model": "m",
            "providers": (NamedProvider("lab", base_url=MINE, api_key=Secret("sk-lab-1")),),
        },
    ),
    Row(
        "101130: so does one that is restored with its address",
        ("custom:lab", MINE, "sk-lab-1", "m"),
        ask={"provider": "custom", "base_url": MINE, "model": "m"},
        saved={"providers": (NamedProvider("lab", base_url=MINE, api_key=Secret("sk-lab-1")),)},
    ),
    Row(
        "13489: two names at one address are not guessed between",
        ("custom", MINE, "", "m"),
        ask={"provider": "custom", "base_url": MINE, "model": "m"},
        saved={
            "providers": (
                NamedProvider("a", base_url=MINE, api_key=Secret("sk-a-1")),
                NamedProvider("b", base_url=MINE, api_key=Secret("sk-b-1")),
            )
        },
    ),
    Row(
        "47714: a chosen name beats the saved one",
        ("custom:b", "https://b.example/v1", "sk-b-1", "m"),
        ask={"provider": "custom:b", "model": "m"},
        saved={
            "provider": "custom:a",
            "providers": (
                NamedProvider("a", base_url=MINE, api_key=Secret("sk-a-1")),
                NamedProvider("b", base_url="https://b.example/v1", api_key=Secret("sk-b-1")),
            ),
        },
    ),
    Row(
        "90088: an unknown name does not become plain custom",
        ask={"provider": "custom:gone", "model": "m"},
        saved={"base_url": MINE},
        error="no provider 'custom:gone'",
    ),
    Row(
        "a stale OLLAMA_BASE_URL does not send the cloud's key to a machine of the network",
        ("ollama-cloud", "https://ollama.com/v1", "ol-1", "m"),
        saved={"provider": "ollama-cloud", "model": "m"},
        file={"OLLAMA_API_KEY": "ol-1"},
        env={"OLLAMA_BASE_URL": "http://10.0.0.9:11434"},
    ),
    Row(
        "nor does one in .env: that key is bound",
        saved={"provider": "ollama-cloud", "model": "m"},
        file={"OLLAMA_API_KEY": "ol-1", "OLLAMA_BASE_URL": "http://10.0.0.9:11434/v1"},
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "AI_GATEWAY_API_KEY goes to its own host alone",
        saved={"provider": "ai-gateway", "base_url": MINE, "model": "m"},
        file={"AI_GATEWAY_API_KEY": "sk-ag-1"},
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "aider 3041: a provider's prefix in a model's id chooses no provider",
        ("openrouter", OPENROUTER, OR_KEY, "openai/gpt-5.5"),
        saved={"model": "openai/gpt-5.5"},
        file={"OPENROUTER_API_KEY": OR_KEY, "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "a project's environment cannot bring an address to an exported key",
        ("deepseek", DS, "sk-ds-1", "m"),
        saved={"model": "m"},
        env={"DEEPSEEK_API_KEY": "sk-ds-1", "DEEPSEEK_BASE_URL": "https://evil.example/v1"},
    ),
    Row(
        "a project's environment cannot bring an address for Azure",
        saved={"provider": "azure-foundry", "model": "m"},
        file={"AZURE_FOUNDRY_API_KEY": "az-1"},
        env={"AZURE_FOUNDRY_BASE_URL": "https://evil.example"},
        error="Put it into",
        kind=NoCredentials,
    ),
    Row(
        "OPENAI_API_KEY does not go to a known host by way of another port",
        ("custom", "https://openrouter.ai:8443/v1", "", "m"),
        saved={"base_url": "https://openrouter.ai:8443/v1", "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY, "OPENROUTER_API_KEY": OR_KEY},
    ),
    Row(
        "nor without TLS",
        ("custom", "http://api.deepseek.com/v1", "", "m"),
        saved={"base_url": "http://api.deepseek.com/v1", "model": "m"},
        file={"OPENAI_API_KEY": OA_KEY, "DEEPSEEK_API_KEY": "sk-ds-1"},
    ),
    Row(
        "a vendor's prefix that the vendor itself does not know is taken off",
        (
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "gem-1",
            "gemini-3.5-flash",
        ),
        ask={"provider": "gemini", "model": "google/gemini-3.5-flash"},
        file={"GEMINI_API_KEY": "gem-1"},
    ),
    Row(
        "a login serves the provider that was chosen, not whoever is pointed at its host",
        saved={"provider": "zai", "model": "m", "base_url": "https://api.minimaxi.com/v1"},
        stored=stored("minimax-oauth", "mm-login", "oauth"),
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "a placeholder is no key",
        saved={"provider": "deepseek", "model": "m"},
        file={"DEEPSEEK_API_KEY": "your-api-key"},
        error="placeholder",
    ),
]
