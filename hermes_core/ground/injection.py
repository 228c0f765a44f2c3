"""Text that tries to speak to the model in somebody else's name: what is looked for, and where.

A scan is a second net under the rule that such text is data. It knows common wordings only; that
it finds nothing proves nothing. Sources of the classes: published attacks on coding agents.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from hermes_core.ground.secrets import MASK, REDACTOR

Kind = Literal[
    "hidden characters",
    "instruction override",
    "role hijack",
    "concealment",
    "exfiltration",
    "persistence",
    "hidden text",
    "a secret",
]

LONGEST = 64_000
"""Characters that are scanned."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
    "|(?<![\u0300-\uffff\U00010000-\U0010ffff])[\u200c\u200d]"
    "|[\u200c\u200d](?![\u0300-\uffff\U00010000-\U0010ffff])"
)
"""Zero-width and bidirectional controls, tag characters. Joiners count only beside Latin text:
emoji and several scripts need them."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LIKE_LATIN = str.maketrans("аеорсухіјѕԁһӏαεορν", "aeopcyxijsdhlaeopv")
"""Cyrillic and Greek letters that look like Latin ones."""

_GAP2 = r"(?:\W{1,8}\w{1,20}){0,2}\W{1,8}"
_GAP4 = r"(?:\W{1,8}\w{1,20}){0,4}\W{1,8}"
_DROP = r"\b(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|ing)|overrule|bypass|discard)"
_ORDERS = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|orders?)\b"
_PRIVATE = (
    r"(?:\$\{?\w*(?:key|token|secret|passw)|\.env\b|id_(?:rsa|ed25519)|\.ssh/|auth\.json"
    r"|\.netrc|\.aws/|credentials\b|/etc/(?:passwd|shadow))"
)

_PATTERNS: tuple[tuple[Kind, bool, str], ...] = (
    (
        "instruction override",
        False,
        rf"{_DROP}{_GAP4}(?:previous|prior|above|earlier|preceding|former|system|developer)"
        rf"{_GAP2}{_ORDERS}",
    ),
    (
        "instruction override",
        False,
        rf"{_DROP}\W{{1,8}}(?:(?:all|any|every|your|these|those|other|the|my|of|existing)\W{{1,8}})"
        r"{1,4}(?:instructions?|prompts?|guidelines?|directives?|guardrails?|safety)\b",
    ),
    (
        "instruction override",
        False,
        rf"{_DROP}\W{{1,8}}(?:everything|anything|all)\W{{1,8}}"
        r"(?:above|before|else|said|you (?:were|have been) told)",
    ),
    (
        "instruction override",
        False,
        r"\b(?:new|updated|real) (?:system |developer )?instructions?:",
    ),
    ("instruction override", False, r"\bsystem prompt(?: is now|\W{1,3}override|:)"),
    ("instruction override", False, r"\bignorier\w{0,3}\W.{0,40}(?:anweisung|regel|vorgabe)"),
    ("instruction override", False, r"\bignor(?:a|ez?|e)\W.{0,40}(?:instruccion|instruction)e?s\b"),
    (
        "instruction override",
        False,
        r"(?:以前|これまで|上記|前)の.{0,6}(?:指示|命令|ルール).{0,4}無視",
    ),
    ("instruction override", False, r"(?:忽略|无视|無視).{0,8}(?:指令|指示|说明|規則|规则)"),
    (
        "role hijack",
        False,
        r"\byou (?:are now|will now act as|must now act as)\W{1,8}(?:an?|the|in|dan|my|no)\b",
    ),
    (
        "role hijack",
        False,
        r"\bfrom now on\W{1,8}you\W{1,8}"
        r"(?:are|act|(?:will|must|shall) (?:be|act|obey|follow|do))\b",
    ),
    ("role hijack", False, r"\b(?:pretend|act as if)\W{1,8}(?:to be|you (?:are|were|have))\b"),
    ("role hijack", False, r"\b(?:developer|god|dan|jailbreak|unrestricted) mode\b"),
    ("role hijack", False, r"<\|?/?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?inst\]"),
    ("role hijack", True, r"(?:^|\n)\s{0,8}(?:system|assistant|developer)\s{0,3}:"),
    (
        "concealment",
        False,
        rf"\b(?:do not|don'?t|never|without)\W{{1,8}}(?:tell|inform|notify|alert|telling|informing"
        rf"|notifying|mention(?:ing)?){_GAP4}user\b",
    ),
    ("exfiltration", False, rf"\b(?:curl|wget|nc|ncat|http)\b[^\n]{{0,200}}{_PRIVATE}"),
    ("exfiltration", False, rf"\b(?:cat|base64|xxd)\b[^\n]{{0,80}}{_PRIVATE}[^\n]{{0,80}}\|"),
    (
        "exfiltration",
        False,
        r"\b(?:send|post|upload|forward|transmit|leak|exfiltrate|submit)\b[^\n]{0,80}"
        r"\b(?:secrets?|tokens?|api keys?|credentials?|passwords?|private keys?|environment "
        r"variables?|conversation|chat history)\b[^\n]{0,80}(?:https?://|\bto \S{1,60}\.\w{2,})",
    ),
    ("exfiltration", True, r"!\[[^\]\n]{0,200}\]\(https?://[^)\s]{0,300}\?[^)\s]{0,300}="),
    ("exfiltration", True, rf"\b(?:cat|read|print|open|echo)\b[^\n]{{0,40}}{_PRIVATE}"),
    ("persistence", True, r"authorized_keys|(?:>>|\btee\b)[^\n]{0,40}(?:\.(?:bash|zsh)rc|profile)"),
    ("persistence", True, r"\b(?:always|automatically)\b[^\n]{0,40}\b(?:approve|bypass|allow all)"),
    (
        "hidden text",
        False,
        r"<!--(?:(?!-->).){0,400}?(?:ignore [atwy]|disregard|instructions?|you must|system|secret)",
    ),
    (
        "hidden text",
        False,
        r"<\w{1,10}[^>]{0,200}(?:display:\s?none|font-size:\s?0|visibility:\s?h)",
    ),
)

_CONTEXT = tuple((k, re.compile(p, re.DOTALL)) for k, strict, p in _PATTERNS if not strict)
_STRICT = tuple((k, re.compile(p, re.DOTALL)) for k, _, p in _PATTERNS)


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found; ``line`` counts from 1."""

    kind: Kind
    line: int


def scan(text: str, *, strict: bool = False) -> tuple[Hit, ...]:
    """Return what in ``text`` tries to steer the model, at most one hit a kind and line.

    strict: for text that is kept and sent again and again, such as memory; project files, which
    rightly hold commands and rules, are scanned without it.
    """
    text = text[:LONGEST]
    hits = {Hit("hidden characters", _line(text, m.start())) for m in _INVISIBLE.finditer(text)}
    plain = folded(text)
    for version in {plain, plain.translate(_LIKE_LATIN)}:
        for kind, pattern in _STRICT if strict else _CONTEXT:
            hits |= {Hit(kind, _line(version, m.start())) for m in pattern.finditer(version)}
    if strict and (MASK in text or REDACTOR.redact(text) != text):
        hits.add(Hit("a secret", 1))
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.kind)))


def kinds_of(hits: tuple[Hit, ...]) -> str:
    """Return the kinds of ``hits`` in words."""
    return ", ".join(dict.fromkeys(hit.kind for hit in hits))


def visible(text: str) -> str:
    """Return ``text`` with line feeds alone as line ends, without control and unseen characters."""
    for end in ("\r\n", "\r", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return _INVISIBLE.sub("", _CONTROL.sub("", text))


def folded(text: str) -> str:
    """Return ``text`` as it is compared: one form for each character, in small letters."""
    lines = visible(text).split("\n")
    return "\n".join(unicodedata.normalize("NFKC", line).casefold() for line in lines)


def _line(text: str, place: int) -> int:
    while place < len(text) and text[place] == "\n":
        place += 1
    return text.count("\n", 0, place) + 1
