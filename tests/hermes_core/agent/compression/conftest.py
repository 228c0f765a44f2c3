"""A provider that talks, and a small window."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hermes_core.local.config import Config
from tests.fakes.provider import FakeProvider
from tests.hermes_core.agent.compression.conversations import WINDOW
from tests.hermes_core.agent.compression.talker import Talker


@pytest.fixture
def talker() -> Talker:
    return Talker()


@pytest.fixture
def provider(talker: Talker) -> Iterator[FakeProvider]:
    with FakeProvider(talker) as provider:
        yield provider


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, context_window=WINDOW)
