"""The rows of ``test_resolution`` about where keys come from, and what ``auto`` takes."""

from hermes_core.ground.errors import NoCredentials
from tests.hermes_core.providers.resolution_provider_rows import (
    BEDROCK,
    COPILOT,
    DS,
    DS_KEY,
    on,
    stored,
)
from tests.hermes_core.providers.resolution_rows import OA_KEY, OPENROUTER, OR_KEY, Row

ROWS_OF_KEYS = [
    # Official addresses abroad, and one's own
    Row(
        "alibaba in China is the same provider",
        ("alibaba", "https://dashscope.aliyuncs.com/compatible-mode/v1", "sk-al-1", "qwen3.7-max"),
        saved=on(
            "qwen", "qwen3.7-max", base_url="https://dashscope.aliyuncs.com/compatible-mode/v1"
        ),
        file={"DASHSCOPE_API_KEY": "sk-al-1"},
    ),
    Row(
        "the coding plan has a key of its own, or the general one",
        ("alibaba-coding-plan", "https://coding-intl.dashscope.aliyuncs.com/v1", "sk-cp-1", "m"),
        saved=on("alibaba-coding-plan"),
        file={"DASHSCOPE_API_KEY": "sk-al-1", "ALIBABA_CODING_PLAN_API_KEY": "sk-cp-1"},
    ),
    Row(
        "a variable of an address is never taken for a key",
        saved=on("alibaba-coding-plan"),
        file={"ALIBABA_CODING_PLAN_BASE_URL": "https://coding.dashscope.aliyuncs.com/v1"},
        error="ALIBABA_CODING_PLAN_API_KEY or DASHSCOPE_API_KEY",
        kind=NoCredentials,
    ),
    Row(
        "nvidia on one's own server, by .env",
        ("nvidia", "https://nim.example.org/v1", "nv-1", "m"),
        saved=on("nvidia"),
        file={"NVIDIA_BASE_URL": "https://nim.example.org/v1", "NVIDIA_API_KEY": "nv-1"},
    ),
    Row(
        "a legacy service says so",
        ("qwen-oauth", "https://portal.qwen.ai/v1", "qw-1", "m"),
        saved=on("qwen-oauth"),
        stored=stored("qwen-oauth", "qw-1", "oauth"),
        trail="ended on 2026-04-15",
    ),
    Row(
        "a legacy service without a login says so too",
        saved=on("qwen-oauth"),
        error="use `alibaba`",
        kind=NoCredentials,
    ),
    # Stored keys
    Row(
        "a pasted key serves",
        ("deepseek", DS, DS_KEY, "deepseek-v4-pro"),
        ask={"provider": "deepseek"},
        stored=stored("deepseek", DS_KEY),
        trail="key: key 1 in auth.json",
    ),
    Row(
        "a variable in .env beats a pasted key",
        ("deepseek", DS, DS_KEY, "m"),
        saved=on("deepseek"),
        file={"DEEPSEEK_API_KEY": DS_KEY},
        stored=stored("deepseek", "sk-ds-pasted"),
    ),
    Row(
        "a pasted key beats an exported one",
        ("deepseek", DS, "sk-ds-pasted", "m"),
        saved=on("deepseek"),
        env={"DEEPSEEK_API_KEY": DS_KEY},
        stored=stored("deepseek", "sk-ds-pasted"),
    ),
    Row(
        "a stored key is not lent to another provider",
        saved=on("deepseek"),
        stored=stored("openrouter", OR_KEY),
        error="DEEPSEEK_API_KEY",
        kind=NoCredentials,
    ),
    # auto
    Row(
        "auto: a stored key",
        ("zai", "https://api.z.ai/api/paas/v4", "zai-1", "glm-5.2"),
        stored=stored("zai", "zai-1"),
        trail="auto: key 1 in auth.json",
    ),
    Row(
        "auto: .env beats what is stored",
        ("deepseek", DS, DS_KEY, "deepseek-v4-pro"),
        file={"DEEPSEEK_API_KEY": DS_KEY},
        stored=stored("openrouter", OR_KEY),
    ),
    Row(
        "auto: a login that was made beats a key that lies about in the shell",
        ("nous", "https://inference-api.nousresearch.com/v1", "nous-1", "m"),
        saved={"model": "m"},
        env={"OPENROUTER_API_KEY": OR_KEY},
        stored=stored("nous", "nous-1", "oauth"),
    ),
    Row(
        "auto: OpenRouter comes first",
        ("openrouter", OPENROUTER, OR_KEY, "m"),
        saved={"model": "m"},
        env={"DEEPSEEK_API_KEY": DS_KEY, "OPENROUTER_API_KEY": OR_KEY, "OPENAI_API_KEY": OA_KEY},
    ),
    Row(
        "auto: another provider's key comes before OpenAI's",
        ("deepseek", DS, DS_KEY, "m"),
        saved={"model": "m"},
        env={"DEEPSEEK_API_KEY": DS_KEY, "OPENAI_API_KEY": OA_KEY, "HF_TOKEN": "hf-1"},
    ),
    Row(
        "auto: GITHUB_TOKEN is there for other programs",
        env={"GITHUB_TOKEN": "ghp-1", "GH_TOKEN": "gho-1"},
        error="No model provider is set up",
        kind=NoCredentials,
    ),
    Row(
        "auto: a login at Copilot was made on purpose",
        ("copilot", COPILOT, "tid=1", "gpt-5.4"),
        stored=stored("copilot", "tid=1", "oauth"),
    ),
    Row(
        "auto: a local server is not looked for",
        file={"LM_API_KEY": "lm-1"},
        error="No model provider is set up: LM_API_KEY in .env is for lmstudio, which is used only",
        kind=NoCredentials,
    ),
    Row(
        "auto: a key in .env that chooses nothing is told with what to set",
        file={"AZURE_FOUNDRY_API_KEY": "az-1"},
        error="Set model.provider to azure-foundry, and model.default, in",
        kind=NoCredentials,
    ),
    Row(
        "auto: OPENAI_API_KEY alone means OpenAI",
        ("openai-api", "https://api.openai.com/v1", OA_KEY, "m"),
        saved={"model": "m"},
        file={"OPENAI_API_KEY": OA_KEY},
        trail="auto: OPENAI_API_KEY is set",
    ),
    Row(
        "auto: AWS is the last but one",
        ("bedrock", BEDROCK, "", "us.anthropic.claude-sonnet-5"),
        env={"AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": "secret-1"},
        trail="auto: AWS_ACCESS_KEY_ID is set",
    ),
]
