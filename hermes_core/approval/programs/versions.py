"""Programs of which only the question for their version, or for help, is known to be harmless.

A program is not here if files of the working folder decide what answers: a wrapper of a project, a
shim, a toolchain file, plugins (``cargo``, ``yarn``, ``pnpm``, ``go``, ``dotnet``, ``gradle``).
"""

from hermes_core.approval.model import Model
from hermes_core.approval.names import names

_DASHED = names(
    "bash zsh gcc g++ cc c++ clang clang++ ld as ar make gmake cmake ninja gdb lldb perl python"
    " python3 node ruby php deno R Rscript julia ghc javac uv ruff gh docker podman"
    " curl wget rsync openssl ffmpeg convert pandoc sqlite3 psql mysql redis-cli vim nvim nano"
    " emacs tmux bat fzf shellcheck shfmt hadolint jq awk gawk sed grep rg fd tree find sort tar"
    " gzip zip unzip diff ls cat bwrap strace valgrind flex bison protoc autoconf automake m4"
    " pkg-config xz zstd bzip2 less which gofmt helm nginx systemctl"
)
_SHORT = {
    "-V": (
        *("python", "python3", "uv", "ruff", "curl", "tmux", "rsync", "ssh", "psql"),
        *("mysql",),
    ),
    "-v": (
        *("node", "ruby", "php", "perl", "gcc", "g++", "nginx", "make", "gmake", "docker", "clang"),
        *("lua", "gdb", "nvim"),
    ),
    "-version": ("java", "javac"),
    "version": ("openssl",),
}


_HELPED = names(
    "ls cat tac head tail nl wc od stat du df realpath readlink basename dirname md5sum sha1sum"
    " sha256sum sha512sum b2sum cksum sort uniq cut tr diff cmp comm join paste fold fmt expand"
    " shuf seq numfmt base64 grep egrep rg fd find sed jq tree file tar xxd hexdump strings column"
    " date uname id nproc"
)
"""What they print for it is how they are used, in each of their builds."""


def version_forms() -> dict[str, frozenset[tuple[str, ...]]]:
    """Return by program the arguments that only ask for its version, or for help."""
    forms: dict[str, set[tuple[str, ...]]] = {name: {("--version",)} for name in _DASHED}
    forms.setdefault("java", {("--version",)})
    for argument, programs in _SHORT.items():
        for name in programs:
            forms.setdefault(name, set()).add((argument,))
    for name in _HELPED:
        forms.setdefault(name, set()).add(("--help",))
    return {name: frozenset(found) for name, found in forms.items()}


VERSION_FORMS = version_forms()
VERSION = Model("", "text*", raw=True)
"""The model of a call that has one of these forms."""
