"""Makes hermes_core/model/windows.json, the committed table of context windows.

::

    pip download --no-deps litellm -d /tmp/table
    python -m tests.data.model_table /tmp/table/litellm-*.whl

The facts (tokens that a prompt may have, tokens of an answer, images, sounds) come from the list of
models that the package litellm (MIT) carries as data; it is read from the wheel, never installed.
Sounds stand there only for those who document them in chat completions, as plain Base64. Limits
that the list does not have are filled in from the package genai-prices (MIT), where both name the
same model. Nothing of either is used at run time for windows.
"""

import datetime as dt
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

LIST = "litellm/model_prices_and_context_window_backup.json"
TARGET = Path(__file__).parents[2] / "hermes_core" / "model" / "windows.json"

PROVIDERS = {
    "chatgpt": "openai-codex",
    "openai": "openai-api",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "dashscope": "alibaba",
    "deepseek": "deepseek",
    "zai": "zai",
    "moonshot": "kimi-coding",
    "minimax": "minimax",
    "xai": "xai",
    "xiaomi_mimo": "xiaomi",
    "github_copilot": "copilot",
    "opencode_go": "opencode-go",
    "tencent": "tencent-tokenhub",
    "mistral": "mistral",
    "meta": "meta",
}
"""The list's names of providers, and ours: the makers, and those with models of their own limits.

The last two are makers that are met through other providers.
"""

GENAI = {"kimi-coding": "moonshotai", "xai": "x-ai", "openai-api": "openai", "gemini": "google"}
KINDS = ("chat", "responses", "completion")
HEARD = frozenset({"gemini", "openai-api"})
HEARD_AT = "/v1/chat/completions"


def main(wheel: Path) -> None:
    """Write the table from ``wheel``."""
    with zipfile.ZipFile(wheel) as archive:
        rows = json.loads(archive.read(LIST))
    models: dict[str, dict[str, list[int]]] = {}
    for name, row in rows.items():
        provider = PROVIDERS.get(row.get("litellm_provider", ""))
        if provider and row.get("mode") in KINDS:
            fact = _fact(provider, _bare(name), row)
            if fact:
                models.setdefault(provider, {}).setdefault(_bare(name), fact)
    source = f"{wheel.name.split('-cp')[0]} and genai-prices, both MIT"
    made = dt.datetime.now(dt.UTC).date().isoformat()
    TARGET.write_text(_text({"made": made, "from": source}, models), encoding="utf-8")


def _bare(name: str) -> str:
    """Return a model's id without the list's prefix for its provider."""
    parts = name.split("/")
    return "/".join(parts[1:] if len(parts) > 1 and parts[0] in PROVIDERS else parts)


def _fact(provider: str, model: str, row: dict[str, Any]) -> list[int]:
    window = _number(row.get("max_input_tokens")) or _window(provider, model)
    if not window:
        return []
    images = int(bool(row.get("supports_vision")))
    return [window, _number(row.get("max_output_tokens")), images, *_audio(provider, row)]


def _audio(provider: str, row: dict[str, Any]) -> list[int]:
    """Return ``[1]`` for a model that takes sounds in chat completions, else nothing."""
    hears = row.get("supports_audio_input") or "audio" in row.get("supported_modalities", ())
    places = row.get("supported_endpoints", (HEARD_AT,))
    return [1] if hears and provider in HEARD and HEARD_AT in places else []


def _window(provider: str, model: str) -> int:
    from genai_prices.data import providers

    wanted = GENAI.get(provider, provider)
    for candidate in providers:
        if candidate.id == wanted:
            found = candidate.find_model(model)
            return _number(found.context_window) if found else 0
    return 0


def _number(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 100_000_000 else 0


def _text(head: dict[str, str], models: dict[str, dict[str, list[int]]]) -> str:
    """Return the table as JSON with each model on a line, so that a change of it can be read."""
    groups = []
    for provider in sorted(models):
        rows = [f"  {json.dumps(name)}: {fact}" for name, fact in sorted(models[provider].items())]
        groups.append(f" {json.dumps(provider)}: {{\n" + ",\n".join(rows) + "\n }")
    said = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return "{\n" + said + '"models": {\n' + ",\n".join(groups) + "\n}\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
