"""A page of the web as text for a model."""

import json
from html.parser import HTMLParser

from hermes_core.ground.errors import ToolError
from hermes_core.tools.visible import fence

MAX_HTML = 2_000_000
"""Characters of HTML that are looked at."""

_SKIPPED = frozenset({"script", "style", "noscript", "template", "svg", "nav", "footer", "aside"})
_BLOCKS = frozenset(
    {"p", "div", "li", "br", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article"}
)
_TEXTS = ("text/", "application/json", "application/xml", "application/javascript")


def text_of_page(data: bytes, kind: str, charset: str, url: str) -> str:
    """Return a page as Markdown or plain text; raise ``ToolError`` for what is no text.

    kind, charset: as its server names them; ``""`` if it does not. url: makes its links whole.
    """
    if b"\0" in data[:4096] or (kind and not _is_text(kind)):
        raise ToolError(f"{url} is no text ({kind or 'unknown type'}), so it was not read.")
    try:
        text = data.decode(charset or "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    if "html" in kind or (not kind and "<html" in text[:2000].lower()):
        return _markdown(text[:MAX_HTML], url).strip()
    if "json" in kind:
        return _json(text)
    return text.strip()


def _is_text(kind: str) -> bool:
    return kind.startswith(_TEXTS) or kind.endswith(("+json", "+xml"))


def _json(text: str) -> str:
    try:
        return fence(json.dumps(json.loads(text), indent=1, ensure_ascii=False), "json")
    except (ValueError, RecursionError):
        return text.strip()


def _markdown(html: str, url: str) -> str:
    try:
        import html_to_markdown as library
    except ImportError:
        return _plain(html)
    options = library.ConversionOptions(
        extract_metadata=False,
        skip_images=True,
        base_url=url,
        hidden_content=library.HiddenContent.DROP,
        exclude_selectors=["nav", "footer", "aside", "svg", "script", "style"],
    )
    try:
        found = library.convert(html, options)
    except Exception:  # the library's own error classes share no useful base
        return _plain(html)
    return str(getattr(found, "content", found) or "") or _plain(html)


def _plain(html: str) -> str:
    """Return the text that stands between the tags."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _SKIPPED:
            self._skipped += 1
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped = max(0, self._skipped - 1)
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.pieces.append(data)
