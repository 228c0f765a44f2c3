"""Whether the settings of a repository let a git command that reads run a program.

A repository can be hostile: its settings name programs that git starts to watch files, to filter
them, to show differences. Those that the environment can override are overridden
(``neutral_environment``); a command that meets another one asks. Git itself is never run for this.
The user's own settings are the user's word.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from hermes_core.approval.git_config import MAX_SIZE, BadConfig, read_settings
from hermes_core.approval.git_index import tracked_objection
from hermes_core.approval.git_places import bytes_of, common_folder, place_objection, text_of
from hermes_core.approval.operands import is_below

_RIPGREP = Path(__file__).with_name("ripgrep.conf")
"""What ``secret_files.ripgrep_rules`` returns; ripgrep takes it from a file alone."""

_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.untrackedCache": "keep",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "maintenance.auto": "false",
    "gc.auto": "0",
}

_EXECUTES = re.compile(
    r"(core\.(fsmonitor|pager|sshcommand|gitproxy|alternaterefscommand|askpass"
    r"|worktree|attributesfile|excludesfile)"
    r"|diff\.(external|command|textconv|orderfile|submodule)|filter\..*|merge\.(driver|tool)"
    r"|gpg\..*|log\.(showsignature|diffmerges)|pager\..*|alias\..*|include\.path|includeif\..*"
    r"|remote\.(promisor|partialclonefilter|uploadpack|receivepack|vcs)"
    r"|extensions\.(partialclone|refstorage)|trailer\.(command|cmd)|uploadpack\..*"
    r"|interactive\.difffilter|difftool\..*|mergetool\..*|man\..*|browser\..*|web\..*"
    r"|status\.submodulesummary|mailmap\.file|blame\.ignorerevsfile|tar\..*|sendemail\..*|instaweb\..*|guitool\..*)"
)
"""Settings, without their subsection, that run a program or read elsewhere."""

SIGNATURE = re.compile(r"%[-+ ]?G")
"""What in a format of ``git log`` starts a program to check a signature (git-log(1))."""
_LFS = {
    "filter.clean": "git-lfs clean -- %f",
    "filter.smudge": "git-lfs smudge -- %f",
    "filter.process": "git-lfs filter-process",
    "filter.required": "true",
}
_HARMLESS_PAGER = frozenset({"cat", "less", "true", "false", ""})
_GITLINK = b"\x00\x00\xe0\x00"
"""The mode of a submodule in the index (gitformat-index(5))."""
_MAX_INDEX = 64 * 1024 * 1024

_seen: dict[str, tuple[tuple[int, int, int], str]] = {}


def neutral_environment() -> dict[str, str]:
    """Return what a command's environment needs so that git runs none of a repository's programs.

    ripgrep, beside it, leaves secret files out even where a repository's ignore files would not.
    Whoever runs a command that was judged safe has to add it.
    """
    env = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "PAGER": "cat",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_COUNT": str(len(_OVERRIDES)),
        "RIPGREP_CONFIG_PATH": str(_RIPGREP),
    }
    for number, (key, value) in enumerate(_OVERRIDES.items()):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    return env


def repository_objection(
    cwd: str, folders: tuple[str, ...], *, worktree: bool, searches: bool = False
) -> str:
    """Return why a git command that reads may do more in ``cwd``, or ``""``.

    folders: the workspace's, real. worktree: whether the command compares the files there, for
    which git also looks into submodules. searches: whether it shows what tracked files hold.
    """
    found = _find_repository(os.path.realpath(cwd))
    if found is None:
        return ""
    top, git_dir = found
    if not git_dir:
        return "the working folder lies in a bare repository, whose settings may run programs"
    if not any(is_below(top, folder) or is_below(folder, top) for folder in folders):
        return "the repository lies outside the workspace"
    common = common_folder(git_dir)
    if objection := place_objection(top, git_dir, common, folders):
        return objection
    for path in _config_files(git_dir, common):
        if objection := _file_objection(path):
            return objection
    if searches and (objection := tracked_objection(git_dir)):
        return objection
    if worktree and _has_submodules(git_dir):
        return _submodule_objection(top, common)
    return ""


def _find_repository(cwd: str) -> tuple[str, str] | None:
    """Return the top folder and the git folder; ``""`` for the latter in a bare repository."""
    folder = cwd
    while True:
        place = os.path.join(folder, ".git")
        if os.path.isdir(place):
            return folder, place
        if os.path.isfile(place):
            return folder, _pointed(place)
        if _is_bare(folder):
            return folder, ""
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _is_bare(folder: str) -> bool:
    names = ("objects", "refs")
    head = os.path.lexists(os.path.join(folder, "HEAD"))
    return head and all(os.path.isdir(os.path.join(folder, name)) for name in names)


def _pointed(place: str) -> str:
    """Return the folder that a file ``.git`` points to; itself if it points nowhere."""
    text = text_of(place, MAX_SIZE) or ""
    target = text.removeprefix("gitdir:").strip()
    return os.path.join(os.path.dirname(place), target) if text.startswith("gitdir:") else place


def _config_files(git_dir: str, common: str) -> Iterator[str]:
    yield os.path.join(common, "config")
    yield os.path.join(git_dir, "config.worktree")
    if git_dir != common:
        yield os.path.join(git_dir, "config")
        yield os.path.join(common, "config.worktree")


def _file_objection(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    if not stat.S_ISREG(found.st_mode):
        return "the settings of the repository are no file"
    mark = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _seen.get(path)
    if known is None or known[0] != mark:
        if len(_seen) > 256:
            _seen.clear()
        known = (mark, _text_objection(text_of(path, MAX_SIZE + 1)))
        _seen[path] = known
    return known[1]


def _text_objection(text: str | None) -> str:
    if text is None or len(text) > MAX_SIZE:
        return "the settings of the repository cannot be read"
    try:
        settings = read_settings(text.replace("\r\n", "\n"))
    except BadConfig:
        return "the settings of the repository are not understood"
    for key, subsection, value in settings:
        if _runs(key, subsection, value):
            full = key.replace(".", f".{subsection}.", 1) if subsection else key
            return f"the repository sets {full[:80]!a}, which may run a program or read elsewhere"
    return ""


def _runs(key: str, subsection: str, value: str) -> bool:
    if key == "core.fsmonitor" and value.lower() in ("false", "no", "off", "0", ""):
        return False
    if key.startswith("pager."):
        return value.lower() not in _HARMLESS_PAGER
    if key.startswith(("format.", "pretty.")):
        return SIGNATURE.search(value) is not None
    if subsection == "lfs" and _LFS.get(key) == value:
        return False
    return _EXECUTES.fullmatch(key) is not None


def _has_submodules(git_dir: str) -> bool:
    path = os.path.join(git_dir, "index")
    if not os.path.lexists(path):
        return False
    data = bytes_of(path, _MAX_INDEX + 1)
    return data is None or len(data) > _MAX_INDEX or _GITLINK in data


def _submodule_objection(top: str, common: str) -> str:
    """Return what is wrong with the settings of submodules, as far as they are found."""
    modules = os.path.join(common, "modules")
    for count, (folder, _, files) in enumerate(os.walk(modules)):
        if count > 500:
            return "the repository has too many submodules to look at"
        if "config" in files and (found := _file_objection(os.path.join(folder, "config"))):
            return f"a submodule: {found}"
    return _embedded_objection(top)


def _embedded_objection(top: str) -> str:
    """Look for folders with a git folder of their own, which need not be known as submodules."""
    waiting, looked = [top], 0
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                folders = [one for one in entries if one.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        looked += len(folders) + 1
        if looked > 2_000:
            return "the repository has submodules, and too many folders to look for them"
        for entry in folders:
            if entry.name == ".git" and folder != top:
                if found := _file_objection(os.path.join(entry.path, "config")):
                    return f"a submodule: {found}"
            elif entry.name != ".git":
                waiting.append(entry.path)
    return ""
