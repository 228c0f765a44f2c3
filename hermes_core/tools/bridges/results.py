"""What a call to an MCP server came to, as the model and the card are given it.

All of it is somebody else's words: it is wrapped as data, and cannot leave its wrapping.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_core.ground.content import Image, Text
from hermes_core.ground.injection import visible
from hermes_core.tools.registry import Output
from hermes_core.tools.visible import fence

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ReadResourceResult

LONGEST = 400_000
"""Characters of a result; what fits the model's window is decided later."""

ON_CARD = 20_000
"""Characters of a result that the card shows."""

IMAGES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
"""The kinds of images that models take, and how each begins."""

MOST_IMAGES = 4
MOST_IMAGE_CHARACTERS = 5_000_000
"""How many images of a result are passed on, and characters of them together in Base64."""

TAG = "untrusted-result"

_CLOSES = re.compile(
    r"[<\uff1c\ufe64](?=\s{0,9}[/\uff0f]?\s{0,9}"
    r"(?:untrusted\W?result|project\W?instructions|memory|user\W?profile|system|assistant|human|\|))",
    re.IGNORECASE,
)


def output_of(result: "CallToolResult", server: str, tool: str) -> Output:
    """Return the output of a tool call."""
    images = images_of(result.content)
    text = _joined(
        images[place].text if place in images else _described(block)
        for place, block in enumerate(result.content)
    )
    if not text.strip() and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False, default=str)
    output = _output(text, server, tool, failed=bool(result.is_error))
    return replace(output, content=(*output.content, *images.values()))


def resource_of(result: "ReadResourceResult", server: str, uri: str) -> Output:
    """Return the output of reading a resource."""
    return _output(_joined(_contents(one) for one in result.contents), server, uri)


def text_output(text: str, server: str, about: str) -> Output:
    """Return a server's words as an output."""
    return _output(text, server, about)


def wrapped(text: str, server: str, about: str) -> str:
    """Return what a server said as a block of data that nothing in it can close."""
    head = f'<{TAG} server="{_attribute(server)}" from="{_attribute(about)}">'
    return f"{head}\n{_CLOSES.sub('&lt;', visible(text))}\n</{TAG}>"


def _output(text: str, server: str, about: str, *, failed: bool = False) -> Output:
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n[the rest of {len(text):,} characters is left out]"
    shown = visible(text)
    if len(shown) > ON_CARD:
        shown = f"{shown[:ON_CARD]}\n[... {len(shown):,} characters in all]"
    return Output(
        wrapped(text or "[no content]", server, about),
        (Text(fence(shown or "[no content]")),),
        failed=failed,
    )


def _joined(parts: Iterable[str]) -> str:
    """Return parts a line apart; what is beyond all bounds is not even put together."""
    kept: list[str] = []
    room = LONGEST + 1
    for part in parts:
        kept.append(part[:room])
        room -= len(part) + 1
        if room <= 0:
            break
    return "\n".join(kept)


def _described(block: Any) -> str:
    """Return a block of a result as text; what is no text is described."""
    kind = block.type
    if kind == "text":
        return str(block.text)
    if kind in ("image", "audio"):
        article = "an image" if kind == "image" else "audio"
        return f"[{article}, {block.mime_type}, {_size(block.data)}; it is not shown to you]"
    if kind == "resource_link":
        about = ", ".join(filter(None, (block.title or block.name, block.mime_type)))
        return f"[a resource: {block.uri} ({about})]"
    return _contents(block.resource)


def _contents(contents: Any) -> str:
    text = getattr(contents, "text", None)
    if isinstance(text, str):
        return text
    mime = contents.mime_type or "unknown type"
    return f"[data of {contents.uri}, {mime}, {_size(contents.blob)}; it is not shown to you]"


def _size(data: str) -> str:
    return f"{len(data) * 3 // 4:,} bytes"


def _attribute(text: str) -> str:
    shown = "".join(char if char.isprintable() and char not in '"<>' else "?" for char in text)
    return shown[:200]


def images_of(content: Sequence[Any]) -> dict[int, Image]:
    """Return the images of a result that are passed on, each by its place among the blocks.

    Those of other kinds, those that are no Base64, and what is beyond the bounds are left out. What
    an image is, its beginning tells: endpoints refuse one of a wrong name, each time it is sent.
    """
    found: dict[int, Image] = {}
    room = MOST_IMAGE_CHARACTERS
    for place, block in enumerate(content):
        if block.type != "image" or block.mime_type not in IMAGES or len(found) == MOST_IMAGES:
            continue
        if not block.data or len(block.data) > room:
            continue
        try:
            data = base64.b64decode(block.data, validate=True)
        except (binascii.Error, ValueError):
            continue
        if kind := _kind_of(data):
            room -= len(block.data)
            found[place] = Image(kind, block.data, len(data))
    return found


def _kind_of(data: bytes) -> str:
    """Return which kind of image it is, ``""`` for none that models take."""
    return next((kind for kind, begins in IMAGES.items() if begins.match(data)), "")
