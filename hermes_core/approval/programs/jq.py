"""Filters of jq that only compute: no environment, no modules."""

import re

_RISKY = re.compile(r"(?<![.\w$])(env|import|include|modulemeta|get_search_list)\b|\$ENV|\$__prog")


def jq_objection(text: str) -> str:
    """Return why a filter may do more than compute, or ``""``."""
    found = _RISKY.search(text)
    return f"the filter uses {found.group()}" if found else ""
