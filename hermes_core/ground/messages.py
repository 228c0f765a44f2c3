"""The conversation's messages, in the OpenAI role/content/tool_calls shape.

The same dictionaries are what the loop holds, what the store keeps and what the
chat_completions wire sends (minus the keys that only we read).
"""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict

Role = Literal["system", "user", "assistant", "tool"]

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
"""Why a turn ended, in the words of the Agent Client Protocol."""


class FunctionCall(TypedDict):
    """Name and raw JSON text of one requested function call."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    """One tool call of an assistant message; ``id`` is unique within its session.

    ``extra_content`` is what the provider wants back with the call, opaque like its reasoning.
    """

    id: str
    type: Literal["function"]
    function: FunctionCall
    extra_content: NotRequired[Any]


class ImageUrl(TypedDict):
    """An image by URL; local images are ``data:`` URLs."""

    url: str


class Sound(TypedDict):
    """A sound in Base64, and its format: ``wav`` or ``mp3``."""

    data: str
    format: str


class Part(TypedDict, total=False):
    """One part of a message of the user or of a tool: text, an image, or a sound.

    attachment: the name of what was put beside the message, where the text is no word of the
    user's. No wire sends it.
    """

    type: Required[Literal["text", "image_url", "input_audio"]]
    text: str
    attachment: str
    image_url: ImageUrl
    input_audio: Sound


Content = str | list[Part]


class Message(TypedDict):
    """One message. Which optional keys are present depends on ``role``.

    ``reasoning`` is the flattened text of the model's thinking and
    ``reasoning_details`` the provider's opaque records, in order of arrival.
    ``reasoning_places`` tells, for each record, how many characters of ``content`` and how many
    calls came before it; without it, all records came first.
    ``origin`` names who made the message (see ``wire.origin``): its reasoning goes to nobody else.
    ``finish_reason`` is kept on assistant messages for the loop; no wire sends it.
    ``made`` marks what Hermes itself put into the history: a summary of earlier messages, or a
    bridge that keeps the roles in order around it. No wire sends it.
    """

    role: Role
    content: Content | None
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    reasoning: NotRequired[str]
    reasoning_details: NotRequired[list[Any]]
    reasoning_places: NotRequired[list[list[int]]]
    origin: NotRequired[str]
    finish_reason: NotRequired[str]
    made: NotRequired[Literal["summary", "bridge"]]


def system_message(text: str) -> Message:
    """Return a system message."""
    return {"role": "system", "content": text}


def user_message(content: Content) -> Message:
    """Return a user message of plain text or of parts."""
    return {"role": "user", "content": content}


def tool_message(call_id: str, name: str, text: str, images: Sequence[str] = ()) -> Message:
    """Return the answer to the tool call ``call_id``; ``images`` are ``data:`` URLs."""
    content: Content = text
    if images:
        shown: list[Part] = [{"type": "image_url", "image_url": {"url": url}} for url in images]
        content = [{"type": "text", "text": text}, *shown]
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def has_images(message: Message) -> bool:
    """Return whether there is an image in the message."""
    content = message["content"]
    return isinstance(content, list) and any(part["type"] == "image_url" for part in content)


def text_of(message: Message) -> str:
    """Return the message's text; parts that are not text are left out."""
    content = message["content"]
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def said_in(content: Content) -> str:
    """Return what a person sees of a message: no attached text, and marks for images and sounds."""
    if isinstance(content, str):
        return content
    said = "".join(part.get("text", "") for part in content if "attachment" not in part)
    marks = beside_text(content)
    return f"{said}\n\n{marks}".strip("\n") if marks else said


def beside_text(content: Content | None) -> str:
    """Return how many images and sounds a message has, as ``[2 images] [sound]``, or ``""``."""
    parts = content if isinstance(content, list) else []
    marks = []
    for kind, name in (("image_url", "image"), ("input_audio", "sound")):
        count = sum(part["type"] == kind for part in parts)
        marks += [f"[{name}]" if count == 1 else f"[{count} {name}s]"] if count else []
    return " ".join(marks)


def is_empty(answer: Message) -> bool:
    """Return whether the model ended its answer without saying or calling anything.

    One that was cut off at the output limit or withheld has its reason, and is not empty.
    """
    return (
        not answer.get("tool_calls")
        and not text_of(answer).strip()
        and answer.get("finish_reason") not in ("length", "content_filter")
    )


def unanswered_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """Return the tool calls that no later tool message answers, in order."""
    answered = {m["tool_call_id"] for m in messages if m["role"] == "tool" and "tool_call_id" in m}
    return [
        call
        for message in messages
        for call in message.get("tool_calls", [])
        if call["id"] not in answered
    ]
