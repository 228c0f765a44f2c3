"""The log file: private, rotating, without keys and without control characters."""

import logging
import os
import re
import sys
import threading
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.folders import make_private_folder

if TYPE_CHECKING:
    from logging.handlers import RotatingFileHandler

FILE_BYTES = 5_000_000
FILE_COUNT = 3

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FORMAT = "%(asctime)s %(levelname)s %(process)d %(threadName)s %(name)s: %(message)s"


def start_logging(home: Path, debug: bool) -> None:
    """Send every log record of this process to ``home/logs/hermes.log``.

    Three files of 5 MB are kept, readable by their owner alone. With ``debug`` more is logged, and
    to stderr as well; without it stderr stays silent, uncaught errors of threads and warnings
    included. A home that cannot be written to costs the file, never the start.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)] if debug else []
    try:
        folder = home / "logs"
        make_private_folder(folder)
        handlers.append(_file_handler(folder / "hermes.log"))
    except OSError as error:
        logging.getLogger(__name__).debug("no log file: %s", error)
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    for handler in handlers or [logging.NullHandler()]:
        handler.setFormatter(RedactingFormatter(_FORMAT))
        root.addHandler(handler)
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    threading.excepthook = _log_thread_error
    sys.unraisablehook = _log_unraisable


class RedactingFormatter(logging.Formatter):
    """Formats a record with its traceback, then masks secrets and escapes control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of ``record``."""
        text = REDACTOR.redact(super().format(record))
        return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _file_handler(path: Path) -> "RotatingFileHandler":
    from logging.handlers import RotatingFileHandler

    class PrivateFileHandler(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            file = os.open(self.baseFilename, flags, 0o600)
            return open(file, "a", encoding="utf-8", errors="backslashreplace")

    return PrivateFileHandler(path, maxBytes=FILE_BYTES, backupCount=FILE_COUNT - 1)


def _log_thread_error(args: threading.ExceptHookArgs) -> None:
    if args.exc_type is SystemExit or args.exc_value is None:
        return
    name = args.thread.name if args.thread else "a thread"
    error = (args.exc_type, args.exc_value, args.exc_traceback)
    logging.getLogger("hermes").error("uncaught in %s", name, exc_info=error)


def _log_unraisable(args: "sys.UnraisableHookArgs") -> None:
    value = args.exc_value or args.exc_type()
    error = (args.exc_type, value, args.exc_traceback)
    logging.getLogger("hermes").error("%s", args.err_msg or "uncaught", exc_info=error)
