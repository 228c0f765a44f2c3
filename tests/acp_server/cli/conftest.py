"""What the command line's tests share."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_server.cli.paper import PlainPaper
from acp_server.cli.transcript import Transcript

FAKE_AGENT = [sys.executable, str(Path(__file__).with_name("fake_agent.py"))]


@pytest.fixture
def fake_agent() -> list[str]:
    """The command line of an ACP agent that does as its prompt says."""
    return FAKE_AGENT


@pytest.fixture
def told() -> Callable[..., str]:
    """Tell updates on plain paper, and return what then stands on it."""

    def tell(*updates: dict[str, Any], end: str | None = None) -> str:
        written: list[str] = []
        transcript = Transcript(PlainPaper(written.append), Path("/repo"))
        for update in updates:
            transcript.update(update)
        if end is None:
            transcript.settle()
        else:
            transcript.end_turn(end, 1.25)
        return "".join(written)

    return tell
