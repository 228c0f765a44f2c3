"""Sets of names, written as one reads them."""


def names(text: str) -> frozenset[str]:
    """Return the words of ``text``."""
    return frozenset(text.split())
