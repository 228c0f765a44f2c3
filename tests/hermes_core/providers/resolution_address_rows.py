"""The rows of ``test_resolution`` about what an address says of its format and key."""

from tests.hermes_core.providers.resolution_provider_rows import (
    AN,
    AN_KEY,
    CLAUDE,
    DS_KEY,
    KIMI,
    KIMI_CODE,
    on,
    stored,
)
from tests.hermes_core.providers.resolution_rows import MINE, OA_KEY, Row

ROWS_OF_ADDRESSES = [
    # Formats by address
    Row(
        "a path that ends in /anthropic speaks Messages",
        ("deepseek", "https://api.deepseek.com/anthropic", DS_KEY, "deepseek-v4-pro"),
        saved=on("deepseek", "deepseek-v4-pro", base_url="https://api.deepseek.com/anthropic"),
        file={"DEEPSEEK_API_KEY": DS_KEY},
        mode="anthropic_messages",
        auth="x-api-key",
    ),
    Row(
        "custom at api.openai.com speaks Responses",
        ("custom", "https://api.openai.com/v1", OA_KEY, "gpt-5.5"),
        saved={"base_url": "https://api.openai.com/v1", "model": "gpt-5.5"},
        file={"OPENAI_API_KEY": OA_KEY},
        mode="codex_responses",
    ),
    Row(
        "a host that only looks like api.openai.com speaks chat and gets no key of OpenAI's",
        ("custom", "https://api.openai.com.example.org/v1", "", "m"),
        saved={"base_url": "https://api.openai.com.example.org/v1", "model": "m"},
        stored=stored("openai-api", OA_KEY),
        mode="chat_completions",
    ),
    Row(
        "custom at api.anthropic.com shows the key as Anthropic wants it",
        ("custom", AN, AN_KEY, CLAUDE),
        saved={"base_url": AN, "model": CLAUDE},
        file={"ANTHROPIC_API_KEY": AN_KEY},
        mode="anthropic_messages",
        auth="x-api-key",
    ),
    Row(
        "the format that is asked for beats every rule",
        ("custom", f"{MINE}/anthropic", "", "m"),
        ask={"api_mode": "chat_completions"},
        saved={"base_url": f"{MINE}/anthropic", "model": "m", "api_mode": "codex_responses"},
        mode="chat_completions",
    ),
    Row(
        "minimax speaks Messages and shows its key as a bearer's",
        ("minimax", "https://api.minimax.io/anthropic", "mm-1", "MiniMax-M3"),
        ask={"provider": "minimax"},
        file={"MINIMAX_API_KEY": "mm-1"},
        mode="anthropic_messages",
        auth="bearer",
    ),
    Row(
        "minimax: an address without /anthropic speaks chat",
        ("minimax", "https://api.minimax.io/v1", "mm-1", "MiniMax-M3"),
        saved=on("minimax", "MiniMax-M3"),
        file={"MINIMAX_API_KEY": "mm-1", "MINIMAX_BASE_URL": "https://api.minimax.io/v1"},
        mode="chat_completions",
    ),
    Row(
        "kimi on the platform",
        ("kimi-coding", KIMI, "sk-ki-1", "kimi-k3"),
        ask={"provider": "kimi"},
        file={"KIMI_API_KEY": "sk-ki-1"},
        mode="chat_completions",
    ),
    Row(
        "kimi: a key of the coding plan goes to its address, in Messages",
        ("kimi-coding", KIMI_CODE, "sk-kimi-1", "kimi-k3"),
        ask={"provider": "moonshot"},
        file={"KIMI_API_KEY": "sk-kimi-1"},
        mode="anthropic_messages",
        auth="bearer",
        trail="keys sk-kimi-… belong",
    ),
    Row(
        "kimi: an address that was saved beats the key's",
        ("kimi-coding", KIMI, "sk-kimi-1", "kimi-k3"),
        saved=on("kimi-coding", "kimi-k3", base_url=KIMI),
        file={"KIMI_API_KEY": "sk-kimi-1"},
    ),
    Row(
        "gemini's native address means the one that speaks chat",
        (
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "AQ.gem-1",
            "gemini-3.5-flash",
        ),
        saved=on("google", "gemini-3.5-flash"),
        file={
            "GOOGLE_API_KEY": "AQ.gem-1",
            "GEMINI_BASE_URL": "https://generativelanguage.googleapis.com/v1beta",
        },
        mode="chat_completions",
    ),
    Row(
        "lmstudio: a bare host means its /v1",
        ("lmstudio", "http://10.0.0.5:1234/v1", "", "m"),
        saved=on("lmstudio", base_url="http://10.0.0.5:1234"),
    ),
    Row(
        "lmstudio: its native address means /v1",
        ("lmstudio", "http://10.0.0.5:1234/v1", "", "m"),
        saved=on("lmstudio", base_url="http://10.0.0.5:1234/api/v1/"),
    ),
    Row(
        "ollama on this machine needs nothing",
        ("ollama", "http://127.0.0.1:11434/v1", "", "qwen3"),
        saved=on("ollama", "qwen3"),
        file={"OLLAMA_API_KEY": "ol-1", "OPENAI_API_KEY": OA_KEY},
    ),
]
