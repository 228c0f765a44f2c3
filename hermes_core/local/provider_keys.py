"""The keys of everything in ``config.yaml`` that names a provider, in tables."""

from dataclasses import dataclass

from hermes_core.local.setting import Key

API_MODES = ("chat_completions", "codex_responses", "anthropic_messages")
OTHER_MODES = (
    ("openai_chat", "chat_completions"),
    ("openai", "chat_completions"),
    ("responses", "codex_responses"),
    ("anthropic", "anthropic_messages"),
)
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")
STRATEGIES = ("fill_first", "round_robin")

TASKS = (
    "vision",
    "web_extract",
    "compression",
    "title_generation",
    "approval",
    "memory",
    "mcp",
    "skills_hub",
)
"""The kinds of work beside the chat that may have a model of their own."""


def _mode(text: str, *spellings: str) -> Key:
    return Key(
        "api_mode",
        "api_mode",
        "choice",
        None,
        text,
        choices=API_MODES,
        spellings=spellings,
        also=OTHER_MODES,
    )


_URL = Key(
    "base_url",
    "base_url",
    "text",
    None,
    "The endpoint's URL. `${NAME}` stands for a variable of `.env`.",
    spellings=("url", "api"),
)
_KEY = Key("api_key", "api_key", "secret", None, "Its key. Better kept in `.env`, see `key_env`.")
_KEY_ENV = Key(
    "key_env",
    "key_env",
    "text",
    None,
    "The variable that holds its key.",
    spellings=("api_key_env",),
)
_BODY = Key("extra_body", "extra_body", "data", None, "Further fields of every request.")

ENTRY_KEYS: tuple[Key, ...] = (
    Key("name", "display_name", "text", None, "What people see; in the list, its identity."),
    _URL,
    _KEY,
    _KEY_ENV,
    _mode("Its wire format; told from the URL if unset.", "transport"),
    Key("model", "model", "text", None, "The model used at first.", spellings=("default_model",)),
    Key("models", "models", "models", (), "Its models: a list, or ids with `context_length`."),
    Key(
        "context_length",
        "context_window",
        "whole number",
        None,
        "The context window of its models in tokens.",
        minimum=1024,
    ),
    Key(
        "max_tokens",
        "max_tokens",
        "whole number",
        None,
        "The limit of one answer in tokens.",
        minimum=1,
        spellings=("max_output_tokens",),
    ),
    Key(
        "stale_timeout_seconds",
        "timeout",
        "number",
        None,
        "Seconds without a byte before its answer counts as stalled.",
        minimum=1,
        maximum=86_400,
        spellings=("request_timeout_seconds",),
    ),
    Key("discover_models", "discover_models", "flag", True, "Whether it is asked for its models."),
    Key("enabled", "enabled", "flag", True, "Whether it may be chosen."),
    _BODY,
    Key("extra_headers", "extra_headers", "texts", (), "Further headers of every request."),
)

CHOICE_KEYS: tuple[Key, ...] = (
    Key("provider", "provider", "text", None, "The provider's name. Needed."),
    Key("model", "model", "text", None, "The model's id. Needed."),
    _URL,
    _KEY,
    _KEY_ENV,
    _mode("Its wire format, where the provider's is not meant."),
)

TASK_KEYS: tuple[Key, ...] = (
    Key(
        "provider",
        "provider",
        "text",
        "auto",
        "`auto`, `main` (exactly what the chat uses) or a provider's name.",
    ),
    Key("model", "model", "text", None, "The model's id."),
    _URL,
    _KEY,
    _KEY_ENV,
    _mode("Its wire format, where the provider's is not meant."),
    Key(
        "timeout",
        "timeout",
        "number",
        None,
        "Seconds that the whole call may take.",
        minimum=1,
        maximum=86_400,
    ),
    Key(
        "reasoning_effort",
        "reasoning_effort",
        "choice",
        None,
        "How much it thinks.",
        choices=EFFORTS,
    ),
    _BODY,
)

LOGIN_KEYS: tuple[Key, ...] = (
    Key("client_id", "client_id", "text", None, "The id that the service registered you under."),
    Key("client_secret", "client_secret", "secret", None, "The secret that came with it, if any."),
    Key("device_url", "device_url", "text", None, "Where a device code is asked for."),
    Key("token_url", "token_url", "text", None, "Where tokens are fetched and renewed."),
    Key("exchange_url", "exchange_url", "text", None, "Where a token is traded before its use."),
    Key("scope", "scope", "text", None, "What the login is for, as the service spells it."),
)


@dataclass(frozen=True, slots=True)
class Structure:
    """A section whose entries the user names. keys: what one entry may hold."""

    name: str
    heading: str
    text: str
    keys: tuple[Key, ...] = ()


STRUCTURES: tuple[Structure, ...] = (
    Structure(
        "providers",
        "providers.NAME",
        "Endpoints of your own, each chosen as `custom:NAME`. A name that a bundled provider has "
        "is reached as `custom:NAME` alone. The older list `custom_providers`, whose entries hold "
        "their `name`, is read too; `providers` wins.",
        ENTRY_KEYS,
    ),
    Structure(
        "fallback_providers",
        "fallback_providers",
        "A list of what is tried, in order, when the chosen model fails. An entry without provider "
        "or model is named and ignored. The older `fallback_model`, a single entry, is read too.",
        CHOICE_KEYS,
    ),
    Structure(
        "auxiliary",
        "auxiliary.TASK",
        "Models for work beside the chat. TASK is one of "
        f"{', '.join(f'`{task}`' for task in TASKS)}. `fallback_chain` is a list as in "
        "`fallback_providers`. The key of a custom endpoint has to stand here: the chat's is not "
        "lent.",
        TASK_KEYS,
    ),
    Structure(
        "credential_pool_strategies",
        "credential_pool_strategies.PROVIDER",
        "How several keys of one provider take turns: `fill_first` (the default) uses one until it "
        "is spent, `round_robin` the next one each time.",
    ),
    Structure(
        "auth",
        "auth.PROVIDER",
        "The login service that `hermes auth login PROVIDER` asks, and where its logins are "
        "renewed. Addresses are the provider's own if unset.",
        LOGIN_KEYS,
    ),
)

STRUCTURED: tuple[str, ...] = (
    *(structure.name for structure in STRUCTURES),
    "custom_providers",
    "fallback_model",
)
"""Every top-level name that ``provider_reader`` reads."""
