"""Places where a read or an edit is more than it seems: pure questions about real paths.

Names are compared without regard to case, since some file systems do so.
"""

from itertools import pairwise
from pathlib import Path

_OWN_FILES = frozenset(
    {
        "auth.json",
        ".env",
        "config.yaml",
        "approvals.yaml",
        "hermes_sessions.db",
        "hermes_sessions.db-wal",
        "hermes_sessions.db-shm",
        "hermes_sessions.db-journal",
        "hermes_sessions.db.lock",
    }
)
"""Our credentials, settings and store: their content decides what an agent may do."""

_RUNS_ON_OPEN = frozenset(
    {
        ".git",
        ".vscode",
        ".idea",
        ".zed",
        ".cursor",
        ".claude",
        ".codex",
        ".gemini",
        ".hermes",
        ".husky",
        ".mcp.json",
        "mcp.json",
        ".envrc",
        ".pre-commit-config.yaml",
        ".pre-commit-config.yml",
        ".devcontainer",
        ".devcontainer.json",
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".exrc",
        ".nvim.lua",
        ".nvimrc",
        ".dir-locals.el",
        ".hg",
        ".npmrc",
        ".mise.toml",
        "mise.toml",
        ".tool-versions",
        "agents.override.md",
        "copilot-instructions.md",
        ".windsurfrules",
        ".windsurf",
        ".clinerules",
        ".gitattributes",
        ".gitmodules",
        "agents.md",
        "claude.md",
        "gemini.md",
        ".cursorrules",
        ".hermes.md",
        "hermes.md",
    }
)
"""Names of files and folders that programs obey when they open a project, agents included."""


def is_own_file(path: Path, home: Path) -> bool:
    """Return whether ``path`` is one of our files that no tool may write."""
    parts = _below(path, home)
    return parts is not None and len(parts) == 1 and parts[0] in _OWN_FILES


def is_in_home(path: Path, home: Path) -> bool:
    """Return whether ``path`` is the folder of our settings or lies in it."""
    return _below(path, home) is not None


def obeyed_name(path: Path, folder: Path) -> str | None:
    """Return the part of ``path`` below ``folder`` that programs obey when they open a project.

    ``.git`` counts above ``folder`` as well. Returns None if there is no such part.
    """
    for part in path.relative_to(folder).parts:
        name = part.casefold()
        if name in _RUNS_ON_OPEN or name.startswith(".env") or name.endswith(".code-workspace"):
            return part
    parts = [part.casefold() for part in path.parts]
    if ".git" in parts:
        return ".git"
    return ".github/workflows" if (".github", "workflows") in pairwise(parts) else None


def is_hidden(path: Path, folder: Path) -> bool:
    """Return whether a part of ``path`` below ``folder`` begins with a dot."""
    return path.is_relative_to(folder) and any(
        part.startswith(".") for part in path.relative_to(folder).parts
    )


def _below(path: Path, folder: Path) -> tuple[str, ...] | None:
    """Return the parts of ``path`` below ``folder``, case folded, or None if it is not in it."""
    parts = tuple(part.casefold() for part in path.parts)
    above = tuple(part.casefold() for part in folder.parts)
    return parts[len(above) :] if parts[: len(above)] == above else None
