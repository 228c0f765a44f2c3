"""The conversation of one session. Nothing else writes history.

Each message is committed to the store when it happens, and only then is part of the history. The
roles alternate strictly (see ``alternation``): every turn that ends, however it ends, leaves the
assistant with the last word, so that the next user message may follow. A turn that was cancelled
or failed is closed by a short assistant message that says so, and open tool calls are answered.

What a process that was killed left open is repaired in memory when the session is loaded; the
closing messages are written together with the next user message. Loading changes nothing.
"""

import logging
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hermes_core.agent.alternation import (
    PROCESS_ENDED,
    TURN_LOST,
    Alternation,
    closing,
    joined,
    repair,
)
from hermes_core.agent.endings import REFUSED
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import Emit, ShownEvent, UserPrompted
from hermes_core.ground.events_json import to_json
from hermes_core.ground.messages import (
    Content,
    Message,
    said_in,
    system_message,
    tool_message,
    user_message,
)

if TYPE_CHECKING:
    from hermes_core.sessions.store import Store

Keep = Callable[[Message, Message, Sequence[dict[str, Any]]], None]
"""Stores a message in the place of another, the last one, with rows for the display log."""

_log = logging.getLogger(__name__)


class Conversation:
    """History of one session: what the store holds is what the model is sent.

    show: takes an event that is already stored.
    """

    def __init__(
        self,
        store: "Store",
        session_id: str,
        show: Emit,
        messages: Iterable[Message] = (),
    ) -> None:
        self._store = store
        self._session_id = session_id
        self.show = show
        self._messages: list[Message] = []
        self._sent: list[Message] = []
        self._call_ids: set[str] = set()
        self._order = Alternation()
        self.system_prompt = ""
        mended, notes = repair(messages)
        for note in notes:
            _log.warning("session %s: history repaired: %s", session_id, note)
        self._take(mended)

    @property
    def messages(self) -> list[Message]:
        """The history so far, without the system prompt."""
        return list(self._messages)

    def begin(self, content: Content, message_id: str, queued: int | None = None) -> None:
        """Commit the user's message of a new turn and show it.

        queued: its number in the queue, which it leaves with that (see ``sessions.queue``).
        """
        left_open = closing(self._order, PROCESS_ENDED, TURN_LOST)
        message = user_message(content)
        prompted = UserPrompted(said_in(content), message_id)
        self._commit([*left_open, message], prompted, queued)

    def resume(self) -> None:
        """Make ready to ask the model with the history as it stands: answer calls left open.

        Raises ``HermesError`` if the assistant has the last word, or nothing was said at all.
        """
        if self._order.awaits_user:
            raise HermesError(
                "There is nothing to go on with: the conversation does not end in a message of the"
                " user or a tool's result. Send a message."
            )
        self._commit(
            [
                tool_message(call["id"], call["function"]["name"], PROCESS_ENDED)
                for call in self._order.open_calls
            ],
            None,
        )

    def append(self, message: Message, event: ShownEvent | None = None) -> Message:
        """Commit ``message``, in one transaction with ``event``, and then show the event.

        Streamed text that waits to be stored must not be pending: a card's beginning stores it.
        Returns the message as it is stored: tool calls whose ids are blank or were used before
        in this session get new ones.
        """
        message = self._with_new_ids(message)
        self._commit([message], event)
        return message

    def extend(self, addition: str, events: Sequence[ShownEvent], keep: Keep) -> bool:
        """Add to the last message, if that is a tool's answer that no model has been sent.

        ``keep`` stores the change together with the events, which are shown then. Returns whether
        there was such an answer.
        """
        if self._order.tail != "tool" or self._order.open_calls:
            return False
        before = self._messages[-1]
        after: Message = {**before, "content": joined(before["content"], addition)}
        keep(before, after, [to_json(event) for event in events])
        self._messages[-1] = self._sent[-1] = after
        for event in events:
            self.show(event)
        return True

    def reserve(self, call_ids: Iterable[str]) -> None:
        """Give no new call one of these ids: they stand on cards of an earlier history."""
        self._call_ids.update(call_ids)

    @property
    def sent(self) -> list[Message]:
        """What the model is sent of the history: all but turns that the provider refused."""
        return list(self._sent)

    def replace(
        self, messages: Sequence[tuple[Message, bool]], history_id: str, event: ShownEvent
    ) -> None:
        """Go on with ``messages`` in the place of the history, and show the event.

        Each comes with whether it is carried over. They are stored under the session id
        ``history_id``, in one transaction with the event; what was there before stays under its
        own. They must end as the history does.
        """
        order = Alternation()
        for message, _ in messages:
            order = order.then(message)
        if order != self._order:
            raise HermesError("A shorter history must end as it did. This is a fault of Hermes.")
        from hermes_core.sessions.lineage import replace_history

        replace_history(self._store, self._session_id, history_id, messages, [to_json(event)])
        self._order = Alternation()
        self._messages, self._sent = [], []
        self._take(message for message, _ in messages)
        self.show(event)

    def close(self, call_text: str, turn_text: str, finish_reason: str = "stop") -> bool:
        """Bring the history to rest: answer what is open with ``call_text``, say ``turn_text``.

        Returns whether anything was open; a turn that has its answer is left alone.
        """
        messages = closing(self._order, call_text, turn_text)
        if not messages:
            return False
        messages[-1]["finish_reason"] = finish_reason
        self._commit(messages, None)
        return True

    def request_messages(self, note: str = "", partial: Message | None = None) -> list[Message]:
        """Return what to send to the model: system prompt and history, in strict alternation.

        A turn that the provider refused is left out, as the protocol has it. ``note`` is added to
        the end of the last message of this request alone; it is never stored. Neither is
        ``partial``, an answer that is to be gone on with: ``note`` follows it as the user's word.
        """
        if not self._order.awaits_model:
            raise HermesError(
                f"The model cannot be asked after {self._order.tail!r} with"
                f" {len(self._order.open_calls)} open tool calls. This is a fault of Hermes itself."
            )
        messages = [system_message(self.system_prompt), *self._sent]
        if partial is not None:
            messages += [partial, user_message(note)]
        elif note:
            last = messages[-1]
            messages[-1] = {**last, "content": joined(last["content"], note)}
        return messages

    def _commit(
        self, messages: Sequence[Message], event: ShownEvent | None, queued: int | None = None
    ) -> None:
        order = self._order
        for message in messages:
            order = order.then(message)
        rows = [] if event is None else [to_json(event)]
        if queued is None:
            self._store.append(self._session_id, messages, rows)
        else:
            self._store.append(self._session_id, messages, rows, taken=queued)
        self._take(messages)
        if event is not None:
            self.show(event)

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._order = self._order.then(message)
            self._messages.append(message)
            self._sent.append(message)
            self._call_ids.update(call["id"] for call in message.get("tool_calls", ()))
            if message.get("finish_reason") == REFUSED:
                while self._sent.pop()["role"] != "user":
                    pass

    def _with_new_ids(self, message: Message) -> Message:
        if not message.get("tool_calls"):
            return message
        seen = set(self._call_ids)
        calls = []
        for call in message["tool_calls"]:
            new = (
                call["id"] if call["id"] and call["id"] not in seen else f"call_{uuid.uuid4().hex}"
            )
            seen.add(new)
            calls.append(call if new == call["id"] else {**call, "id": new})
        return {**message, "tool_calls": calls}
