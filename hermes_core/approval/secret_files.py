"""Which files hold secrets, by their names: pure questions about paths.

Names are compared without regard to case, since some file systems do so.
"""

import re
from collections.abc import Iterable

_NAMES = frozenset(
    {
        ".netrc",
        "_netrc",
        ".authinfo",
        ".authinfo.gpg",
        ".pgpass",
        ".npmrc",
        ".yarnrc.yml",
        ".pypirc",
        ".git-credentials",
        ".htpasswd",
        ".my.cnf",
        ".mylogin.cnf",
        ".s3cfg",
        ".boto",
        ".dockercfg",
        ".dockerconfigjson",
        ".vault-token",
        ".dev.vars",
        ".flaskenv",
        ".secrets.toml",
        "kubeconfig",
        "settings-security.xml",
        "local.settings.json",
        "credentials.csv",
        "application_default_credentials.json",
        ".vault_pass",
        ".vault_password",
        ".terraformrc",
        "terraform.tfstate",
        "terraform.tfvars",
        "master.key",
        "credentials",
        "credentials.json",
        "credentials.yml",
        "credentials.yaml",
        "credentials.toml",
        "secrets",
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        "secrets.env",
        "secret.json",
        "secret.yml",
        "secret.yaml",
        "secret.toml",
        "auth.json",
        "service-account.json",
        "service_account.json",
        "client_secret.json",
        "wp-config.php",
        "shadow",
        "gshadow",
        "known_hosts",
        "authorized_keys",
    }
)
_KINDS = (
    *("pem", "key", "p12", "pfx", "p8", "jks", "keystore", "kdbx", "kdb", "ppk", "asc", "gpg"),
    *("ovpn", "agekey", "age-key", "secret", "secrets", "keytab", "kubeconfig", "pkcs12"),
    *("tfstate", "tfvars"),
)
_OLD = ("bak", "old", "orig", "backup")
_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_ENDINGS = re.compile(rf"\.({'|'.join(_KINDS)})(\.({'|'.join(_OLD)}))?$")
_BEGINNINGS = re.compile(rf"({'|'.join(_KEYS)})(_sk)?([._-].*)?$")
_ENV = re.compile(r"(.+)?\.env([._~-].*|rc)?$")
_EXAMPLES = re.compile(r"\.(example|sample|template|dist|tmpl|defaults|schema)$")
_FOLDERS = frozenset(
    {
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".docker",
        ".password-store",
        ".gcloud",
        ".secrets",
        ".chamber",
        ".1password",
        ".hermes",
    }
)
_GIT_CONFIG = frozenset({"config", "config.worktree", "credentials", "credential-cache"})

SAMPLES = (
    ".env",
    ".env.local",
    "a.env",
    ".netrc",
    ".npmrc",
    "id_rsa",
    "a.pem",
    "a.key",
    "secrets.json",
)
"""Names of secret files as a pattern might match them."""


def is_secret(parts: Iterable[str]) -> bool:
    """Return whether a file at a path of these parts holds secrets, judged by names alone."""
    folded = [part.casefold() for part in parts]
    if not folded:
        return False
    if any(part in _FOLDERS for part in folded):
        return True
    if ".git" in folded[:-1] and folded[-1] in _GIT_CONFIG:
        return True
    return is_secret_name(folded[-1])


def is_secret_name(name: str) -> bool:
    """Return whether files of this name hold secrets."""
    name = name.casefold()
    if name in _NAMES:
        return True
    if name.endswith(".pub") or _EXAMPLES.search(name):
        return False
    return bool(_ENV.match(name) or _BEGINNINGS.match(name) or _ENDINGS.search(name))


def ripgrep_rules() -> str:
    """Return settings of ripgrep that leave secret files out, whatever ignore files say.

    They come before the options of a command, whose own patterns may still name such a file. A
    few names beside secret ones are left out too, such as ``.env.example`` and ``id_rsa.pub``:
    a rule that takes back another would leave out everything else.
    """
    kinds, old = "{" + ",".join(_KINDS) + "}", "{" + ",".join(_OLD) + "}"
    patterns = [
        *sorted(_NAMES | _FOLDERS),
        *(".env*", "*.env", "*.env.*", "*.envrc", f"*.{kinds}", f"*.{kinds}.{old}"),
        *(f"{key}*" for key in _KEYS),
        *(f"**/.git/**/{name}" for name in sorted(_GIT_CONFIG)),
    ]
    return "".join(f"--iglob=!{pattern}\n" for pattern in patterns)
