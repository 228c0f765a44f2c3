"""One part of the system prompt, and the way back from a stored prompt to its parts."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

HEADINGS: dict[str, str] = {
    "# How to work": "how to work",
    "# Tools": "tools",
    "# Session instructions": "session instructions",
    "# Skills": "skills",
    "# Environment": "environment",
    "# Project instructions": "project",
    "# Memory": "memory",
    "# About the user": "user profile",
}
"""The first line of each layer behind the identity, and the layer's name. Nothing that comes from
files can begin with one of these lines, except inside of a block that it cannot close."""

BLOCKS = ("project-instructions", "memory", "user-profile")
"""Tags of the blocks that hold text which is not ours."""

_BEGIN = re.compile(rf"<({'|'.join(BLOCKS)})(?: [^>\n]*)?>")


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of the prompt with the name that people know it by."""

    name: str
    text: str

    @property
    def size(self) -> int:
        """Its length in characters."""
        return len(self.text)


def about_tokens(text: str) -> int:
    """Return roughly how many tokens ``text`` is: one for every four bytes of it."""
    return math.ceil(len(text.encode("utf-8", "replace")) / 4)


def joined(layers: tuple[Layer, ...]) -> str:
    """Return the prompt that is made of ``layers``."""
    return "\n".join(layer.text for layer in layers if layer.text)


def layers_of(prompt: str) -> tuple[Layer, ...]:
    """Return the layers of a prompt that ``joined`` made; one for any other text."""
    names, parts = ["identity"], [""]
    for line, heading in _marked(prompt):
        if heading:
            names.append(HEADINGS[heading])
            parts.append("")
        parts[-1] += line
    if len(names) == 1:
        names = ["prompt"]
    if len(parts) > 1:
        parts[:-1] = [part.removesuffix("\n") for part in parts[:-1]]
    return tuple(Layer(name, part) for name, part in zip(names, parts, strict=True) if part.strip())


def _marked(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield each line, with the heading that it is where a layer begins."""
    inside = ""
    for line in prompt.splitlines(keepends=True):
        bare = line.rstrip("\n")
        if inside:
            inside = "" if bare == f"</{inside}>" else inside
            yield line, ""
            continue
        begin = _BEGIN.fullmatch(bare)
        inside = begin[1] if begin else ""
        yield line, bare if bare in HEADINGS else ""
