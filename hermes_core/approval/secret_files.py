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
_ENDINGS = re.compile(
    r"\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|kdb|ppk|asc|gpg|ovpn|agekey|age-key|secret|secrets"
    r"|keytab|kubeconfig|pkcs12|tfstate|tfvars)(\.(bak|old|orig|backup))?$"
)
_BEGINNINGS = re.compile(r"id_(rsa|dsa|ecdsa|ed25519)(_sk)?([._-].*)?$")
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
