import pytest

from hermes_core.approval.secret_files import SAMPLES, is_secret, is_secret_name


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
