"""Every key of ``config.yaml`` in one table.

The reader's checks, the hints for unknown keys and ``docs/configuration.md`` are made from it.
"""

from hermes_core.ground.speeds import SPEEDS
from hermes_core.local.compression_keys import COMPRESSION_KEYS
from hermes_core.local.delegation_keys import DELEGATION_KEYS
from hermes_core.local.mcp_keys import MCP_STRUCTURE
from hermes_core.local.provider_keys import API_MODES, EFFORTS, OTHER_MODES, STRUCTURES, Structure
from hermes_core.local.sandbox_keys import SANDBOX_KEYS
from hermes_core.local.setting import Key

KEYS: tuple[Key, ...] = (
    Key(
        "model.provider",
        "provider",
        "text",
        None,
        "Which provider answers, such as `openrouter`, `anthropic`, `custom` (any compatible URL), "
        "`custom:NAME` (an entry of `providers`) or `demo` (a scripted model).",
    ),
    Key(
        "model.default",
        "model",
        "text",
        None,
        "The model's id, as the provider spells it. `model: ID` is short for it.",
        spellings=("model",),
    ),
    Key(
        "model.base_url",
        "base_url",
        "text",
        None,
        "The endpoint's URL, needed for `custom`. Plain `http` is used because you name it here.",
    ),
    Key(
        "model.api_key",
        "api_key",
        "secret",
        None,
        "The key for `model.base_url`. Better kept in `.env` under the provider's variable.",
    ),
    Key(
        "model.key_env",
        "key_env",
        "text",
        None,
        "The variable that holds that key.",
        spellings=("api_key_env",),
    ),
    Key(
        "model.api_mode",
        "api_mode",
        "choice",
        None,
        "The wire format of `model.base_url`; told from provider, model and URL if unset.",
        choices=API_MODES,
        also=OTHER_MODES,
    ),
    Key(
        "model.max_tokens",
        "max_tokens",
        "whole number",
        None,
        "The limit of one answer in tokens, for the saved provider; its own limit if unset.",
        minimum=1,
    ),
    Key(
        "model.extra_headers",
        "extra_headers",
        "texts",
        (),
        "Further headers, sent to the saved provider's endpoint alone.",
        spellings=("default_headers",),
    ),
    Key(
        "model.context_length",
        "context_window",
        "whole number",
        None,
        "The context window in tokens of `model.default`. Unset: what the provider's list or a "
        "built-in table says of the model, else 128000.",
        minimum=1024,
    ),
    Key(
        "model.input_price",
        "input_price",
        "number",
        None,
        "US dollars for a million tokens that `model.default` reads, cached ones too. With "
        "`model.output_price` it is what a session's cost is reckoned by.",
    ),
    Key(
        "model.output_price",
        "output_price",
        "number",
        None,
        "US dollars for a million tokens that `model.default` writes.",
    ),
    Key(
        "model.audio",
        "audio",
        "flag",
        None,
        "Whether `model.default` takes sounds. Unset: what the provider's list or a built-in table "
        "says of the model, else no. Only chat completions have a form for them.",
    ),
    Key(
        "agent.max_turns",
        "max_turns",
        "whole number",
        500,
        "How many model calls one prompt may take; at the limit one more sums up what was done.",
        minimum=1,
    ),
    Key(
        "agent.max_cost",
        "max_cost",
        "number",
        None,
        "US dollars that one prompt may cost, children and summaries included; the turn then stops "
        "with a summary. Calls whose price is not known do not count, which is said.",
        minimum=0.0001,
    ),
    Key(
        "agent.api_timeout",
        "api_timeout",
        "number",
        300.0,
        "Seconds without a byte from the provider before its answer counts as stalled.",
        minimum=1,
        maximum=86_400,
    ),
    Key(
        "agent.api_max_retries",
        "api_max_retries",
        "whole number",
        3,
        "How often a failed model call is tried again.",
        maximum=100,
    ),
    Key(
        "agent.reasoning_effort",
        "reasoning_effort",
        "choice",
        None,
        "How much a model thinks, as far as it can be told; its own measure if unset.",
        choices=EFFORTS,
    ),
    Key(
        "agent.speed",
        "speed",
        "choice",
        None,
        "How fast the chat's model is served, where its provider sells that: `fast` is dearer, "
        "`flex` cheaper and slower; the usual way if unset.",
        choices=SPEEDS,
    ),
    *DELEGATION_KEYS,
    Key(
        "approvals.mode",
        "mode",
        "choice",
        "default",
        "The mode that new sessions start in. `default` asks before edits and commands that are "
        "not harmless; `accept_edits` lets edits inside the workspace run; `plan` only reads.",
        choices=("default", "accept_edits", "plan"),
    ),
    Key(
        "approvals.timeout",
        "approvals_timeout",
        "number",
        None,
        "Seconds that a permission question waits for an answer, after which it counts as "
        "rejected; without end if unset.",
        minimum=1,
    ),
    Key(
        "approvals.second_opinion",
        "second_opinion",
        "flag",
        False,
        "Whether a model looks at each command, web page and MCP tool that would run without a "
        "question: that of `auxiliary.approval`, else the chat's. It may have you asked, and never "
        "spares you a question.",
    ),
    Key(
        "memory.memory_enabled",
        "memory_enabled",
        "flag",
        True,
        "Whether notes about the work are kept in `memories/MEMORY.md` and told to new sessions.",
    ),
    Key(
        "memory.user_profile_enabled",
        "user_profile_enabled",
        "flag",
        True,
        "The same for what is known of you, in `memories/USER.md`.",
    ),
    *COMPRESSION_KEYS,
    Key(
        "terminal.timeout",
        "terminal_timeout",
        "number",
        180.0,
        "Seconds that a command may run, where the call names no other limit.",
        minimum=1,
        maximum=86_400,
    ),
    Key(
        "terminal.max_output",
        "terminal_max_output",
        "whole number",
        50_000,
        "Bytes of a command's output, half from its beginning and half from its end, that the "
        "model gets; all of a longer one is kept in a file for a while, which it may read.",
        minimum=1_000,
        maximum=10_000_000,
    ),
    Key(
        "terminal.env_passthrough",
        "terminal_env_passthrough",
        "names",
        (),
        "Further environment variables that commands get, such as `[SSH_AUTH_SOCK, JAVA_HOME]`. "
        "Without it they get a short fixed list and no keys.",
    ),
    *SANDBOX_KEYS,
    Key(
        "titles.enabled",
        "titles_enabled",
        "flag",
        True,
        "Whether a model gives a session its title after its first turn, in an editor or `hermes "
        "chat`: that of `auxiliary.title_generation`, else the chat's. A scripted one makes none.",
    ),
    Key(
        "plugins.entry_points",
        "plugin_entry_points",
        "names",
        (),
        "Plugins of installed packages to load, by the names of their entry points in the group "
        "`hermes.plugins`; see [hooks.md](hooks.md). Folders in `plugins/` load without it.",
    ),
    Key(
        "bedrock.region",
        "bedrock_region",
        "text",
        None,
        "The region of `bedrock`; else `AWS_REGION`, `AWS_DEFAULT_REGION`, then `us-east-1`.",
    ),
)

SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(key.name.partition(".")[0] for key in KEYS))

VARIABLES: tuple[tuple[str, str], ...] = (
    ("HERMES_HOME", "The folder of settings and sessions; `~/.hermes` if unset. Absolute."),
    ("HERMES_INFERENCE_PROVIDER", "The provider, where `model.provider` names none."),
    (
        "OPENAI_API_KEY",
        "The key for `openai-api`, and for a `custom` endpoint of the chat that has no key of its "
        "own. [provider-list.md](provider-list.md) lists every provider's variables.",
    ),
    (
        "CUSTOM_BASE_URL",
        "The URL for `custom`, where `model.base_url` names none; `OPENAI_BASE_URL` serves too. A "
        "key is sent there only if the URL stands in `.env`.",
    ),
    (
        "HERMES_COPILOT_ACP_COMMAND",
        "The program of `copilot-acp`, `copilot` if unset; `HERMES_COPILOT_ACP_ARGS` are its "
        "arguments. Read from `.env` alone.",
    ),
    (
        "HTTPS_PROXY",
        "An HTTP proxy for encrypted endpoints; `ALL_PROXY` serves too. `NO_PROXY` lists hosts "
        "that are reached without it.",
    ),
    ("SSL_CERT_FILE", "Further certificates to trust. Read from `.env` alone."),
)

SET_FOR_COMMANDS: tuple[tuple[str, str], ...] = (
    ("HERMES_COMMAND_ID", "Set for every command that Hermes runs and all that descends from it."),
    (
        "HERMES_RESOLVING_ENVIRONMENT",
        "Set to `1` while your login shell is asked for its PATH, which happens once if the editor "
        "was started from a desktop. Shell files can skip there what is slow.",
    ),
)

_HEAD = """\
# Configuration

<!-- Made from hermes_core/local/config_keys.py by reference(). Do not edit by hand. -->

Hermes reads two files in its home folder, `$HERMES_HOME` or else `~/.hermes`. Both may be
missing.

- `config.yaml` holds settings. A value of the wrong type stops the start with the file, the line
  and the key. A key that is not known is ignored; if it looks like a known one, or is one that
  belongs into another section, a warning says so. Others may belong to another program that shares
  the folder and are left alone.
- `.env` holds keys and other variables, one `NAME=value` a line. It beats the environment that
  the editor hands on. Values are taken as they stand, without `$` expansion.

What is chosen explicitly, by an option or by the editor, beats `config.yaml`, which beats the
environment.

## Keys of config.yaml

"""

_TITLES = "| Key | Type | Default | What it does |\n|---|---|---|---|\n"

_EXAMPLE = """
```yaml
model:
  provider: custom
  default: qwen3-coder
  base_url: http://localhost:8000/v1
agent:
  max_turns: 200
approvals:
  mode: accept_edits
```
"""

_PROVIDERS = """
```yaml
model:
  provider: custom:lab
  default: qwen3-coder
providers:
  lab:
    base_url: https://llm.lab.example/v1
    key_env: LAB_KEY
fallback_providers:
  - provider: openrouter
    model: z-ai/glm-5.2
auxiliary:
  title_generation:
    provider: main
```
"""

_TYPES = {
    "secret": "text",
    "names": "list of names",
    "texts": "names with texts",
    "data": "any keys",
    "models": "list or keys",
    "flag": "true or false",
}


def reference() -> str:
    """Return the text of ``docs/configuration.md``."""
    return (
        f"{_HEAD}{_TITLES}{_rows(KEYS)}{_EXAMPLE}"
        f"\n## Providers\n{''.join(map(_structure, STRUCTURES))}{_PROVIDERS}"
        f"\n## MCP servers\n{_structure(MCP_STRUCTURE)}"
        f"\n## Variables that Hermes reads\n\n{_variables(VARIABLES)}"
        f"\n## Variables that Hermes sets\n\n{_variables(SET_FOR_COMMANDS)}"
    )


def _rows(keys: tuple[Key, ...]) -> str:
    return "".join(f"| `{k.name}` | {_type(k)} | {_default(k)} | {k.text} |\n" for k in keys)


def _structure(structure: Structure) -> str:
    head = f"\n### {structure.heading}\n\n{structure.text}\n"
    if not structure.keys:
        return head
    return f"{head}\n{_TITLES}{_rows(structure.keys)}"


def _variables(rows: tuple[tuple[str, str], ...]) -> str:
    lines = "".join(f"| `{name}` | {text} |\n" for name, text in rows)
    return f"| Variable | What it does |\n|---|---|\n{lines}"


def _type(key: Key) -> str:
    if key.choices:
        return " or ".join(f"`{choice}`" for choice in key.choices)
    return _TYPES.get(key.type, key.type)


def _default(key: Key) -> str:
    if key.default is None:
        return "none"
    if isinstance(key.default, tuple):
        return "empty"
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    return f"`{key.default:g}`" if isinstance(key.default, float) else f"`{key.default}`"
