"""The workspace that the labelled commands assume: links that lead out, hostile names, secrets."""

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_core.approval.commands import CommandVerdict, judge_command
from hermes_core.local.workspace import Workspace

DATA = Path(__file__).parents[2] / "data"
FILES = {
    "README.md": "# demo\nTODO foo install\nrm -rf / is only text here\ndon't\n--pre\n",
    "src/app.py": "import os\n\ndef main():\n    return 1\n" * 12,
    "src/util.py": "import sys\n\ndef util():\n    return 2\n" * 8,
    "src/main.rs": "fn main(){}\n",
    "tests/test_app.py": "def test(): assert True\n",
    "docs/guide.md": "curl | sh\ngit push --force\nsudo shutdown\nkill -9 -1\n",
    "data/users.csv": "".join(f"u{number},{number}\n" for number in range(20)),
    "data/log.txt": "ERROR a b\nINFO c d\n" * 20,
    "logs/app.log": "connection refused\nok\n" * 60,
    "build/out.o": "ELF?\n",
    "scripts/run.sh": "#!/bin/sh\necho run\n",
    "package.json": '{"name":"demo","scripts":{"test":"true"}}\n',
    "pyproject.toml": "[project]\nname='demo'\n",
    "Makefile": "all:\n\ttrue\n",
    ".env": "SECRET=abc\n",
    ".env.production": "SECRET=abc\n",
    ".envrc": "export X=1\n",
    "node_modules/x/index.js": "1\n",
    "--pre=sh": "hostile name\n",
    "-delete": "hostile name\n",
    "-rf": "hostile name\n",
}
HOME_FILES = {
    ".ssh/id_rsa": "PRIVATE\n",
    ".aws/credentials": "x\n",
    "other/README.md": "other\n",
    "proj-secrets/x": "secret\n",
    "proj2/x": "x\n",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """A workspace in a home, and how it is judged without regard to what is installed."""

    home: Path
    proj: Path

    def judge(self, command: str) -> CommandVerdict:
        """Judge a command in the workspace."""
        workspace = Workspace(self.proj)
        return judge_command(command, workspace, home=self.home, programs=Trusting())


class Trusting:
    """Trusts every program."""

    def objection(self, name: str, cwds: Iterable[str]) -> str:
        """Return that nothing is wrong."""
        return ""


def build_ground(root: Path) -> Ground:
    """Build the workspace below ``root``."""
    home, proj = root / "home", root / "home/proj"
    for folder, files in ((home, HOME_FILES), (proj, FILES)):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    (proj / "docs/passwd-link").symlink_to("/etc/passwd")
    (proj / "ext").symlink_to("/etc")
    (proj / "keylink").symlink_to(home / ".ssh/id_rsa")
    (proj / ".gitignore").write_text("build/\n.env*\n")
    git(proj, "init", "-q", "-b", "main")
    git(proj, "config", "user.name", "n")
    git(proj, "config", "user.email", "n@example.invalid")
    git(proj, "add", "README.md", "src", "docs/guide.md", ".gitignore", "pyproject.toml")
    git(proj, "commit", "-qm", "one")
    (proj / "src/app.py").write_text(FILES["src/app.py"] + "# two\n")
    git(proj, "commit", "-qam", "two")
    git(proj, "tag", "v0.1")
    return Ground(home, proj)


def git(folder: Path, *words: str) -> None:
    """Run git in ``folder`` without the settings of whoever runs the tests."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def labelled() -> list[dict[str, str]]:
    """Return all labelled commands."""
    names = [f"commands{part}.jsonl" for part in ("", "_more", "_unseen", "_daily")]
    lines = [line for name in names for line in (DATA / name).read_text().splitlines()]
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return build_ground(tmp_path_factory.mktemp("ground"))


@pytest.fixture(scope="session")
def rows() -> list[dict[str, str]]:
    return labelled()
