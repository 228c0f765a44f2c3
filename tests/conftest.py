"""What holds for every test: no key reaches a stand-in of somebody else's."""

from collections.abc import Iterator

import pytest

from tests.fakes.canaries import WATCH


@pytest.fixture(autouse=True)
def keys_at_home() -> Iterator[None]:
    """Fail a test during which a canary arrived at a place that is not its own."""
    with WATCH.held_to_account():
        yield


@pytest.fixture(autouse=True, scope="session")
def keys_at_home_to_the_end() -> Iterator[None]:
    """The same for what arrives while shared programs come to their end."""
    with WATCH.held_to_account():
        yield
