"""A home, a project and a provider on loopback, and agents made of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.local.config import Config
from hermes_core.sessions.store import FILE_NAME, Store
from tests.fakes.provider import FakeProvider
from tests.hermes_core.agent.doubles import MakeAgent


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        yield provider


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.py").write_text("def add(a, b):\n    return a - b\n")
    return folder


@pytest.fixture
def config(tmp_path: Path, provider: FakeProvider) -> Config:
    home = tmp_path / "home"
    home.mkdir()
    return Config(
        home=home,
        provider="custom",
        model="fake",
        base_url=provider.base_url,
        api_max_retries=1,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SHLVL": "1"},
    )


@pytest.fixture
def store(config: Config) -> Iterator[Store]:
    store = Store(config.home / FILE_NAME)
    yield store
    store.close()


@pytest.fixture
def make_agent(project: Path, config: Config, store: Store) -> MakeAgent:
    """Make an agent in the project; keyword arguments are those of ``AIAgent``."""

    def make(**more: Any) -> AIAgent:
        return AIAgent(**{"cwd": project, "config": config, "store": store, **more})

    return make
