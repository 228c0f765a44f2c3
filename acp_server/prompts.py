"""A prompt's content blocks as a user message, and what it points at.

Text is taken as it is. A link is written where it stands, as Markdown; one to a file is written
with the path that the tools take, and is among ``links``, to be read when the turn begins. Embedded
text follows at the end, fenced, under its address. Images and sounds become parts of the message.
What no model can be shown (binary data, other kinds of images and sounds) is named as left out, so
that the model does not guess, and told to the person. Nothing is fetched from the network.

Annotations: what is for the user alone is named and not shown to the model; the priority says what
comes first where there is not room for all that is linked.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from acp_server.rpc.errors import RpcError
from hermes_core.ground.content import Attached, Link
from hermes_core.ground.messages import Content, Part
from hermes_core.ground.sounds import format_of

EMBEDDED_LIMIT = 100_000
"""Characters of one embedded resource that reach the model."""

MOST_BLOCKS = 10_000
"""Blocks of one prompt; reading more would keep others waiting."""

IMAGE_LIMIT = 20_000_000
"""Characters of one image in Base64; providers take less, and say so."""

SOUND_LIMIT = 20_000_000
"""Characters of one sound in Base64: what fits into one request of those who take sounds."""

INVALID_PARAMS = -32602

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The kinds of images that models take."""

_TEXTS = ("text/", "application/json", "application/xml", "application/yaml", "application/toml")
_BACKTICKS = re.compile(r"`{3,}")
_LINES = re.compile(r"L?(\d+)(?:C\d+)?(?:[-:]L?(\d+)(?:C\d+)?)?", re.IGNORECASE)


@dataclass(slots=True)
class Prompted:
    """What a prompt says. content: the message; links: what is to be read for it.

    told: what was left out, for the person. has_images, has_sounds: what a model must take.
    """

    content: Content
    links: list[Link] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def has_images(self) -> bool:
        """Whether there is an image in it."""
        return self._has("image_url")

    @property
    def has_sounds(self) -> bool:
        """Whether there is a sound in it."""
        return self._has("input_audio")

    def _has(self, kind: str) -> bool:
        return not isinstance(self.content, str) and any(
            part["type"] == kind for part in self.content
        )


def read_blocks(blocks: Sequence[Mapping[str, Any]], cwd: Path) -> Prompted:
    """Return what ``blocks`` say; links into ``cwd`` become relative paths.

    Raises ``RpcError`` (-32602) for a broken block, for too many, and if nothing is left to say.
    """
    if len(blocks) > MOST_BLOCKS:
        raise RpcError(INVALID_PARAMS, f"prompt: it has more than {MOST_BLOCKS} blocks")
    reader = _Reader(cwd)
    for index, block in enumerate(blocks):
        reader.take(block, f"prompt[{index}]")
    return reader.result()


def with_attached(content: Content, attached: Iterable[Attached], cwd: Path) -> Content:
    """Return a message with what was read for it, each part under its address."""
    parts: list[Part] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [*parts, *(_attachment(_name_of(one.link, cwd), one) for one in attached)]


class _Reader:
    """Takes blocks one after the other."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._said: list[str] = []
        self._parts: list[Part] = []
        self._links: dict[Link, None] = {}
        self._told: dict[str, None] = {}

    def take(self, block: Mapping[str, Any], where: str) -> None:
        """Take one block; ``where`` names it in errors."""
        kind = block.get("type")
        readers = {
            "text": self._text,
            "resource_link": self._link,
            "resource": self._resource,
            "image": self._image,
            "audio": self._audio,
        }
        if isinstance(kind, str) and kind in readers:
            readers[kind](block, where)
        else:
            self._leave_out(f"[Content of the unknown kind {kind!r} was left out.]", "")

    def result(self) -> Prompted:
        """Return all that was taken."""
        inline = "".join(self._said)
        if not inline.strip() and not self._parts:
            raise RpcError(INVALID_PARAMS, "prompt: there is no text in it")
        content: Content = inline
        if self._parts:
            first: list[Part] = [{"type": "text", "text": inline}] if inline else []
            content = [*first, *self._parts]
        return Prompted(content, list(self._links), list(self._told))

    def _text(self, block: Mapping[str, Any], where: str) -> None:
        self._say(_string(block, "text", where), is_text=True)

    def _link(self, block: Mapping[str, Any], where: str) -> None:
        uri = _string(block, "uri", where)
        self._say(_mention(str(block.get("title") or block.get("name") or uri), uri, self._cwd))
        link = _link_of(uri, self._cwd, _priority(block))
        if link is not None and _is_for_model(block):
            self._links[link] = None

    def _resource(self, block: Mapping[str, Any], where: str) -> None:
        resource = block.get("resource")
        if not isinstance(resource, Mapping):
            raise RpcError(INVALID_PARAMS, f"{where}.resource: an object is needed")
        uri = _string(resource, "uri", f"{where}.resource")
        name, kind = _base_name(uri), str(resource.get("mimeType") or "")
        mention = _mention(name, uri, self._cwd)
        text, blob = resource.get("text"), resource.get("blob")
        if not _is_for_model(block):
            self._say(mention)
        elif isinstance(text, str):
            self._embed(mention, uri, text)
        elif isinstance(blob, str) and kind in IMAGES:
            self._say(mention)
            self._show(blob, kind, f"{where}.resource.blob")
        elif isinstance(blob, str) and kind.startswith("audio/"):
            self._say(mention)
            self._play(blob, kind, f"{where}.resource.blob")
        elif isinstance(blob, str) and kind.startswith(_TEXTS):
            data = _decoded(blob, f"{where}.resource.blob")
            self._embed(mention, uri, data.decode("utf-8", "replace"))
        else:
            self._leave_out(
                f"{mention} [its binary content was left out]",
                f"{name} was left out: no model can be shown its content. Attach text or an image.",
            )

    def _image(self, block: Mapping[str, Any], where: str) -> None:
        kind = str(block.get("mimeType") or "unknown type").lower()
        if kind in IMAGES and _is_for_model(block):
            self._show(_string(block, "data", where), kind, f"{where}.data")
            return
        self._leave_out(
            f"[An image ({kind}) was left out.]",
            f"An image was left out: models take PNG, JPEG, GIF and WebP, not {kind}.",
        )

    def _audio(self, block: Mapping[str, Any], where: str) -> None:
        kind = str(block.get("mimeType") or "unknown type").lower()
        if _is_for_model(block):
            self._play(_string(block, "data", where), kind, f"{where}.data")
        else:
            self._leave_out(f"[A sound ({kind}) was left out.]", "")

    def _say(self, piece: str, *, is_text: bool = False) -> None:
        if piece:
            before = self._said[-1] if self._said else ""
            self._said += (_glue(before, piece, is_text), piece)

    def _leave_out(self, piece: str, told: str) -> None:
        self._say(piece)
        if told:
            self._told[told] = None

    def _embed(self, mention: str, uri: str, text: str) -> None:
        self._say(mention)
        address = _target(uri, self._cwd)
        section = f"\n\n{_fenced(address, text)}"
        self._parts.append({"type": "text", "text": section, "attachment": address})

    def _show(self, data: str, kind: str, where: str) -> None:
        _decoded(data, where)
        if len(data) > IMAGE_LIMIT:
            size = f"{len(data) * 3 // 4 // 1_000_000} MB"
            text = f"[An image of {size} was left out.]"
            self._leave_out(text, f"An image of {size} was left out. Attach a smaller one.")
            return
        url = f"data:{kind};base64,{data}"
        self._parts.append({"type": "image_url", "image_url": {"url": url}})

    def _play(self, data: str, kind: str, where: str) -> None:
        """Take a sound; what its beginning says counts, since it goes by many names."""
        data = "".join(data.split())
        if len(data) > SOUND_LIMIT:
            size = f"{len(data) * 3 // 4 // 1_000_000} MB"
            text = f"[A sound of {size} was left out.]"
            self._leave_out(text, f"A sound of {size} was left out. Attach a shorter one.")
            return
        form = format_of(_decoded(data, where))
        if form is None:
            text = f"[A sound ({kind}) was left out.]"
            self._leave_out(text, f"A sound ({kind}) was left out: models take WAV and MP3.")
            return
        self._parts.append({"type": "input_audio", "input_audio": {"data": data, "format": form}})


def _glue(before: str, piece: str, is_text: bool) -> str:
    """Return what stands between two pieces; ``before`` is empty for the first."""
    if not before or before[-1].isspace() or piece[0].isspace():
        return ""
    return "\n\n" if is_text and not before.endswith(")") else " "


def _string(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if not isinstance(found, str):
        raise RpcError(INVALID_PARAMS, f"{where}.{key}: a string is needed")
    return found


def _decoded(data: str, where: str) -> bytes:
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise RpcError(INVALID_PARAMS, f"{where}: Base64 is needed") from None


# Annotations


def _annotations(block: Mapping[str, Any]) -> Mapping[str, Any]:
    found = block.get("annotations")
    return found if isinstance(found, Mapping) else {}


def _is_for_model(block: Mapping[str, Any]) -> bool:
    audience = _annotations(block).get("audience")
    return not isinstance(audience, list) or not audience or "assistant" in audience


def _priority(block: Mapping[str, Any]) -> float:
    priority = _annotations(block).get("priority")
    is_number = isinstance(priority, int | float) and not isinstance(priority, bool)
    return float(priority) if is_number and priority is not None else 0.5


# Addresses


def _split(uri: str) -> SplitResult:
    """Return the parts of an address; of one that is broken, a scheme that nobody knows."""
    try:
        return urlsplit(uri)
    except ValueError:
        return SplitResult("broken", "", "", "", "")


def _link_of(uri: str, cwd: Path, priority: float) -> Link | None:
    """Return the file or folder that an address names, None if it is on no disk of ours."""
    parts = _split(uri)
    symbol = next(iter(parse_qs(parts.query).get("symbol", ())), "")
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost") or not parts.path:
        return None
    path = os.path.normpath(cwd / unquote(parts.path))
    lines = _LINES.fullmatch(parts.fragment)
    if lines is None:
        name = symbol or unquote(parts.fragment)
        return Link(path, symbol=name, priority=priority)
    first = max(int(lines[1]), 1)
    last = max(int(lines[2]), first) if lines[2] else first
    return Link(path, first, last, priority=priority)


def _name_of(link: Link, cwd: Path) -> str:
    path = Path(link.path)
    shown = str(path.relative_to(cwd)) if path.is_relative_to(cwd) else link.path
    if link.last is not None:
        lines = f"L{link.first}" if link.last == link.first else f"L{link.first}-{link.last}"
        return f"{shown}#{lines}"
    return f"{shown}#{link.symbol}" if link.symbol else shown


def _mention(name: str, uri: str, cwd: Path) -> str:
    label = " ".join(name.split()).replace("]", ")")
    return f"[@{label}]({_target(uri, cwd)})"


def _base_name(uri: str) -> str:
    return unquote(_split(uri).path).rstrip("/").rpartition("/")[2] or uri


def _target(uri: str, cwd: Path) -> str:
    """Return a file's path, relative to ``cwd`` if inside; any other address as it is."""
    parts = _split(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return uri
    path = Path(unquote(parts.path))
    shown = str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
    return f"{shown}#{parts.fragment}" if parts.fragment else shown


# What is put beside the message


def _attachment(name: str, attached: Attached) -> Part:
    text = f"[{name}: {attached.text}]" if attached.failed else _block(name, "", attached.text)
    return {"type": "text", "text": f"\n\n{text}", "attachment": name}


def _fenced(address: str, text: str) -> str:
    note = ""
    if len(text) > EMBEDDED_LIMIT:
        note = f" (the first {EMBEDDED_LIMIT:,} of {len(text):,} characters)"
        text = text[:EMBEDDED_LIMIT]
    return _block(address, note, text)


def _block(address: str, note: str, text: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{address}{note}:\n{fence}\n{text}{end}{fence}"
