"""Commands within the code of other languages, as far as they stand there as plain text."""

import re
from collections.abc import Iterator

INTERPRETERS = re.compile(
    r"(python[\d.]*|pypy3?|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|[gmn]?awk"
    r"|tclsh|osascript|Rscript|groovy|elixir|julia)"
)
_OPTIONS = re.compile(r"-[a-zA-Z]*[ceErRp]|--eval|--execute|--print")
_CALL = re.compile(
    r"(?:system|popen\d?|exec\w*|spawn\w*|run|call|check_call|check_output|Popen|getoutput"
    r"|getstatusoutput|shell_exec|passthru|qx|sh|Sys\.command|do shell script)"
    r"\s*[({\s]\s*f?r?(\"(?:[^\"\\\n]|\\.){1,2000}\"|'(?:[^'\\\n]|\\.){1,2000}'|`[^`]{1,2000}`)"
)
_BACKTICKS = re.compile(r"`([^`]{1,2000})`|(?:%x|qx)[({\[/]([^)}\]/]{1,2000})[)}\]/]")
_LIST = re.compile(
    r"[\[(]\s*((?:[\"'][^\"'\n]{0,500}[\"']\s*,\s*){1,30}[\"'][^\"'\n]{0,500}[\"'])\s*,?\s*[\])]"
)
_SPAWN = re.compile(
    r"(?:system|exec|spawn\w*|execFile\w*|execv\w*|execl\w*)\s*\(?\s*[\"']([\w/.-]{1,80})[\"']\s*,\s*"
    r"\[?\s*((?:[\"'][^\"'\n]{0,500}[\"']\s*,?\s*){1,30})"
)
_DELETE = re.compile(
    r"(?:rmtree|rm_rf|rm_r|rmSync|rmdirSync|remove_tree|removeSync|remove_entry\w*|rimraf(?:Sync)?)"
    r"\s*\(?\s*(?:path\.)?(?:expanduser\()?(?:os\.path\.expanduser\()?[\"']([^\"'\n]{1,500})[\"']"
)
_WRITE = re.compile(
    r"open[ (][^\"'\n]{0,40}[\"']\+?>{1,2}\s*(/[^\"'\n]{1,200})[\"']"
    r"|open\(?\s*[\"']\+?[<>]{0,2}(/[^\"'\n]{1,200})[\"']\s*,\s*(?:[\"'][^\"'\n]{0,6}[wa+]|O_WRONLY)"
    r"|(?:writeFileSync|write_text|file_put_contents|IO\.write|File\.write)\(?\s*[\"'](/[^\"'\n]{1,200})"
)
_FORKS = re.compile(
    r"fork\s+while\s+fork|while\s*\(?\s*(?:1|true|True|fork)\b[^\n]{0,40}?:?\s*[^\n]{0,40}?\bfork\b"
    r"|\bloop\s*(?:\{|do)\s*fork|for\s*\(\s*;\s*;\s*\)[^\n]{0,40}fork|while\s+True[\s\S]{0,60}os\.fork\("
)
_STRINGS = re.compile(r"[\"']([^\"'\n]{0,500})[\"']")


def code_of(words: list[str], text: str | None) -> Iterator[str]:
    """Yield the code that an interpreter is given, of its words without its name."""
    found = False
    for place, word in enumerate(words):
        if _OPTIONS.fullmatch(word):
            found = True
            yield from words[place + 1 : place + 2]
        elif not word.startswith("-"):
            break
    if not found:
        yield from words[:1] if words and "{" in words[0] else ()
        yield from [text] if text else ()


def shell_texts(code: str) -> Iterator[str]:
    """Yield the shell commands that code runs, where they are plain."""
    for call in _CALL.finditer(code):
        yield _unquoted(call[1])
    for call in _BACKTICKS.finditer(code):
        yield call[1] or call[2]
    if awk := re.search(r"\|\s*\"([^\"]{1,500})\"", code):
        yield awk[1]
    for call in _LIST.finditer(code):
        yield " ".join(_quoted(word) for word in _STRINGS.findall(call[1]))
    for call in _SPAWN.finditer(code):
        yield " ".join(_quoted(word) for word in (call[1], *_STRINGS.findall(call[2])))
    for call in _DELETE.finditer(code):
        yield f"rm -rf {_quoted(call[1])}"
    for call in _WRITE.finditer(code):
        yield f": > {_quoted(call[1] or call[2] or call[3])}"


def forks_for_ever(code: str) -> bool:
    """Return whether code is a plain fork bomb."""
    return _FORKS.search(code) is not None


def _unquoted(literal: str) -> str:
    return re.sub(r"\\([\"'\\`])", r"\1", literal[1:-1])


def _quoted(word: str) -> str:
    if word.startswith("~"):
        return word
    return "'" + word.replace("'", "") + "'"
