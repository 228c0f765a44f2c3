"""Snapshots of one folder, kept as git objects outside of it.

The user's own repository is never touched: objects, index and references stand in a store of our
own, whose configuration is the only one that git reads. Nothing in the folder can make git run a
program or change a byte: attributes are overridden, and hooks, filters and monitors have no
configuration to stand in. A snapshot holds what is tracked or not ignored; larger files and
repositories within the folder are left out and named.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.capture import Captured, capture
from hermes_core.local.folders import make_private_folder

MOST_FILES = 50_000
"""Files that may be new or changed in one snapshot."""

LARGEST_FILE = 5_000_000
"""Bytes of a file that a snapshot takes; a larger one is left out."""

MOST_BYTES = 300_000_000
"""Bytes that may be new or changed in one snapshot."""

TIMEOUT = 10.0
"""Seconds that one run of git may take."""

_ATTRIBUTES = "* -text -filter -ident -diff -working-tree-encoding -export-subst\n"
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = false
\tautocrlf = false
\tsafecrlf = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\tlooseCompression = 1
\tsymlinks = true
\tfileMode = true
\tquotePath = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_REFS = "refs/hermes"
_MAX_OUTPUT = 64_000_000
_IGNORE = ".gitignore"
_RULES = "rules-"
_GITLINK = "160000"
_LINK = "120000"
_NONE = "000000"


@dataclass(frozen=True, slots=True)
class State:
    """What stands at a path: a git mode and the id of the content."""

    mode: str
    blob: str

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link, its target being the content."""
        return self.mode == _LINK

    @property
    def is_program(self) -> bool:
        """Whether it may be run."""
        return self.mode == "100755"


@dataclass(frozen=True, slots=True)
class Change:
    """How a path differs between two snapshots; None for nothing there."""

    path: str
    old: State | None
    new: State | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot: the id of its tree, and the paths that it does not hold."""

    tree: str
    left_out: tuple[str, ...] = ()


class Shadow:
    """The snapshots of ``root``, in the folder ``place``. Used by one thread at a time.

    git: the program. patience: seconds that one run of it may take. without: a folder that no
    snapshot holds, wherever it lies.
    Every method raises ``ToolError`` for what git cannot do, and ``Interrupted``.
    """

    def __init__(
        self,
        place: Path,
        root: Path,
        *,
        git: str,
        env: Mapping[str, str],
        patience: float = TIMEOUT,
        without: Path | None = None,
    ) -> None:
        self._place = place
        self._root = root
        self._git = git
        self._patience = patience
        self._without = _inside(root, without)
        self._env = {
            "PATH": env.get("PATH", ""),
            "HOME": str(place),
            "LC_ALL": "C",
            "GIT_DIR": str(place),
            "GIT_WORK_TREE": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def take(self, interrupt: Interrupt) -> Taken:
        """Return a snapshot of the folder as it is now."""
        with self._held(interrupt):
            self._ready(interrupt)
            wanted, left_out = self._candidates(interrupt)
            if wanted:
                self._add(wanted, interrupt)
            tree = self._text("write-tree", interrupt=interrupt)
            return Taken(tree, tuple(left_out))

    def keep(self, name: str, tree: str, interrupt: Interrupt) -> None:
        """Let ``tree`` stay until its ``name`` is forgotten; it is a word of a-z, 0-9 and -."""
        with self._held(interrupt):
            self._text("update-ref", f"{_REFS}/{name}/{tree}", tree, interrupt=interrupt)

    def forget(self, is_kept: Callable[[str, str], bool], interrupt: Interrupt) -> None:
        """Delete every name and tree that ``is_kept`` denies, and what none holds then."""
        if not (self._place / "HEAD").exists():
            return
        with self._held(interrupt):
            listed = self._text("for-each-ref", "--format=%(refname)", _REFS, interrupt=interrupt)
            gone = [one for one in listed.splitlines() if not is_kept(*one.split("/")[2:4])]
            for reference in gone:
                self._text("update-ref", "-d", reference, interrupt=interrupt)
            if gone:
                self._run(["prune", "--expire=now"], interrupt)

    def changes(self, old: str, new: str, interrupt: Interrupt) -> list[Change]:
        """Return what differs between two snapshots, by path."""
        data = self._run(
            ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new], interrupt
        ).stdout
        return list(_changes(data))

    def hidden(self, old: str, changes: Sequence[Change], interrupt: Interrupt) -> list[str]:
        """Return which of ``changes`` are new only because rules that ignored them have changed.

        old: the snapshot of before them.
        """
        ruled = any(one.old for one in changes if os.path.basename(one.path) == _IGNORE)
        new = [one.path for one in changes if one.old is None]
        if not ruled or not new:
            return []
        listed = self._run(["ls-tree", "-r", "-z", "--name-only", old], interrupt).stdout
        rules = [os.fsdecode(name) for name in listed.split(b"\0")]
        with self._held(interrupt), TemporaryDirectory(dir=self._place, prefix=_RULES) as folder:
            for name in (name for name in rules if os.path.basename(name) == _IGNORE):
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(
                    self._run(["cat-file", "blob", f"{old}:{name}"], interrupt).stdout
                )
            for name in new:
                with suppress(OSError):  # a file stands now where the rules of a folder stood
                    Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, name).touch()
            seen = self._seen_in(Path(folder), interrupt)
            return [
                name for name in new if name not in seen and os.path.lexists(f"{folder}/{name}")
            ]

    def _seen_in(self, folder: Path, interrupt: Interrupt) -> set[str]:
        """Return the files of a folder of ours that its rules do not ignore."""
        found = capture(
            [self._git, "ls-files", "-z", "--others", "--exclude-standard"],
            folder,
            env={
                **self._env,
                "GIT_WORK_TREE": str(folder),
                "GIT_INDEX_FILE": str(self._place / "no-index"),
            },
            timeout=self._patience,
            max_bytes=_MAX_OUTPUT,
            interrupt=interrupt,
        )
        if found.exit_code != 0 or found.truncated:
            raise _failure("the rules of before could not be asked")
        return {os.fsdecode(name) for name in found.stdout.split(b"\0")}

    def content(self, state: State, interrupt: Interrupt) -> bytes:
        """Return what a file holds, or a link's target."""
        return self._run(["cat-file", "blob", state.blob], interrupt).stdout

    @contextmanager
    def _held(self, interrupt: Interrupt) -> Iterator[None]:
        """Hold the store alone; another process's snapshot is waited for."""
        from filelock import FileLock, Timeout

        try:
            make_private_folder(self._place.parent)
        except OSError as error:
            raise _failure(error.strerror or str(error)) from None
        lock = FileLock(self._place.with_name(self._place.name + ".lock"), mode=0o600)
        waited = 0.0
        while True:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                if waited > 2 * TIMEOUT:
                    raise _failure("another process keeps it busy") from None
                interrupt.wait(0.05)
                interrupt.raise_if_set()
                waited += 0.05
            except OSError as error:
                raise _failure(error.strerror or str(error)) from None
        try:
            yield
        finally:
            lock.release()

    def _ready(self, interrupt: Interrupt) -> None:
        """Make the store, or mend one that was left half made or half used."""
        place = self._place
        if not (place / "HEAD").exists():
            self._run(["init", "--quiet", "--template=", str(place)], interrupt, bare=True)
        for name, text in (("config", _CONFIG), ("info/attributes", _ATTRIBUTES)):
            path = place / name
            path.parent.mkdir(mode=0o700, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
        place.chmod(0o700)
        (place / "index.lock").unlink(missing_ok=True)  # of a killed process: we hold the store
        for left in place.glob(f"{_RULES}*"):
            shutil.rmtree(left, ignore_errors=True)

    def _candidates(self, interrupt: Interrupt) -> tuple[list[bytes], list[str]]:
        """Return the paths to take in, and those to leave out; raise if it is too much."""
        exclude = self._root / ".git" / "info" / "exclude"
        ask = ["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"]
        if exclude.is_file():
            ask = ["-c", f"core.excludesFile={exclude}", *ask]
        listed = self._run(ask, interrupt)
        names = {name for name in listed.stdout.split(b"\0") if name}
        names |= self._forced(interrupt)
        if self._without:
            names = {name for name in names if not name.startswith(self._without)}
        if listed.truncated or len(names) > MOST_FILES:
            raise _failure(f"more than {MOST_FILES:,} files changed or are new")
        wanted: list[bytes] = []
        left_out: list[str] = []
        total = 0
        for name in sorted(names):
            size = _size(os.path.join(os.fsencode(self._root), name))
            if name.endswith(b"/") or size is None or size > LARGEST_FILE:
                left_out.append(os.fsdecode(name))
                continue
            total += size
            wanted.append(name)
        if total > MOST_BYTES:
            raise _failure(f"more than {MOST_BYTES // 1_000_000:,} MB changed or are new")
        return wanted, left_out

    def _forced(self, interrupt: Interrupt) -> set[bytes]:
        """Return files that the user's repository tracks although they are ignored."""
        if not (self._root / ".git").exists():
            return set()
        argv = [self._git]
        for override in _OVERRIDES:
            argv += ["-c", override]
        argv += ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]
        env = {k: v for k, v in self._env.items() if k not in ("GIT_DIR", "GIT_WORK_TREE")}
        env |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
        found = capture(
            argv,
            self._root,
            env=env,
            timeout=TIMEOUT,
            max_bytes=_MAX_OUTPUT,
            interrupt=interrupt,
        )
        names = found.stdout.split(b"\0") if found.exit_code == 0 else []
        return {name for name in names if name}

    def _add(self, names: Sequence[bytes], interrupt: Interrupt) -> None:
        path = self._place / "hermes-paths"
        path.write_bytes(b"\0".join(names))
        spec = [f"--pathspec-from-file={path}", "--pathspec-file-nul"]
        self._run(["add", "--all", "--force", "--ignore-errors", *spec], interrupt, lenient=True)

    def _text(self, *args: str, interrupt: Interrupt) -> str:
        return self._run(list(args), interrupt).stdout.decode("utf-8", "surrogateescape").strip()

    def _run(
        self,
        args: Sequence[str],
        interrupt: Interrupt,
        *,
        bare: bool = False,
        lenient: bool = False,
    ) -> Captured:
        env = dict(self._env)
        if bare:
            del env["GIT_WORK_TREE"], env["GIT_DIR"]
            args = [args[0], "--bare", *args[1:]]
        done = capture(
            [self._git, *args],
            self._root,
            env=env,
            timeout=self._patience,
            max_bytes=_MAX_OUTPUT,
            interrupt=interrupt,
        )
        if done.timed_out:
            raise _failure(f"it took longer than {self._patience:g} s")
        if done.truncated or (done.exit_code != 0 and not lenient):
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _failure(said[-1][:200] if said else f"git {args[0]} failed")
        return done


def _inside(root: Path, folder: Path | None) -> bytes:
    """Return how the names of all that is in ``folder`` begin, seen from ``root``; maybe empty."""
    if folder is None or not (real := folder.resolve()).is_relative_to(root):
        return b""
    return os.fsencode(real.relative_to(root)) + b"/"


def _size(path: bytes) -> int | None:
    """Return a file's size; 0 for what is gone, None for what is neither a file nor a link."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    kind = status.st_mode & 0o170000
    return status.st_size if kind in (0o100000, 0o120000) else None


def _changes(data: bytes) -> Iterator[Change]:
    parts = data.split(b"\0")
    for head, path in zip(parts[0::2], parts[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.decode("ascii").lstrip(":").split(" ")
        if _GITLINK in (old_mode, new_mode):
            continue
        yield Change(
            os.fsdecode(path),
            None if old_mode == _NONE else State(old_mode, old),
            None if new_mode == _NONE else State(new_mode, new),
        )


def _failure(reason: str) -> ToolError:
    return ToolError(f"No snapshot of the workspace could be used: {reason}.")
