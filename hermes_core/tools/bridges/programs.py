"""The program behind an MCP server: where it is, and whether it is the workspace's own.

What lies in a workspace may have been put there by anybody, so a server whose program, script or
loaded library is there is started only once a person has seen it, and again when it has changed.
Where it is not, it is started in the user's home: there no project's files are found first.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.errors import ToolError
from hermes_core.local.mcp_settings import McpServer

MOST_BYTES = 64 * 1024 * 1024
"""Of the files of one server that are read for their hash."""

MOST_FILES = 500

_LOADERS = frozenset(
    {
        *("PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"),
        *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "NODE_PATH", "RUBYLIB"),
        *("RUBYOPT", "PERL5LIB", "PERL5OPT", "BASH_ENV", "ENV", "CLASSPATH", "JAVA_TOOL_OPTIONS"),
        *("GIT_CONFIG_GLOBAL", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig"),
    }
)
"""Variables by which a program is made to run something else."""

_PACKAGE_RUNNERS = frozenset({"npx", "bunx", "pnpx", "uvx", "pipx"})
_RUNNERS = (
    *("python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "java", "bash", "sh", "zsh"),
    *("tsx", "ts-node", "npm", "pnpm", "yarn", "uv", "poetry", "pdm", "cargo", "go", "dotnet"),
    *("make", "just", "docker", "podman"),
)


@dataclass(frozen=True, slots=True)
class Program:
    """How a server is started.

    inside: files and folders of the workspace that take part, none for a server that is not the
    workspace's. digest: of all that decides what runs; ``""`` if there is too much of it.
    """

    argv: tuple[str, ...]
    cwd: Path
    inside: tuple[Path, ...] = ()
    digest: str = ""


def program_of(
    server: McpServer, env: Mapping[str, str], roots: Sequence[Path], home: Path
) -> Program:
    """Return how ``server`` is started with ``env``, whose PATH finds it.

    roots: the folders of the workspace, the working folder first. home: where a server is started
    that is not the workspace's. Raises ``ToolError`` if there is no such program.
    """
    base = Path(server.cwd).expanduser() if server.cwd else roots[0]
    found = _find(server.command, env.get("PATH", ""), base)
    inside = tuple(dict.fromkeys(_inside(server, found, base, roots)))
    cwd = base if inside or server.cwd else home
    if not cwd.is_dir():
        raise ToolError(f"the folder {cwd} that it is to be started in does not exist.")
    digest = _digest(server, found, inside, cwd) if inside else ""
    return Program((found, *server.args), cwd, inside, digest)


def _find(command: str, path: str, base: Path) -> str:
    if "/" in command or command.startswith("~"):
        whole = os.path.normpath(base / os.path.expanduser(command))
        if not os.path.isfile(whole):
            raise ToolError(f"there is no program {whole}.")
        return whole
    folders = os.pathsep.join(one for one in path.split(os.pathsep) if os.path.isabs(one))
    found = shutil.which(command, path=folders)
    if found is None:
        raise ToolError(
            f"the program {command} is not on your PATH. Install it, or name it by its whole path."
        )
    return found


def _inside(server: McpServer, found: str, base: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield what of the workspace would run or be loaded."""
    if lies_in(found, roots):
        yield Path(found)
    if server.cwd and lies_in(server.cwd, roots):
        yield base
    name = Path(found).name
    positional = 0
    for word in server.args:
        positional += not word.startswith("-")
        for text in (word, word.partition("=")[2]):
            path = _existing(text, base)
            if path is None or not lies_in(path, roots):
                continue
            if path.is_file() or _runs_folder(name, positional):
                yield path
    yield from _loaded(server.env, base, roots)


def _runs_folder(name: str, positional: int) -> bool:
    """Tell whether a folder among a program's arguments is run, rather than worked on."""
    if name in _PACKAGE_RUNNERS:
        return positional <= 1
    return name.startswith(_RUNNERS)


def _loaded(env: Sequence[tuple[str, str]], base: Path, roots: Sequence[Path]) -> Iterator[Path]:
    for name, value in env:
        if name not in _LOADERS:
            continue
        for word in value.replace(os.pathsep, " ").replace("=", " ").split():
            path = _existing(word, base)
            if path is not None and lies_in(path, roots):
                yield path


def _existing(text: str, base: Path) -> Path | None:
    if not text or "\0" in text or len(text) > 4_096:
        return None
    path = Path(os.path.normpath(base / os.path.expanduser(text)))
    try:
        return path if path.exists() else None
    except OSError:
        return None


def lies_in(path: str | Path, roots: Sequence[Path]) -> bool:
    """Return whether ``path`` lies in one of ``roots``, as it is written or with links followed."""
    written = Path(os.path.normpath(os.path.expanduser(path)))
    real = Path(os.path.realpath(written))
    for root in roots:
        for folder in (root, Path(os.path.realpath(root))):
            if written.is_relative_to(folder) or real.is_relative_to(folder):
                return True
    return False


def _digest(server: McpServer, found: str, inside: Sequence[Path], cwd: Path) -> str:
    """Return what changes when the server, or a file of the workspace that it runs, does."""
    told = hashlib.sha256(
        repr((found, server.args, server.env, str(cwd))).encode("utf-8", "replace")
    )
    room = MOST_BYTES
    for files, path in enumerate(_files(inside), 1):
        try:
            size = path.stat().st_size
            room -= size
            if room < 0 or files > MOST_FILES:
                return ""
            told.update(f"\0{path}\0{size}\0".encode("utf-8", "replace"))
            told.update(path.read_bytes())
        except OSError:
            return ""
    return told.hexdigest()[:32]


def _files(inside: Sequence[Path]) -> Iterator[Path]:
    for path in inside:
        if path.is_file():
            yield path
        else:
            for folder, folders, names in os.walk(path):
                folders.sort()
                yield from (Path(folder) / name for name in sorted(names))
