"""``session/prompt`` and ``session/cancel``."""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from acp_server import slash
from acp_server.mapping import failure_of, mode_update
from acp_server.methods.connection import Connection
from acp_server.prompts import to_content
from acp_server.schema.prompts import CancelNotification, PromptRequest
from acp_server.session import AcpSession, Outcome, Turn, Work
from hermes_core.commands.seat import Command, Seat, answer
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import AuthFailed, ConfigError, HermesError, Interrupted
from hermes_core.ground.events import StatusChanged
from hermes_core.ground.interrupt import Interrupt

TOLD_IN_TEXT = frozenset({"toad"})
"""Clients that show an error answer as a broken agent: they get its text and ``end_turn``."""

_log = logging.getLogger(__name__)


def register(connection: Connection) -> None:
    """Register both methods."""
    server = connection.server
    server.method("session/prompt", PromptRequest)(partial(prompt, connection))
    server.notification("session/cancel", CancelNotification)(partial(cancel, connection))


async def prompt(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Run a turn and answer how it ended, after the last of its updates.

    A failure of the provider is shown as text and then answered as an error. A request that is
    cancelled by itself (``$/cancel_request``) cancels its turn.
    """
    session = connection.session(params["sessionId"])
    turn = session.start_turn(_work(connection, session, params["prompt"]))
    outcome = await _outcome(session, turn)
    return _answer(outcome, lenient=connection.capabilities.client_name.lower() in TOLD_IN_TEXT)


async def cancel(connection: Connection, params: dict[str, Any]) -> None:
    """Cancel the session's turn; nothing happens if there is none."""
    session = connection.sessions.get(params["sessionId"])
    if session is not None:
        session.cancel()


def _work(connection: Connection, session: AcpSession, blocks: list[dict[str, Any]]) -> Work:
    command = slash.find(blocks)
    if command is not None:
        typed = blocks[0]["text"].strip()
        return partial(_told, session, partial(_run_command, connection, session, typed, command))
    content = to_content(blocks, session.cwd)
    return partial(_told, session, partial(_converse, connection, session, content))


def _told(session: AcpSession, work: Work, interrupt: Interrupt) -> Mapping[str, Any]:
    """Do the ``work``, and tell the person of an error that it raises."""
    try:
        return work(interrupt)
    except Interrupted:
        raise
    except Exception as error:
        if not isinstance(error, HermesError):
            _log.exception("the turn of session %s failed", session.id)
        session.screen(StatusChanged("error", failure_of(error).data["details"]))
        return {"exception": error}


def _converse(
    connection: Connection, session: AcpSession, content: str, interrupt: Interrupt
) -> Mapping[str, Any]:
    """Have the agent answer. It has told its errors to the person when it returns them."""
    if session.stale:
        session.agent.configure(connection.config())
    for text in (*connection.take_notices(), *session.take_notices()):
        session.screen(StatusChanged("warning", text))
    result = session.agent.run_conversation(content, interrupt=interrupt)
    session.stale = isinstance(result["exception"], ConfigError | AuthFailed)
    return result


def _run_command(
    connection: Connection,
    session: AcpSession,
    typed: str,
    found: tuple[Command, str],
    interrupt: Interrupt,
) -> Mapping[str, Any]:
    def set_mode(mode: Mode) -> None:
        session.agent.mode = mode
        session.screen.send(mode_update(mode))

    seat = Seat(
        agent=session.agent,
        cwd=str(session.cwd),
        mode=session.agent.mode,
        set_mode=set_mode,
        model=partial(_describe_model, session),
        tools=lambda: list(session.agent.tool_names),
        runtime=lambda: session.agent.runtime,
        choose=session.agent.choose_model,
        config=connection.config,
        configure=session.agent.configure,
        interrupt=interrupt,
    )
    if session.stale:
        session.agent.configure(connection.config())
    command, argument = found
    said = answer(command, seat, argument)
    interrupt.raise_if_set()
    session.agent.tell(typed, said)
    return {"stop_reason": "end_turn"}


def _describe_model(session: AcpSession) -> str:
    try:
        runtime = session.agent.runtime
    except HermesError as error:
        return f"none. {error}"
    return f"`{runtime.model}` through {runtime.provider} ({runtime.base_url})"


async def _outcome(session: AcpSession, turn: Turn) -> Outcome:
    while True:
        try:
            return await asyncio.shield(turn.answered)
        except asyncio.CancelledError:
            session.cancel()


def _answer(outcome: Outcome, *, lenient: bool) -> dict[str, Any]:
    if outcome.cancelled:
        return {"stopReason": "cancelled"}
    result = outcome.result or {}
    error = outcome.error or result.get("exception")
    if error is None:
        return {"stopReason": result["stop_reason"]}
    if lenient:
        return {"stopReason": "end_turn"}
    raise failure_of(error)
