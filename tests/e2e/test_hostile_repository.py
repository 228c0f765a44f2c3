"""A repository full of traps is opened, talked about, read, searched and edited: none springs."""

import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, REJECT, AgentError, Session
from tests.e2e.stage import COMMAND, Stage
from tests.e2e.traps import BUILDERS, Traps
from tests.fakes.provider import Call, calls, say

pytestmark = pytest.mark.asyncio

LOOKED_AT = (
    "git status",
    "git status --short --branch",
    "git diff",
    "git diff --stat HEAD~1",
    "git log -p -2",
    "git log --oneline --graph",
    "git show HEAD",
    "git branch -a",
    "git blame src/main.py",
    "git -C sub status",
    "git -C bare.git log",
    "git -C file-as-git status",
    "git ls-files",
    "git remote -v",
    "git submodule status",
    "git st",
    "ls -la",
    "cat README.md",
    "grep -rn needle src",
    "rg needle",
    "rg --pre ./preprocess needle",
    "find . -name '*.md'",
    "head -5 src/main.py",
    "wc -l src/main.py",
    "python3 -c pass",
    "make",
    "npm test",
    "./install.sh",
    "env",
    "sh -c true",
)
READ = (
    "README.md",
    "AGENTS.md",
    "src/main.py",
    "src/AGENTS.md",
    ".envrc",
    ".env",
    ".git/config",
    ".mcp.json",
    "AGENTS.override.md",
    "passwd",
    "out/etc/hostname",
    "settings/config.yaml",
    "loop",
    "pipe",
    "src/notes.md",
    "huge.md",
    "odd/$(touch pwned).md",
    "sub",
)


class Evil:
    """Whoever listens where the traps lead; it never answers."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._server.setblocking(False)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/v1"

    def was_reached(self) -> bool:
        """Return whether anybody connected."""
        try:
            self._server.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def evil() -> Iterator[Evil]:
    listener = Evil()
    yield listener
    listener.close()


@pytest.fixture
def traps(stage: Stage, evil: Evil) -> Traps:
    return Traps(stage.workspace(), stage.folder / "marks", evil.url)


class Opened(AcpClient):
    """The program as an editor starts it that has the project open: there, or with its settings."""

    def __init__(self, stage: Stage, project: Path, **environ: str) -> None:
        super().__init__(stage)
        self.project = project
        self.environ = environ

    async def start(self) -> None:
        there = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(self.project)]
        await self.start_io(*there, COMMAND[0], "-P", *COMMAND[1:], env=self.environ)


@asynccontextmanager
async def opened(stage: Stage, project: Path, **environ: str) -> AsyncIterator[Opened]:
    client = Opened(stage, project, **environ)
    await client.start()
    try:
        await client.initialize()
        yield client
    except BaseException:
        if client.process.returncode is None:
            client.process.kill()
        raise
    finally:
        await client.stop()


def only_edits(params: dict[str, Any]) -> dict[str, Any]:
    """Allow the model's one edit, and that it is taken back; nothing else."""
    return REJECT if params["toolCall"]["kind"] in ("execute", "read") else ALLOW


async def one_call(session: Session, number: int, tool: str, **arguments: Any) -> None:
    """Have the model make one call in a turn of its own."""
    session.client.stage.provider.script(
        calls(Call(tool, arguments, id=f"call-{number}")), say("Seen.")
    )
    await session.prompt(f"step {number}")


async def look_at_everything(client: AcpClient, project: Path) -> Session:
    """Do all that a person does with a project who does not run anything of it."""
    client.editor.decide = only_edits
    session = await client.new_session(project)
    link = {"type": "resource_link", "uri": f"file://{project}/AGENTS.md", "name": "AGENTS.md"}
    client.stage.provider.script(say("Hello."))
    await session.prompt([{"type": "text", "text": "hi"}, link])
    number = 0
    for path in READ:
        await one_call(session, number := number + 1, "read_file", path=path)
    for arguments in ({"pattern": "needle"}, {"pattern": "*.md", "target": "files"}):
        await one_call(session, number := number + 1, "search_files", **arguments)
    for command in LOOKED_AT:
        await one_call(session, number := number + 1, "terminal", command=command)
    await one_call(
        session, number + 1, "write_file", path="README.md", content="# A project\n\nchanged\n"
    )
    assert (project / "README.md").read_text() == "# A project\n\nchanged\n"
    for command in (
        "/skills",
        "/memory",
        "/provider",
        "/sandbox",
        "/checkpoints",
        "/undo",
        "/mode",
    ):
        await session.prompt(command)
    assert (project / "README.md").read_text() == "# A project\n\nneedle\n"
    return session


def policies(home: Path) -> dict[str, bytes]:
    """Return the files of our home that say what may run and where keys go."""
    names = ("config.yaml", ".env", "auth.json", "approvals.yaml")
    found = {name: (home / name).read_bytes() for name in names if (home / name).exists()}
    return found | {str(p): b"" for part in ("plugins", "skills") for p in home.glob(f"{part}/*")}


@pytest.mark.parametrize("sandbox", ["off", "auto"])
async def test_nothing_runs_is_sent_or_is_allowed(
    stage: Stage, traps: Traps, evil: Evil, sandbox: str
) -> None:
    """With the second wall down too: what holds is that nothing is run, not that it is held."""
    stage.configure(sandbox={"mode": sandbox})
    before = policies(stage.home)
    async with opened(stage, traps.project) as client:
        session = await look_at_everything(client, traps.project)
        await client.load_session(session.id, traps.project)
        modes = session.opened["modes"]
        assert modes["currentModeId"] == "default"
        assert not [
            u for u in session.of_kind("current_mode_update") if u["currentModeId"] != "default"
        ]
    assert traps.sprung() == set()
    assert not evil.was_reached()
    assert policies(stage.home) == before
    assert not list(traps.project.rglob("pwned"))


async def test_nor_with_the_environment_that_it_asks_for(
    stage: Stage, traps: Traps, evil: Evil
) -> None:
    """An editor may have taken over what the project's ``.envrc`` says."""
    stage.configure(sandbox={"mode": "off"})
    project = traps.project
    environ = {
        "PATH": f"{project}:{project}/bin:{project}/node_modules/.bin:{stage.environ['PATH']}",
        "SHELL": f"{project}/bash",
        "BASH_ENV": f"{project}/.bash_env",
        "ENV": f"{project}/.bash_env",
        "PROMPT_COMMAND": f"{project}/install.sh",
        "GIT_EXTERNAL_DIFF": f"{project}/install.sh",
        "GIT_DIR": f"{project}/bare.git",
        "GIT_CONFIG_GLOBAL": f"{project}/.evil-gitconfig",
        "GIT_ASKPASS": f"{project}/install.sh",
        "RIPGREP_CONFIG_PATH": f"{project}/.ripgreprc",
        "EDITOR": f"{project}/install.sh",
        "PAGER": f"{project}/install.sh",
        "OPENAI_BASE_URL": evil.url,
        "ANTHROPIC_BASE_URL": evil.url,
        "HTTP_PROXY": evil.url,
        "HTTPS_PROXY": evil.url,
        "ALL_PROXY": evil.url,
    }
    async with opened(stage, project, **environ) as client:
        await look_at_everything(client, project)
    assert traps.sprung() == set()
    assert not evil.was_reached()


@pytest.mark.parametrize(
    ("variable", "place"),
    [("HERMES_HOME", ""), ("HERMES_HOME", ".hermes"), ("HOME", ""), ("HOME", "src")],
)
async def test_nor_with_a_home_of_its_own(
    stage: Stage, traps: Traps, evil: Evil, variable: str, place: str
) -> None:
    """Not even before a folder is known, and not from a folder within the project."""
    home = {"HERMES_HOME": "", variable: str(traps.project / place)}
    async with opened(stage, stage.folder, **home) as client:
        for method in client.initialized["authMethods"]:
            if method.get("type", "agent") == "agent":
                await client.request("authenticate", {"methodId": method["id"]})
        for folder in (traps.project, traps.project / "src"):
            with pytest.raises(AgentError, match=variable):
                await client.new_session(folder)
    assert traps.sprung() == set()
    assert not evil.was_reached()


async def test_the_traps_are_live(stage: Stage, traps: Traps) -> None:
    """What a careless program does springs them."""
    assert len(BUILDERS) > 10
    project = traps.project
    beside = Path(sys.executable).parent  # ripgrep
    careless = {"PATH": f"{os.defpath}:{beside}", "HOME": str(stage.user)}

    def do(*argv: str, **environ: str) -> set[str]:
        traps.reset()
        subprocess.run(
            argv,
            cwd=project,
            env={**careless, **environ},
            capture_output=True,
            timeout=60,
            check=False,
        )
        return traps.sprung()

    assert {"fsmonitor-included", "filter-process"} <= do("git", "status")
    assert "textconv" in do("git", "log", "-p")
    assert "diff-command" in do("git", "diff")
    assert "inner-fsmonitor" in do("git", "-C", "sub", "status")
    assert "alias" in do("git", "st")
    assert "hooks-path-post-checkout" in do("git", "checkout", "-b", "other")
    assert "shim-ls" in do("ls", PATH=f"{project}:{os.defpath}")
    assert "startup.bash_env" in do("bash", "-c", "true", BASH_ENV=f"{project}/.bash_env")
    assert "site" in do(sys.executable, "-c", "", PYTHONPATH=str(project))
    assert "make" in do("make", "all")
    assert "case-hook" in do("sh", "-c", ".GIT/hooks/post-checkout")
    assert "rg-pre" in do("rg", "needle", RIPGREP_CONFIG_PATH=f"{project}/.ripgreprc")
