"""Text that hides nothing from the person who reads it.

What a person approves must look like what runs: characters that a screen does not show, that change
how their neighbours are shown, or that look like a character of ASCII, appear as escapes. Letters
of every script stay as they are where they do not pretend to be others. What looks alike is told by
Unicode's compatibility forms, and by a list after its confusables (UTS 39); no list is complete.
"""

import re
import unicodedata
from functools import lru_cache

LINE_BREAK = "\u21b5"
"""Stands for a line break in a text of one line; where the text itself holds it, it is escaped."""

# Printable by their category, yet drawn as nothing or as a blank: fillers, joiners, variation
# selectors, the empty Braille pattern, the note without a head. Or drawn over what stands before.
_BLANK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef"
)
_OVERLAY = (
    "\u0334-\u0338\u1ab5-\u1ab9\u1abe"
    "\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e7\u20ea\u20eb"
)
_MARK = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"

# What looks like a sign that a shell, a path or an option is written with.
_SIGNS = (
    "\u2010-\u2012\u2043\u2212\u02d7\u2796"  # -
    "\u2044\u2215\u29f8\u2571\u2cc6\u1735"  # /
    "\u2216\u29f5\u29f9\u2572"  # a backslash
    "\u2223\u01c0\u2758\u23d0\u2d4f"  # |
    "\u2236\ua789\u02d0\u05c3\u0589\u02f8\ufe30"  # :
    "\u201a\u060d\u066b"  # ,
    "\u02b9-\u02bf\u02c8\u02ca\u02cb\u02f4\u055a\u05f3\u2032\u2035\u201b\ua78c\u2033\u05f4"  # ' `
    "\u2217\u204e\u066d"  # *
    "\u223c\u02dc\u2053"  # ~
    "\u2039\u203a\u02c2\u02c3\u1433\u1438\u276e\u276f"  # < >
    "\u2768-\u2775\u3014\u3015"  # brackets
    "\u066a\ua778\ua78a\u2795\u01c3\u2d51\u02c4\u02c6\u02cd\u0701\u0702\u06d4"  # and others
)
_ALWAYS = re.compile(f"[{_BLANK}{_OVERLAY}{_SIGNS}]")
_STRAY_MARK = re.compile(f"(?<![^\\W\\d_])(?<![^\\W\\d_][{_MARK}])[{_MARK}]")
# Dashes that begin a word as an option does, and quotation marks other than apostrophes in a word.
_AS_ASCII = re.compile(
    "(?<!\\S)[\u2013\u2014\u2015](?=\\S)|(?<!\\w)[\u2018\u2019\u201c\u201d]|[\u2018\u2019\u201c\u201d](?!\\w)"
)
# Letters of other scripts that are drawn like those of ASCII.
_ALIKE = frozenset(
    "асеорхуіјѕһԁԛԝӏԍьү"
    "АВЕЗІЈКМНОРСТУХЅҮԌԚԜЬ"
    "αγικνορτυχϲϳωɩ"
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϜ"
    "օոսհցզքԼՍՏՕ"
    "ıɑɡɪʏɴʀʟɢʙʜǃȷƅɯƒꞁɾ"
    "ᎠᎡᎢᎩᎪᎫᎬᎳᎷᎻᎽᏀᏃᏎᏔᏙᏚᏞᏟᏢᏤᏦᏧᏮᏴ"
    "ⲟⲣⲤⲞⲢⲘⲚⲔⲦⲬ"
    "०০੦૦௦౦೦ഠ๐໐၀໐"
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
)
_WORD = re.compile(r"\w+")


def one_line(text: str) -> str:
    """Return the whole ``text`` on one line, with everything unseen made visible."""
    if text.isascii() and text.isprintable():
        return text
    hidden = _hidden(text)
    return "".join(
        _broken(char) if char in ("\n", LINE_BREAK) else _escaped(char, place in hidden)
        for place, char in enumerate(text)
    )


def many_lines(text: str) -> str:
    """Return ``text`` with its lines and tabs, and everything else unseen made visible."""
    return "\n".join(map(_line, text.split("\n")))


def fence(text: str, language: str = "") -> str:
    """Return ``text`` as a Markdown code block that nothing inside it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text.rstrip(chr(10))}\n{ticks}"


def code(text: str) -> str:
    """Return a text of one line as Markdown code that nothing inside it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _line(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    hidden = _hidden(text)
    return "".join(
        char if char == "\t" else _escaped(char, place in hidden) for place, char in enumerate(text)
    )


def _hidden(text: str) -> set[int]:
    """Return the places of printable characters that must not stay as they are."""
    if text.isascii():
        return set()
    found = {match.start() for match in _ALWAYS.finditer(text)}
    found |= {match.start() for match in _STRAY_MARK.finditer(text)}
    found |= {match.start() for match in _AS_ASCII.finditer(text)}
    found |= {n for n, char in enumerate(text) if char > "\x7f" and _is_ascii_in_disguise(char)}
    for word in _WORD.finditer(text):
        if not word[0].isascii():
            found.update(word.start() + place for place in _pretenders(word[0]))
    if _reorders(text):
        found |= {n for n, char in enumerate(text) if _direction(char) == "R"}
    return found


@lru_cache(maxsize=4096)
def _is_ascii_in_disguise(char: str) -> bool:
    """Return whether a character is a form of one in ASCII: full width, bold, a Roman numeral."""
    if unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<circle>", "<square>")):
        return False
    plain = unicodedata.normalize("NFKC", char)
    return plain.isascii() and (len(plain) == 1 or plain.isalnum())


def _pretenders(word: str) -> list[int]:
    """Return the places of letters by which a word looks as if it were written in ASCII.

    A word in which such letters stand beside others of their script is one of that script.
    """
    alike = [place for place, char in enumerate(word) if char in _ALIKE]
    if any(char.isascii() and char.isalpha() for char in word):
        return alike
    letters = [char for char in word if char.isalpha() and not char.isascii()]
    return alike if all(char in _ALIKE for char in letters) else []


def _reorders(text: str) -> bool:
    """Return whether letters written from right to left would change the order of other signs."""
    after_right = signs = False
    for char in text:
        kind = _direction(char)
        if kind == "R":
            if after_right and signs:
                return True
            after_right, signs = True, False
        elif kind == "digit" and after_right:
            return True
        elif kind == "L":
            after_right = False
        elif not char.isspace():
            signs = True
    return False


def _direction(char: str) -> str:
    kind = unicodedata.bidirectional(char)
    if kind in ("R", "AL"):
        return "R"
    return "digit" if kind in ("EN", "AN") else kind


def _broken(char: str) -> str:
    return f" {LINE_BREAK} " if char == "\n" else _code(char)


def _escaped(char: str, hidden: bool) -> str:
    return _code(char) if hidden or not char.isprintable() else char


def _code(char: str) -> str:
    short = {"\t": r"\t", "\r": r"\r", "\n": r"\n"}.get(char)
    if short:
        return short
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
