import subprocess
import sys
from pathlib import Path

import pytest

from hermes_core.approval.git_settings import neutral_environment
from hermes_core.approval.secret_files import (
    SAMPLES,
    is_secret,
    is_secret_name,
    ripgrep_rules,
)


@pytest.mark.parametrize(
    "name",
    [
        *SAMPLES,
        *(
            ".ENV",
            ".env.production",
            ".envrc",
            "prod.env",
            ".dev.vars",
            "kubeconfig",
            "x.kubeconfig",
        ),
        *("id_ed25519", "id_rsa_work", "server.pem.bak", "terraform.tfstate", "credentials"),
    ],
)
def test_a_secret_file_is_known_by_its_name(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "env.py", "environment.yml", ".env.example", "id_rsa.pub", "keys.py"),
        *("secrets.py", "config", "monkey", "package.json", ".gitignore"),
    ],
)
def test_other_files_are_no_secrets(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".ssh/anything", True),
        (".AWS/config", True),
        (".git/config", True),
        ("sub/.git/config", True),
        ("config", False),
        (".git/HEAD", False),
        ("src/config/app.py", False),
        ("", False),
    ],
)
def test_folders_make_files_secret(path: str, secret: bool) -> None:
    assert is_secret(part for part in path.split("/") if part) is secret


def test_the_rules_for_ripgrep_are_those_of_the_file() -> None:
    path = Path(neutral_environment()["RIPGREP_CONFIG_PATH"])
    assert path.read_text(encoding="utf-8") == ripgrep_rules()


SECRET = (
    *SAMPLES,
    *(".env.production", "prod.env", "PROD.ENV", ".envrc", "x.envrc", "server.pem.bak", "x.kdbx"),
    *("credentials", "Secrets.yaml", ".aws/anything", ".ssh/config", "deep/.env", "deep/a.key"),
)


def test_ripgrep_leaves_secret_files_out_although_a_project_takes_them_in(tmp_path: Path) -> None:
    """An ignore file may un-ignore what is hidden; what is ignored may be named by a pattern."""
    for name in (*SECRET, "open.txt", "deep/open.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("needle\n", encoding="utf-8")
    (tmp_path / ".ignore").write_text("!*\n!.*\n", encoding="utf-8")
    assert all(is_secret(Path(name).parts) for name in SECRET)

    def seen(*options: str, **env: str) -> set[str]:
        argv = [str(Path(sys.executable).with_name("rg")), "-l", *options, "needle", "."]
        done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, check=True)
        return {line.removeprefix("./") for line in done.stdout.decode().splitlines()}

    assert set(SECRET) < seen()
    assert seen(**neutral_environment()) == {"open.txt", "deep/open.py"}
    assert seen("-g", "*.py", **neutral_environment()) == {"deep/open.py"}
