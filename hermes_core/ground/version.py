"""The program's version, for those rooms that tell it to others."""

__version__ = "0.1.0"
"""As ``pyproject.toml`` has it."""
