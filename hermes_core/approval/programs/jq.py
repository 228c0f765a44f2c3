"""Filters of jq that only compute: no environment, no modules."""

import re

_RISKY = re.compile(r"(?<![.\w])(env|ENV|__prog\w*|import|include|modulemeta|get_search_list)\b")
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')


def jq_objection(text: str) -> str:
    """Return why a filter may do more than compute, or ``""``.

    Older jq lets blanks and comments stand between ``$`` and a name. Strings are looked into as
    well where a comment or a value within one makes it uncertain where they end.
    """
    plain = "#" not in text and "\\(" not in text
    found = _RISKY.search(_STRING.sub('""', text) if plain else text)
    return f"the filter uses {found.group()}" if found else ""
