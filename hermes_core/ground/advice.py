"""An error's text, parted into what happened and what to do next."""


def parts_of(text: str) -> tuple[str, str]:
    """Return an error's text as what happened and what to do next; the latter may be empty.

    They are parted by a newline, else by the end of the first sentence.
    """
    text = text.strip()
    first, _, rest = text.partition("\n")
    if not rest.strip():
        first, _, rest = text.partition(". ")
        first = f"{first}." if rest else first
    return first.strip(), " ".join(rest.split())
