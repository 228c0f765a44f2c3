"""One session: what lasts between its turns, and how each turn begins and ends in the store."""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_core.agent import interruption
from hermes_core.agent.compression.plan import latest_request
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import REFUSED, Ending
from hermes_core.agent.interruption import account_of
from hermes_core.agent.opening import title_of
from hermes_core.agent.prompt.foreign import MARKED, marked_files
from hermes_core.ground.errors import HermesError, Interrupted, Refused, StoreError
from hermes_core.ground.events import (
    Emit,
    Event,
    StatusChanged,
    TextDelta,
    TitleChanged,
    TurnInterrupted,
    UserPrompted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Content, Message, said_in
from hermes_core.ground.secrets import REDACTOR

if TYPE_CHECKING:
    from hermes_core.sessions.recorder import Recorder
    from hermes_core.sessions.store import SessionRow, Store

_FAILED = "[This turn ended without an answer: {reason}]"
_CALL_FAILED = "Not run: the turn failed before this call."


class Session:
    """The history of a session and the log of what was shown, both in the store.

    view: takes an event that is stored, or is not to be. build: returns a new system prompt.
    begun: told the text and the message id of each prompt, once it is stored.
    """

    def __init__(
        self,
        store: "Store",
        row: "SessionRow",
        view: Emit,
        *,
        stored: bool,
        build: Callable[[], str] = str,
    ) -> None:
        self.row = row
        self._build = build
        self.begun: Callable[[str, str], None] = lambda _text, _message_id: None
        self._store = store
        self._view = view
        self._recorder = self._record()
        self._conversation = None if stored else self._open(())

    def emit(self, event: Event) -> None:
        """Store the event, if it is one to be stored, and show it."""
        self._recorder(event)

    def tell(self, prompt: str, answer: str) -> None:
        """Show what was asked and answered beside the conversation; no model is sent it."""
        self.emit(UserPrompted(prompt, uuid.uuid4().hex))
        self.emit(TextDelta(answer, uuid.uuid4().hex))
        self._recorder.flush()

    def flush(self) -> None:
        """Store what was shown and waits for that. Raises ``StoreError``."""
        self._recorder.flush()

    def prompt(self) -> str:
        """Return the session's system prompt, built and stored at its first use.

        Raises ``StoreError``.
        """
        if not self.row.system_prompt:
            self.row = replace(self.row, system_prompt=self._build())
            self._store.update_session(self.row.id, system_prompt=self.row.system_prompt)
            for name in marked_files(self.row.system_prompt or ""):
                self.emit(StatusChanged("warning", MARKED.format(name=name)))
        return self.row.system_prompt or ""

    def renew_prompt(self, renew: Callable[[str], str]) -> None:
        """Go on under what ``renew`` makes of the session's prompt, if it is the one in force.

        Raises ``StoreError``; the prompt is then as it was.
        """
        conversation, prompt = self.conversation, self.row.system_prompt or ""
        if conversation.system_prompt != prompt or (renewed := renew(prompt)) == prompt:
            return
        self._store.update_session(self.row.id, system_prompt=renewed)
        self.row = replace(self.row, system_prompt=renewed)
        conversation.system_prompt = renewed

    @property
    def conversation(self) -> Conversation:
        """The session's history, read from the store at the first use."""
        if self._conversation is None:
            from hermes_core.sessions.lineage import call_ids

            self._conversation = self._open(self._store.messages(self.row.id))
            self._conversation.reserve(call_ids(self._store, self.row.id))
        return self._conversation

    def reload(self, row: "SessionRow") -> None:
        """Go on with what the store holds now, which another session's history took over."""
        self.row = row
        self._conversation = None

    @property
    def last_prompt(self) -> Content | None:
        """What the user said last."""
        said = latest_request(self.conversation.messages)
        return said["content"] if said else None

    @property
    def messages(self) -> list[Message]:
        """The history as far as it is loaded."""
        return self._conversation.messages if self._conversation else []

    def run(
        self,
        content: Content | None,
        system_prompt: str | None,
        history: Sequence[Message] | None,
        steps: Callable[[Conversation], Ending],
        interrupt: Interrupt,
        *,
        queued: int | None = None,
    ) -> Ending:
        """Run one turn: commit the user's message, take the ``steps``, leave all in order.

        content: None to go on with the history as it stands.
        queued: the message's number in the queue, if it waited there.
        Errors of the core become part of the ending; anything else is raised, after
        the history was brought to rest.
        """
        try:
            ending = self._take(content, system_prompt, history, steps, interrupt, queued=queued)
        except BaseException:
            with suppress(Exception):
                self.conversation.close(_CALL_FAILED, _FAILED.format(reason="an internal error"))
                self._recorder.flush()
            raise
        if interrupt.is_set():
            ending = _cancelled(ending)
        try:
            self._bring_to_rest(ending)
            self._recorder.flush()
        except StoreError as error:
            self._view(StatusChanged("error", str(error)))
            ending = replace(ending, error=ending.error or error)
        return ending

    def _take(
        self,
        content: Content | None,
        system_prompt: str | None,
        history: Sequence[Message] | None,
        steps: Callable[[Conversation], Ending],
        interrupt: Interrupt,
        *,
        queued: int | None,
    ) -> Ending:
        try:
            if history is not None:
                self._adopt(history)
            conversation = self.conversation
            if content is None:
                conversation.resume()
            else:
                message_id = uuid.uuid4().hex
                conversation.begin(content, message_id, queued)
                self.begun(said_in(content), message_id)
                self._name(content)
            conversation.system_prompt = system_prompt or self.prompt()
            interrupt.raise_if_set()
            return steps(conversation)
        except Interrupted:
            return Ending("", "cancelled")
        except Refused as error:
            return Ending(str(error), "refusal")
        except HermesError as error:
            return Ending(str(error), "end_turn", error)

    def _adopt(self, history: Sequence[Message]) -> None:
        """Go on with ``history``; unless it is the session's own, in a new session.

        The store keeps what every session was sent, so a history that differs from it begins a
        session of its own.
        """
        if list(history) == self.conversation.messages:
            return
        if self.conversation.messages:
            now = time.time()
            self.row = replace(self.row, id=str(uuid.uuid4()), title=None, created=now, updated=now)
            self._store.create_session(self.row)
            self._store.claim(self.row.id)
        self._conversation = self._open(history)
        self._store.append(self.row.id, self._conversation.messages, [])

    def _bring_to_rest(self, ending: Ending) -> None:
        """Close what the turn left open, and show how it ended if that was not by an answer."""
        if ending.stop_reason == "cancelled":
            account = account_of(self.conversation.messages)
            self.conversation.close(interruption.CALL, account.text())
            self.emit(TurnInterrupted(account.not_run))
        elif ending.error:
            reason = REDACTOR.redact(ending.text).partition("\n")[0][:300]
            self.conversation.close(_CALL_FAILED, _FAILED.format(reason=reason))
            self.emit(StatusChanged("error", ending.text))
        elif ending.stop_reason == "refusal" and self.conversation.close(
            _CALL_FAILED, ending.text, REFUSED
        ):
            self.emit(TextDelta(ending.text, uuid.uuid4().hex))

    def _name(self, content: Content) -> None:
        """Give the session its first title, from what the user asked first."""
        title = title_of(said_in(content))
        if title and not self.row.title:
            self.row = replace(self.row, title=title)
            self._store.update_session(self.row.id, title=title)
            self.emit(TitleChanged(title, time.time()))

    def _open(self, messages: Iterable[Message]) -> Conversation:
        self._recorder = self._record()
        return Conversation(self._store, self.row.id, self._view, messages)

    def _record(self) -> "Recorder":
        from hermes_core.sessions.recorder import Recorder

        return Recorder(self._store, self.row.id, self._view)


def _cancelled(ending: Ending) -> Ending:
    """Return ``ending`` as one by the user; of errors, only one of the store's still matters."""
    if isinstance(ending.error, StoreError):
        return replace(ending, stop_reason="cancelled")
    return Ending("" if ending.error else ending.text, "cancelled")
