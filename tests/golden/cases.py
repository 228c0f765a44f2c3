"""The recorded cases of the wire formats: one table of folders for all of them.

A case is a folder ``<api_mode>/<name>``. ``messages.json`` and ``tools.json``, with what differs
from the default runtime in ``runtime.json``, give ``request.json``; the body in ``stream.txt``
gives ``result.json``. ``CONVERSATIONS`` are the same in every format. The origin ``own`` in a
message stands for the case's runtime.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast, get_args

from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message
from hermes_core.ground.reasoning import Reasoning
from hermes_core.ground.runtime import ApiMode, Compat, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.wire.fold import Fold
from hermes_core.wire.formats import Format, format_for
from hermes_core.wire.origin import origin_of
from hermes_core.wire.sse import decode

API_MODES: Final[tuple[ApiMode, ...]] = get_args(ApiMode)
FILES: Final = frozenset(
    {"messages.json", "tools.json", "request.json", "stream.txt", "result.json"}
)


@dataclass(frozen=True)
class Case:
    """One recorded case."""

    api_mode: ApiMode
    name: str

    def __str__(self) -> str:
        return f"{self.api_mode}/{self.name}"

    @property
    def folder(self) -> Path:
        return Path(__file__).parent / self.api_mode / self.name

    @property
    def wire(self) -> Format:
        return format_for(self.api_mode)

    def load(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @property
    def settings(self) -> dict[str, Any]:
        """What ``runtime.json`` says; ``stale`` in it is for the request."""
        return self.load("runtime.json") if (self.folder / "runtime.json").exists() else {}

    @property
    def runtime(self) -> Runtime:
        return runtime_of(self.api_mode, self.settings)

    @property
    def messages(self) -> list[Message]:
        messages = self.load("messages.json")
        for message in messages:
            if message.get("origin") == "own":
                message["origin"] = origin_of(self.runtime)
        return cast(list[Message], messages)

    @property
    def tools(self) -> list[dict[str, Any]]:
        return cast(list[dict[str, Any]], self.load("tools.json"))

    @property
    def stream(self) -> bytes:
        return (self.folder / "stream.txt").read_bytes()

    def request(self) -> dict[str, Any]:
        """Return the request that the code makes now."""
        stale = self.settings.get("stale", 0)
        return self.wire.to_request(self.messages, self.tools, self.runtime, stale=stale)


def runtime_of(api_mode: ApiMode, settings: dict[str, Any]) -> Runtime:
    """Return the runtime that is like the default, but for ``settings``."""
    special = {key: value for key, value in settings.items() if key != "stale"}
    compat = dict(special.pop("compat", {}))
    if "reasoning" in compat:
        reasoning = dict(compat["reasoning"])
        if "efforts" in reasoning:
            reasoning["efforts"] = tuple(map(tuple, reasoning["efforts"]))
        compat["reasoning"] = Reasoning(**reasoning)
    compat["dropped_keywords"] = frozenset(compat.get("dropped_keywords", ()))
    return Runtime(
        provider="custom",
        model="some/model",
        api_mode=api_mode,
        base_url="https://example.org/v1",
        api_key=Secret("sk-not-to-be-sent"),
        compat=Compat(**compat),
        **special,
    )


def outcome(wire: Format, body: bytes, size: int | None = None) -> dict[str, Any]:
    """Return what comes of a body that arrives in pieces of ``size`` bytes."""
    step = size or max(len(body), 1)
    pieces = (body[start : start + step] for start in range(0, len(body), step))
    fold = Fold()
    try:
        for piece in wire.parse(decode(pieces)):
            fold.add(piece)
    except HermesError as error:
        return {"error": type(error).__name__}
    usage = fold.usage
    counts = usage and [usage.input, usage.output, usage.cached, usage.reasoning]
    return {"message": fold.message(), "usage": counts}


def _found() -> Iterator[Case]:
    for api_mode in API_MODES:
        root = Path(__file__).parent / api_mode
        for folder in sorted(root.iterdir()):
            yield Case(api_mode, folder.name)


CASES: Final = tuple(_found())

CONVERSATIONS: Final = (
    "a_call",
    "a_call_without_arguments",
    "a_question",
    "a_sound_and_cache_marks",
    "a_sound_in_the_message",
    "an_image_by_address",
    "an_image_in_the_message",
    "answers_and_then_a_remark",
    "answers_to_calls",
    "blank_part_beside_an_image",
    "blank_texts",
    "broken_arguments",
    "budget_within_the_limit",
    "cache_marks",
    "cached_tokens",
    "called_developer",
    "calls_in_parallel",
    "cut_by_length",
    "declined",
    "limit_by_default",
    "lone_surrogates",
    "most_thought",
    "much_thought",
    "no_cache_marks",
    "no_images_taken",
    "no_limit",
    "no_sounds_taken",
    "no_system_prompt",
    "no_thought",
    "other_letters",
    "own_reasoning",
    "own_reasoning_as_text",
    "own_reasoning_between_calls",
    "own_reasoning_that_is_stale",
    "reasoning_between_calls",
    "reasoning_in_two_parts",
    "reasoning_is_no_text",
    "reasoning_of_another",
    "reasoning_then_a_call",
    "reasoning_then_text",
    "schema_keywords_kept",
    "schema_keywords_left_out",
    "text_and_a_call",
    "thought_after_calls_made_with",
    "thought_after_calls_made_without",
    "thought_in_the_endpoints_words",
    "thought_unless_told",
    "two_system_prompts",
)
"""The names of the cases that every format has; the others are peculiar to one."""
