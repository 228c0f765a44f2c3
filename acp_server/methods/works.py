"""What a prompt does: talk to the model or run a command, on its turn's thread or beside it."""

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from acp_server.mapping import failure_of
from acp_server.methods.accounts import require_access, tell_changes
from acp_server.methods.connection import Connection
from acp_server.methods.kept import told_of
from acp_server.prompts import read_blocks, with_attached
from acp_server.replay import replay
from acp_server.session import AcpSession, Turn, Work
from hermes_core.commands.queue import first_line
from hermes_core.commands.seat import Command, Prompt, Prompts, Remark, Reply, Seat, answer
from hermes_core.ground.actions import Mode
from hermes_core.ground.content import Link
from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    HermesError,
    Interrupted,
    StoreError,
)
from hermes_core.ground.events import StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Content

LOOP_SECONDS = 5.0
"""How long a command waits for the event loop to do its part."""

TRACE = ("traceparent", "tracestate", "baggage")
"""Keys of ``_meta`` that belong to W3C Trace Context."""

_NO_IMAGES = (
    "The model in use takes no images, so it is told that there is one and does not see it. "
    "`/model NAME` chooses another."
)

_NO_SOUNDS = (
    "The model in use is not known to take sounds, so it is told that there is one and does not "
    "hear it. `/model NAME` chooses another; if it does take them, set `model.audio: true`."
)

DONE: Mapping[str, Any] = {"stop_reason": "end_turn"}

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt, read: its text or parts as they are kept, and the command that it is, if one.

    links: what is to be read for it when its turn begins. told: what was left out of it, for the
    person. has_images, has_sounds: what its model must take. trace: the trace that it belongs to,
    see ``trace_of``.
    """

    content: Content
    command: Command | None = None
    argument: str = ""
    links: tuple[Link, ...] = ()
    told: tuple[str, ...] = ()
    has_images: bool = False
    has_sounds: bool = False
    trace: Mapping[str, str] = field(default_factory=dict)

    @property
    def at_once(self) -> bool:
        """Whether it is answered while a turn runs."""
        return self.command is not None and self.command.at_once


def read_prompt(params: Mapping[str, Any], session: AcpSession) -> Asked:
    """Return what a prompt asks; raises ``RpcError`` (-32602) for an empty one."""
    blocks, trace = session.commands.filled(params["prompt"]), trace_of(params)
    found = session.commands.find(blocks)
    if found is not None:
        return Asked(blocks[0]["text"].strip(), *found, trace=trace)
    read = read_blocks(blocks, session.cwd)
    return Asked(
        read.content,
        links=tuple(read.links),
        told=tuple(read.told),
        has_images=read.has_images,
        has_sounds=read.has_sounds,
        trace=trace,
    )


def trace_of(params: Mapping[str, Any]) -> dict[str, str]:
    """Return the trace context in ``_meta``, which is passed on with all that the turn sends."""
    meta = params.get("_meta")
    told = meta if isinstance(meta, Mapping) else {}
    return {key: told[key] for key in TRACE if isinstance(told.get(key), str)}


class Works:
    """The works of one session's prompts. ``loop`` is the event loop that the session lives on."""

    def __init__(
        self, connection: Connection, session: AcpSession, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._connection = connection
        self._session = session
        self._loop = loop

    def answering(self, asked: Asked) -> Work:
        """Return the work of a turn that answers ``asked``."""
        return partial(self._told, partial(self._do, asked))

    def sending(self, prompts: Prompts) -> Work:
        """Return the work of a turn that sends ``prompts``, one after the other."""
        return partial(self._told, partial(self._send, prompts.prompts))

    def answer_aside(self, asked: Asked) -> Prompts | None:
        """Run a command beside the turn that runs, on this thread; show what it comes to.

        Returns what it wants sent in a turn of its own.
        """
        interrupt = Interrupt()
        with self._session.screen.aside(interrupt):
            replies: list[Reply] = []

            def run(_: object) -> Mapping[str, Any]:
                replies.append(self._answered(asked, interrupt, aside=True))
                return DONE

            self._told(run, None)
        return next((reply for reply in replies if isinstance(reply, Prompts)), None)

    def _told(self, work: Callable[[Any], Mapping[str, Any]], turn: Any) -> Mapping[str, Any]:
        """Do the ``work``, and tell the person of an error that it raises, and what it changed."""
        try:
            return self._done(work, turn)
        finally:
            self._tell_use()

    def _done(self, work: Callable[[Any], Mapping[str, Any]], turn: Any) -> Mapping[str, Any]:
        try:
            result = work(turn)
            self._session.options.tell_changes()
            self._session.commands.tell_changes()
            tell_changes(self._connection)
            return result
        except Interrupted:
            raise
        except Exception as error:
            if not isinstance(error, HermesError):
                _log.exception("the turn of session %s failed", self._session.id)
            self._session.screen(StatusChanged("error", failure_of(error).data["details"]))
            return {"exception": error}

    def _tell_use(self) -> None:
        """Tell when the session was last used, if it was since that was told, and its title."""
        try:
            told = told_of(self._connection, self._session.id)
        except StoreError:  # it has been told already
            return
        if told != self._session.told:
            self._session.told = told
            for update in told:
                self._session.screen.tell(update)

    def _do(self, asked: Asked, turn: Turn) -> Mapping[str, Any]:
        self._session.trace = self._session.agent.trace = asked.trace
        if asked.command is None:
            return self._converse(Prompt(self._completed(asked, turn), turn.number), turn)
        if turn.number is not None:
            self._session.agent.steering.forget([turn.number])
        return self._run_command(asked, turn)

    def _completed(self, asked: Asked, turn: Turn) -> Content:
        """Return the message of a turn with what it points at, read now."""
        for text in asked.told:
            self._session.screen(StatusChanged("warning", text))
        for text in _not_taken(asked, self._session):
            self._session.screen(StatusChanged("warning", text))
        if not asked.links:
            return asked.content
        attached = self._session.agent.attach(asked.links, turn.interrupt)
        return with_attached(asked.content, attached, self._session.cwd)

    def _run_command(self, asked: Asked, turn: Turn) -> Mapping[str, Any]:
        if self._session.stale:
            self._session.agent.configure(self._connection.config())
        reply = self._answered(asked, turn.interrupt, aside=False)
        return self._send(reply.prompts, turn) if isinstance(reply, Prompts) else DONE

    def _answered(self, asked: Asked, interrupt: Interrupt, *, aside: bool) -> Reply:
        """Run a command, show its answer, and keep it if it is one to keep."""
        if asked.command is None:
            raise TypeError("a message for the model is no command")
        reply = answer(asked.command, self._seat(interrupt, aside=aside), asked.argument)
        interrupt.raise_if_set()
        if isinstance(reply, str):
            self._session.agent.tell(str(asked.content), reply)
        elif isinstance(reply, Remark):
            self._session.screen(StatusChanged("info", reply.text))
        return reply

    def _send(self, prompts: Sequence[Prompt], turn: Turn) -> Mapping[str, Any]:
        """Run prompts one after the other, as long as each comes to its end."""
        turn.sends = tuple(one.number for one in prompts if one.number is not None)
        result = DONE
        for prompt in prompts:
            turn.interrupt.raise_if_set()
            if not self._still_waits(prompt):
                continue
            result = self._send_one(prompt, turn)
            if result.get("exception") or result["stop_reason"] != "end_turn":
                break
        return result

    def _still_waits(self, prompt: Prompt) -> bool:
        """Return False for a message of the queue that was dropped or sent meanwhile."""
        if prompt.number is None:
            return True
        if prompt.number not in {message.number for message in self._session.agent.queue.all()}:
            return False
        text = f"Sent now: “{first_line(prompt.content)}”"
        self._session.screen(StatusChanged("info", text))
        return True

    def _send_one(self, prompt: Prompt, turn: Turn) -> Mapping[str, Any]:
        found = None
        if prompt.number is not None and isinstance(prompt.content, str):
            found = self._session.commands.find([{"type": "text", "text": prompt.content}])
        if found is None or prompt.number is None:
            return self._converse(prompt, turn)
        self._session.agent.steering.forget([prompt.number])
        return self._run_command(Asked(prompt.content, *found), turn)

    def _converse(self, prompt: Prompt, turn: Turn) -> Mapping[str, Any]:
        """Have the agent answer. It has told its errors to the person when it returns them."""
        session, connection = self._session, self._connection
        require_access(connection)
        if session.stale:
            session.agent.configure(connection.config())
        for text in (*connection.take_notices(), *session.take_notices()):
            session.screen(StatusChanged("warning", text))
        result = session.agent.run_conversation(
            prompt.content, interrupt=turn.interrupt, queued=prompt.number
        )
        session.stale = isinstance(result["exception"], ConfigError | AuthFailed)
        return result

    def _seat(self, interrupt: Interrupt, *, aside: bool) -> Seat:
        session, agent = self._session, self._session.agent

        def set_mode(mode: Mode) -> None:
            agent.mode = mode
            session.options.tell_changes()

        def drop(numbers: Sequence[int]) -> None:
            agent.steering.forget(numbers)
            self._on_loop(partial(session.drop_numbers, numbers))

        return Seat(
            agent=agent,
            cwd=str(session.cwd),
            mode=agent.mode,
            set_mode=set_mode,
            model=partial(_describe_model, session),
            tools=lambda: list(agent.tool_names),
            runtime=lambda: agent.runtime,
            choose=agent.choose_model,
            config=self._connection.config,
            configure=agent.configure,
            interrupt=interrupt,
            stop=partial(self._on_loop, session.stop) if aside else lambda: False,
            drop=drop,
            open_numbers=lambda: agent.steering.numbers | self._on_loop(lambda: session.numbers),
            environ=self._connection.environ,
            questions=None if aside else agent.questions,
            show_history=partial(self._show_history, interrupt),
        )

    def _show_history(self, interrupt: Interrupt) -> None:
        """Show the session's log within the turn; of sub-agents, what stands on cards."""
        for _, update in replay(self._connection.store().shown, self._session.id):
            interrupt.raise_if_set()
            self._session.screen.send(update)

    def _on_loop(self, function: Callable[[], _T]) -> _T:
        """Have the event loop call a function that does not raise; return what it returns."""
        done: concurrent.futures.Future[_T] = concurrent.futures.Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(function()))
        return done.result(LOOP_SECONDS)


def _not_taken(asked: Asked, session: AcpSession) -> list[str]:
    """Return what to say of images and sounds that the model to answer takes none of."""
    if not asked.has_images and not asked.has_sounds:
        return []
    try:
        compat = session.agent.chosen.compat
    except HermesError:  # the turn will tell
        return []
    return [
        *([_NO_IMAGES] if asked.has_images and not compat.images else []),
        *([_NO_SOUNDS] if asked.has_sounds and not compat.audio else []),
    ]


def _describe_model(session: AcpSession) -> str:
    try:
        runtime = session.agent.runtime
    except HermesError as error:
        return f"none. {error}"
    return f"`{runtime.model}` through {runtime.provider} ({runtime.base_url})"
