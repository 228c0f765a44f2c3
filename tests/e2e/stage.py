"""What a started Hermes lives in: a home of its own, folders to work in, a provider to ask."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider

COMMAND = [sys.executable, "-m", "acp_server.cli.main", "acp"]
KEY = canary("custom")
ROOT = Path(__file__).parents[2]


class Stage:
    """A folder for one or more runs of the program; ``close`` removes it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hermes-e2e-")).resolve()
        self.home = self.folder / "home"
        self.user = self.folder / "user"
        self.home.mkdir()
        self.user.mkdir()
        self.provider = FakeProvider(owners=["custom"], models=[])
        self.provider.__enter__()
        self._workspaces = 0
        self.configure()

    def configure(self, **sections: Any) -> None:
        """Write config.yaml: the fake provider, few retries, and ``sections`` over that.

        YAML takes JSON as it is.
        """
        model = {
            "provider": "custom",
            "default": "test-model",
            "base_url": self.provider.base_url,
            "api_key": KEY,
        }
        settings = {
            "model": model,
            "agent": {"api_max_retries": 1},
            "titles": {"enabled": False},
            "sandbox": {"mode": "unasked"},  # in it, processes have other numbers
            **sections,
        }
        (self.home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the program: nothing of the one that runs the tests but its PATH."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.user),
            "HERMES_HOME": str(self.home),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "SHLVL": "1",  # as from a shell: the login shell of the account is not asked
            "TMPDIR": str(self.folder),
            "PYTHONPATH": str(ROOT),
        }

    def workspace(self, **files: str) -> Path:
        """Return a new folder; in names of ``files`` ``__`` stands for a dot."""
        self._workspaces += 1
        folder = self.folder / f"workspace-{self._workspaces}"
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
        return folder

    def log(self) -> str:
        """Return what the program wrote to its log."""
        return (self.home / "logs" / "hermes.log").read_text(encoding="utf-8")

    def close(self) -> None:
        """Stop the provider and remove the folder."""
        self.provider.close()
        shutil.rmtree(self.folder, ignore_errors=True)
