"""The rows of ``test_resolution`` about bundled providers: modes, headers, logins, ``auto``."""

from typing import Literal

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.secrets import Secret
from hermes_core.providers.credentials import Credential
from tests.hermes_core.providers.resolution_rows import MINE, OA_KEY, Row

AN = "https://api.anthropic.com"
AN_KEY, AN_LOGIN = "sk-ant-api03-1", "sk-ant-oat01-1"
DS, DS_KEY = "https://api.deepseek.com/v1", "sk-ds-1"
KIMI, KIMI_CODE = "https://api.moonshot.ai/v1", "https://api.kimi.com/coding"
ZEN, GO = "https://opencode.ai/zen/v1", "https://opencode.ai/zen/go/v1"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com"
COPILOT = "https://api.githubcopilot.com"
AZURE = "https://mine.services.ai.azure.com"
CLAUDE = "claude-sonnet-5"


def stored(
    provider: str, token: str, kind: Literal["api_key", "oauth"] = "api_key", url: str | None = None
) -> dict[str, list[Credential]]:
    source = "login in auth.json" if kind == "oauth" else "key 1 in auth.json"
    ident = f"{provider}:oauth" if kind == "oauth" else f"{provider}#1"
    return {provider: [Credential(provider, kind, Secret(token), source, ident, base_url=url)]}


def on(provider: str, model: str = "m", **more: str) -> dict[str, str]:
    return {"provider": provider, "model": model, **more}


ROWS_OF_PROVIDERS = [
    # anthropic
    Row(
        "anthropic: an API key has a header of its own",
        ("anthropic", AN, AN_KEY, CLAUDE),
        saved=on("anthropic", CLAUDE),
        file={"ANTHROPIC_API_KEY": AN_KEY},
        mode="anthropic_messages",
        auth="x-api-key",
    ),
    Row(
        "anthropic: a token in .env is shown as a bearer's",
        ("anthropic", AN, AN_LOGIN, CLAUDE),
        saved=on("claude", CLAUDE),
        file={"ANTHROPIC_TOKEN": AN_LOGIN},
        auth="bearer",
    ),
    Row(
        "anthropic: CLAUDE_CODE_OAUTH_TOKEN counts as well",
        ("anthropic", AN, AN_LOGIN, CLAUDE),
        saved=on("anthropic", CLAUDE),
        env={"CLAUDE_CODE_OAUTH_TOKEN": AN_LOGIN},
        auth="bearer",
    ),
    Row(
        "anthropic: a login that renews beats a token copied into the environment",
        ("anthropic", AN, "sk-ant-oat01-fresh", CLAUDE),
        saved=on("anthropic", CLAUDE),
        env={"ANTHROPIC_TOKEN": AN_LOGIN, "CLAUDE_CODE_OAUTH_TOKEN": AN_LOGIN},
        stored=stored("anthropic", "sk-ant-oat01-fresh", "oauth"),
        auth="bearer",
        trail="key: login in auth.json",
    ),
    Row(
        "anthropic: a token in .env is an override that counts",
        ("anthropic", AN, AN_LOGIN, CLAUDE),
        saved=on("anthropic", CLAUDE),
        file={"ANTHROPIC_TOKEN": AN_LOGIN},
        stored=stored("anthropic", "sk-ant-oat01-fresh", "oauth"),
        trail="key: ANTHROPIC_TOKEN in .env",
    ),
    Row(
        "anthropic: what is given beats a login",
        ("anthropic", AN, AN_KEY, CLAUDE),
        ask={"api_key": AN_KEY},
        saved=on("anthropic", CLAUDE),
        stored=stored("anthropic", AN_LOGIN, "oauth"),
        auth="x-api-key",
    ),
    Row(
        "anthropic without anything names its variables and the command",
        saved=on("anthropic", CLAUDE),
        error="ANTHROPIC_API_KEY or ANTHROPIC_TOKEN or CLAUDE_CODE_OAUTH_TOKEN",
        kind=NoCredentials,
    ),
    Row(
        "anthropic: a proxy of the user's in .env gets the key of .env",
        ("anthropic", "https://proxy.example.org", AN_KEY, CLAUDE),
        saved=on("anthropic", CLAUDE),
        file={"ANTHROPIC_BASE_URL": "https://proxy.example.org", "ANTHROPIC_API_KEY": AN_KEY},
        mode="anthropic_messages",
        auth="x-api-key",
    ),
    Row(
        "anthropic: a proxy of the user's does not get a login",
        saved=on("anthropic", CLAUDE),
        file={"ANTHROPIC_BASE_URL": "https://proxy.example.org"},
        stored=stored("anthropic", AN_LOGIN, "oauth"),
        error="no key for anthropic",
        kind=NoCredentials,
    ),
    # openai, codex, xai
    Row(
        "openai speaks Responses",
        ("openai-api", "https://api.openai.com/v1", OA_KEY, "gpt-5.5"),
        saved=on("openai", "gpt-5.5"),
        file={"OPENAI_API_KEY": OA_KEY},
        mode="codex_responses",
        auth="bearer",
    ),
    Row(
        "openai: its key is bound, whatever address stands in .env",
        saved=on("openai-api"),
        file={"OPENAI_API_KEY": OA_KEY, "OPENAI_BASE_URL": MINE},
        error="own host alone",
        kind=NoCredentials,
    ),
    Row(
        "openai: the saved format counts",
        ("openai-api", "https://api.openai.com/v1", OA_KEY, "m"),
        saved=on("openai-api", api_mode="chat_completions"),
        file={"OPENAI_API_KEY": OA_KEY},
        mode="chat_completions",
    ),
    Row(
        "codex uses its login",
        ("openai-codex", "https://chatgpt.com/backend-api/codex", "eyJ-login", "gpt-5.6-sol"),
        ask={"provider": "codex"},
        stored=stored("openai-codex", "eyJ-login", "oauth"),
        mode="codex_responses",
        auth="bearer",
    ),
    Row(
        "codex without a login names the command",
        ask={"provider": "openai-codex"},
        file={"OPENAI_API_KEY": OA_KEY},
        error="Run `hermes auth login openai-codex`",
        kind=NoCredentials,
    ),
    Row(
        "xai speaks Responses",
        ("xai", "https://api.x.ai/v1", "xai-1", "grok-4.5"),
        ask={"provider": "grok", "model": "grok-4.5"},
        env={"XAI_API_KEY": "xai-1"},
        mode="codex_responses",
    ),
    # Several formats by model
    Row(
        "copilot: a new GPT speaks Responses",
        ("copilot", COPILOT, "gho-1", "gpt-5.4"),
        saved=on("copilot", "gpt-5.4"),
        file={"GH_TOKEN": "gho-1"},
        mode="codex_responses",
    ),
    Row(
        "copilot: gpt-5-mini speaks chat",
        ("copilot", COPILOT, "gho-1", "gpt-5-mini"),
        saved=on("github-copilot", "gpt-5-mini"),
        env={"GITHUB_TOKEN": "gho-1"},
        mode="chat_completions",
    ),
    Row(
        "copilot: others speak chat, and a saved format does not count",
        ("copilot", COPILOT, "gho-1", "claude-sonnet-4.6"),
        saved=on("copilot", "claude-sonnet-4.6", api_mode="codex_responses"),
        file={"COPILOT_GITHUB_TOKEN": "gho-1", "GH_TOKEN": "gho-2"},
        mode="chat_completions",
    ),
    Row(
        "copilot: the address that the exchanged token names",
        ("copilot", "https://api.business.githubcopilot.com", "tid=1", "gpt-5.4"),
        saved=on("copilot", "gpt-5.4"),
        stored=stored("copilot", "tid=1", "oauth", "https://api.business.githubcopilot.com"),
        trail="what the login names",
    ),
    Row(
        "copilot: not an address elsewhere that a login names",
        ("copilot", COPILOT, "tid=1", "gpt-5.4"),
        saved=on("copilot", "gpt-5.4"),
        stored=stored("copilot", "tid=1", "oauth", "https://githubcopilot.com.example.org"),
    ),
    Row(
        "copilot's own program needs no key",
        ("copilot-acp", "acp://copilot", "", "copilot-acp"),
        ask={"provider": "copilot-acp"},
        file={"GH_TOKEN": "gho-1"},
        auth="process",
    ),
    Row(
        "zen: Claude speaks Messages",
        ("opencode-zen", ZEN, "sk-zen-1", CLAUDE),
        saved=on("opencode", CLAUDE),
        file={"OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="anthropic_messages",
        auth="x-api-key",
    ),
    Row(
        "zen: GPT speaks Responses",
        ("opencode-zen", ZEN, "sk-zen-1", "gpt-5.5"),
        saved=on("zen", "gpt-5.5"),
        file={"OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="codex_responses",
        auth="bearer",
    ),
    Row(
        "zen: Qwen speaks Messages",
        ("opencode-zen", ZEN, "sk-zen-1", "qwen3.7-max"),
        saved=on("zen", "qwen3.7-max"),
        file={"OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="anthropic_messages",
    ),
    Row(
        "zen: others speak chat",
        ("opencode-zen", ZEN, "sk-zen-1", "kimi-k2.6"),
        saved=on("zen", "kimi-k2.6"),
        file={"OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="chat_completions",
    ),
    Row(
        "go: MiniMax speaks Messages, and the key of Zen is another",
        ("opencode-go", GO, "sk-go-1", "minimax-m3"),
        saved=on("opencode-go", "minimax-m3"),
        file={"OPENCODE_GO_API_KEY": "sk-go-1", "OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="anthropic_messages",
    ),
    Row(
        "custom at the address of Go is given Go's key, not Zen's",
        ("custom", GO, "sk-go-1", "kimi-k3"),
        saved={"base_url": GO, "model": "kimi-k3"},
        file={"OPENCODE_GO_API_KEY": "sk-go-1", "OPENCODE_ZEN_API_KEY": "sk-zen-1"},
        mode="chat_completions",
    ),
    Row(
        "bedrock: Claude speaks Messages, signed",
        ("bedrock", BEDROCK, "", "us.anthropic.claude-sonnet-5"),
        saved=on("bedrock", "us.anthropic.claude-sonnet-5"),
        mode="anthropic_messages",
        auth="aws",
    ),
    Row(
        "bedrock: with a key of its own there is no signature",
        ("bedrock", BEDROCK, "bedrock-1", "anthropic.claude-opus-4-8"),
        saved=on("aws", "anthropic.claude-opus-4-8"),
        env={"AWS_BEARER_TOKEN_BEDROCK": "bedrock-1"},
        auth="bearer",
    ),
    Row(
        "bedrock: OpenAI's models speak chat on a path of their own",
        ("bedrock", f"{BEDROCK}/openai/v1", "bedrock-1", "openai.gpt-oss-120b-1:0"),
        saved=on("bedrock", "openai.gpt-oss-120b-1:0"),
        file={"AWS_BEARER_TOKEN_BEDROCK": "bedrock-1"},
        mode="chat_completions",
    ),
    Row(
        "bedrock: the region of the environment",
        ("bedrock", BEDROCK.replace("us-east-1", "eu-west-1"), "", "eu.anthropic.claude-sonnet-5"),
        saved=on("bedrock", "eu.anthropic.claude-sonnet-5"),
        env={"AWS_REGION": "eu-west-1"},
    ),
    Row(
        "bedrock: the region of the file beats that of the environment",
        ("bedrock", BEDROCK.replace("us-east-1", "eu-north-1"), "", "eu.anthropic.claude-sonnet-5"),
        saved=on("bedrock", "eu.anthropic.claude-sonnet-5", bedrock_region="eu-north-1"),
        env={"AWS_REGION": "eu-west-1"},
    ),
    Row(
        "bedrock: a region cannot be another host",
        saved=on("bedrock", "us.anthropic.claude-sonnet-5"),
        env={"AWS_REGION": "evil.example/"},
        error="is no AWS region",
    ),
    Row(
        "bedrock: the pair of keys in .env",
        ("bedrock", BEDROCK, "AKIA1:secret-1", "us.anthropic.claude-sonnet-5"),
        saved=on("bedrock", "us.anthropic.claude-sonnet-5"),
        file={"AWS_ACCESS_KEY_ID": "AKIA1", "AWS_SECRET_ACCESS_KEY": "secret-1"},
        auth="aws",
    ),
    Row(
        "bedrock: what speaks Converse alone is refused by name",
        saved=on("bedrock", "us.amazon.nova-pro-v1:0"),
        error="us.amazon.nova-pro-v1:0 through Converse alone",
    ),
    Row(
        "azure needs an address",
        saved=on("azure"),
        file={"AZURE_FOUNDRY_API_KEY": "az-1"},
        error="AZURE_FOUNDRY_BASE_URL in .env",
    ),
    Row(
        "azure: a new GPT speaks Responses",
        ("azure-foundry", f"{AZURE}/openai/v1", "az-1", "gpt-5.4"),
        saved=on("azure", "gpt-5.4"),
        file={"AZURE_FOUNDRY_API_KEY": "az-1", "AZURE_FOUNDRY_BASE_URL": f"{AZURE}/openai/v1"},
        mode="codex_responses",
    ),
    Row(
        "azure: the path tells Messages",
        ("azure-foundry", f"{AZURE}/anthropic", "az-1", "my-deployment"),
        saved=on("azure", "my-deployment", base_url=f"{AZURE}/anthropic"),
        file={"AZURE_FOUNDRY_API_KEY": "az-1"},
        mode="anthropic_messages",
        auth="bearer",
    ),
    Row(
        "azure: deployments are named by the user, so the saved format wins",
        ("azure-foundry", f"{AZURE}/openai/v1", "az-1", "gpt-5.4"),
        saved=on("azure", "gpt-5.4", base_url=f"{AZURE}/openai/v1", api_mode="chat_completions"),
        env={"AZURE_FOUNDRY_API_KEY": "az-1"},
        mode="chat_completions",
    ),
]
