"""Reading a ``.env`` file: names and values as they stand, and what was wrong in it."""

import logging
from io import StringIO
from pathlib import Path

from hermes_core.local.yaml_file import read_text


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
        warnings.append(f"{path.name}:{line}: not a NAME=value line; it is ignored")
        return False

    logger = logging.getLogger("dotenv.main")
    logger.addFilter(collect)
    try:
        found = dotenv_values(stream=StringIO(text), interpolate=False)
    finally:
        logger.removeFilter(collect)
    return {name: value for name, value in found.items() if value is not None}, warnings
