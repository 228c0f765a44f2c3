"""Reading a ``.env`` file: names and values as they stand, and what was wrong in it."""

import logging
import re
from io import StringIO
from pathlib import Path

from hermes_core.local.yaml_file import read_text

_IGNORED = "{file}:{line}: not a NAME=value line; it is ignored"


def read_env(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the file's variables, and a warning for each line that is not one.

    Values are not expanded: a key may hold a ``$``. Raises ``OSError``, and ``ConfigError`` if
    the file is not UTF-8 text.
    """
    from dotenv import dotenv_values

    text = read_text(path).replace("\x00", "")
    warnings: list[str] = []

    def collect(record: logging.LogRecord) -> bool:
        """Keep the library's complaint, which names a line, off stderr."""
        line = record.args[0] if isinstance(record.args, tuple) and record.args else "?"
        warnings.append(_IGNORED.format(file=path.name, line=line))
        return False

    logger = logging.getLogger("dotenv.main")
    logger.addFilter(collect)
    try:
        found = dotenv_values(stream=StringIO(text), interpolate=False)
    finally:
        logger.removeFilter(collect)
    # a name without a value may be a pasted key, so that only its line is told
    bare = [name for name, value in found.items() if value is None]
    warnings += [_IGNORED.format(file=path.name, line=_line_of(name, text)) for name in bare]
    return {name: value for name, value in found.items() if value is not None}, warnings


def _line_of(name: str, text: str) -> int:
    """Return the line on which ``name`` stands without a value."""
    alone = re.compile(rf"[ \t]*(?:export[ \t]+)?{re.escape(name)}[ \t]*(?:#.*)?")
    lines = text.splitlines()
    return next((i for i, line in enumerate(lines, 1) if alone.fullmatch(line)), 1)
