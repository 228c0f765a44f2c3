"""Conversations over the talking provider."""

from typing import Any

from hermes_core import AIAgent
from hermes_core.sessions.lineage import generations
from hermes_core.sessions.store import Store
from tests.hermes_core.agent.compression.histories import chat
from tests.hermes_core.agent.compression.talker import Talker

WINDOW = 48_000
LONG = chat(60, 1_600)
"""About 24,000 tokens, half of the window."""


def sent(talker: Talker, place: int = -1) -> list[Any]:
    """Return the messages of a chat request, without the system prompt."""
    return talker.chats[place].messages[1:]


def ids(store: Store, agent: AIAgent) -> list[str]:
    """Return the ids under which the session's histories stand."""
    return [one.id for one in generations(store, agent.session_id)]
