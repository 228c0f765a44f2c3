"""``session/prompt`` and ``session/cancel``.

A prompt that comes while a turn runs waits: it is stored, its sender is told its place, and it is
answered when its own turn has ended. Some commands are answered at once, beside the running turn.
"""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import Any

from acp_server.mapping import failure_of
from acp_server.methods.connection import Connection
from acp_server.methods.works import Asked, Works, read_prompt
from acp_server.schema.prompts import CancelNotification, PromptRequest
from acp_server.session import GRACE, AcpSession, Outcome, Turn
from hermes_core.commands.seat import Prompts
from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import StatusChanged
from hermes_core.ground.messages import Content

TOLD_IN_TEXT = frozenset({"toad"})
"""Clients that show an error answer as a broken agent: they get its text and ``end_turn``."""

END: dict[str, Any] = {"stopReason": "end_turn"}

_log = logging.getLogger(__name__)


def register(connection: Connection) -> None:
    """Register both methods."""
    server = connection.server
    server.method("session/prompt", PromptRequest)(partial(prompt, connection))
    server.notification("session/cancel", CancelNotification)(partial(cancel, connection))


async def prompt(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Run a turn and answer how it ended, after the last of its updates.

    A failure of the provider is shown as text and then answered as an error. A request that is
    cancelled by itself (``$/cancel_request``) cancels its turn alone.
    """
    session = connection.session(params["sessionId"])
    works = Works(connection, session, asyncio.get_running_loop())
    asked = read_prompt(params, session)
    if asked.at_once and session.busy:
        prompts = await _aside(works, asked)
        if prompts is None:
            return END
        turn = session.enter(works.sending(prompts))
        turn.sends = tuple(one.number for one in prompts.prompts if one.number is not None)
        content = None if turn.sends else prompts.prompts[0].content
    else:
        content = asked.content
        turn = session.enter(works.answering(asked))
    waiting = asyncio.ensure_future(_keep(session, turn, content))
    try:
        outcome = await _outcome(session, turn)
        if turn.dropped:
            await _forget(session, turn, waiting)
        lenient = connection.capabilities.client_name.lower() in TOLD_IN_TEXT
        return _answer(outcome, lenient=lenient)
    finally:  # the answer goes out before the loop comes to this
        asyncio.get_running_loop().call_soon(session.leave, turn)


async def cancel(connection: Connection, params: dict[str, Any]) -> None:
    """Cancel the session's turn and all that waits; nothing happens if there is nothing.

    The id may be that of a child of a running turn, which is then stopped alone.
    """
    session_id = params["sessionId"]
    session = connection.sessions.get(session_id)
    if session is None and connection.capabilities.subagents:
        any(one.agent.interrupt_child(session_id) for one in connection.sessions.values())
    if session is not None and session.busy:
        session.cancel()
        await asyncio.to_thread(_forget_steers, session)


async def _aside(works: Works, asked: Asked) -> Prompts | None:
    """Run a command beside the running turn; its answer is complete when this returns."""
    running = asyncio.ensure_future(asyncio.to_thread(works.answer_aside, asked))
    while True:
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            if running.cancelled():
                raise


async def _keep(session: AcpSession, turn: Turn, content: Content | None) -> None:
    """Store the message of a turn that has to wait, tell its place, and let it in.

    Without a message, because those that it sends are stored, it only waits.
    """
    async with session.keeping:
        place = session.place(turn)
        if not place:  # it runs, or was dropped meanwhile
            return
        if content is None:
            session.admit(turn)
            return
        try:
            number = await asyncio.to_thread(_store, session, turn, content, place)
        except Exception as error:
            session.fail(turn, error)
        else:
            session.admit(turn, number)


def _store(session: AcpSession, turn: Turn, content: Content, place: int) -> int:
    number = session.agent.queue.add(content).number
    with session.screen.aside(turn.interrupt):
        text = f"Queued as number {place}: it begins when what is before it has ended."
        session.screen(StatusChanged("info", f"{text} `/queue` lists what waits."))
    return number


async def _forget(session: AcpSession, turn: Turn, waiting: "asyncio.Future[None]") -> None:
    """Take a turn that was given up out of the store; a slow store does it behind the answer."""

    async def forget() -> None:
        await waiting
        if turn.numbers:
            try:
                await asyncio.to_thread(session.agent.steering.forget, turn.numbers)
            except StoreError as error:
                _log.warning("a message that was given up stays in the queue: %s", error)

    with suppress(asyncio.CancelledError):  # asked to cancel once more
        await asyncio.wait({asyncio.ensure_future(forget())}, timeout=GRACE)


def _forget_steers(session: AcpSession) -> None:
    steering = session.agent.steering
    numbers = steering.numbers
    if numbers:
        steering.forget(numbers)


async def _outcome(session: AcpSession, turn: Turn) -> Outcome:
    while True:
        try:
            return await asyncio.shield(turn.answered)
        except asyncio.CancelledError:
            session.drop(turn)


def _answer(outcome: Outcome, *, lenient: bool) -> dict[str, Any]:
    if outcome.cancelled:
        return {"stopReason": "cancelled"}
    result = outcome.result or {}
    error = outcome.error or result.get("exception")
    if error is None:
        return {"stopReason": result["stop_reason"]}
    if lenient:
        return END
    raise failure_of(error)
