"""Lasting facts of what the user said are written to memory before it is summarised away."""

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from hermes_core.agent.compression.facts import (
    ENOUGH,
    Facts,
    facts_request,
    read_facts,
    words_of_user,
)
from hermes_core.ground.content import Diff
from hermes_core.ground.errors import HermesError, Interrupted, MalformedResponse
from hermes_core.ground.events import Emit, StatusChanged, ToolCallFinished, ToolCallStarted
from hermes_core.ground.messages import Message
from hermes_core.local.config import Config

TITLE = "Remember what you said"

_FAILED = "What you said was not looked through for lasting facts, and nothing was written: {why}"

_log = logging.getLogger(__name__)


class Remember(Protocol):
    """Writes facts to memory; see ``hermes_core.sessions.memory.remember``."""

    def __call__(
        self, facts: Sequence[str], target: Literal["user", "memory"], /
    ) -> Diff | None: ...


def remembering(config: Callable[[], Config]) -> Remember:
    """Return what writes to those of the memory files that the settings in force name."""

    def write(facts: Sequence[str], target: Literal["user", "memory"], /) -> Diff | None:
        from hermes_core.sessions.memory import remember

        now = config()
        wanted = now.user_profile_enabled if target == "user" else now.memory_enabled
        return remember(now.home, facts, target) if wanted else None

    return write


def keep_facts(
    messages: Sequence[Message],
    ask: Callable[[Sequence[Message]], str],
    remember: Remember,
    emit: Emit,
) -> None:
    """Have the facts in the user's words among ``messages`` found and written; show the diff.

    ``ask`` asks a model. A failure is told and changes nothing. Raises ``Interrupted``.
    """
    words = words_of_user(messages)
    if sum(map(len, words)) < ENOUGH:
        return
    try:
        _write(_found(ask(facts_request(words))), remember, emit)
    except Interrupted:
        raise
    except HermesError as error:
        _log.warning("no facts were kept: %s", error)
        emit(StatusChanged("warning", _FAILED.format(why=error)))


def _found(answer: str) -> Facts:
    try:
        return read_facts(answer)
    except (ValueError, RecursionError, TypeError):
        raise MalformedResponse("The model did not answer in the form it was asked for.") from None


def _write(facts: Facts, remember: Remember, emit: Emit) -> None:
    begun = time.monotonic()
    diffs = [remember(facts.user, "user") if facts.user else None]
    diffs.append(remember(facts.project, "memory") if facts.project else None)
    shown = tuple(diff for diff in diffs if diff is not None)
    if not shown:
        return
    call_id = f"memory_{uuid.uuid4().hex[:24]}"
    told = [*facts.user, *facts.project]
    emit(ToolCallStarted(call_id, "memory", TITLE, "edit", {"facts": told}, shown))
    seconds = time.monotonic() - begun
    text = "Kept in memory, as far as it was not known."
    emit(ToolCallFinished(call_id, "memory", "completed", text, shown, (), seconds))
