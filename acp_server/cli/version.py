"""The program's version, as it was installed."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "hermes-editor-agent"


def program_version() -> str:
    """Return the version; ``0`` where the program runs without having been installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0"
