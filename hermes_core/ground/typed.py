"""What people type, for errors and as numbers: never too long to be read or to be reckoned."""

LONGEST = 60
"""Characters of what was typed that an error repeats."""

_MOST_DIGITS = 9


def quoted(text: str) -> str:
    """Return ``text`` in quotes, on one line and with its end left out where it is long."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def whole_number(text: str) -> int | None:
    """Return the number that ``text`` is in digits; None for anything else.

    One of more digits than anybody counts to is 999,999,999.
    """
    if not text.isdecimal():
        return None
    digits = text.lstrip("0")
    return int(digits or "0") if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS - 1
