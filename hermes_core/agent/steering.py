"""What the user says to a turn that runs, on its way to the model.

A message is stored when it is taken (see ``sessions.queue``). With the next model call it reaches
the model at the end of the last tool result, between two marks, and stays there in the history: a
user message of its own would break the order of roles there, and no result that a model has been
sent is changed. A message that comes too late for that is the user's next message.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import Emit, StatusChanged, UserSteered
from hermes_core.ground.messages import text_of, user_message

if TYPE_CHECKING:
    from hermes_core.sessions.queue import Queue, Waiting

BEGINNING = "[Hermes: the user sent this while you worked" + "; it is their own word.]"
END = "[Hermes: end of what the user" + " sent.]"

_LEFT = (
    "A message that was to steer the turn did not reach the model. It waits: `/queue run` sends it,"
    " `/queue drop` forgets it."
)

_log = logging.getLogger(__name__)


def defused(text: str) -> str:
    """Return what a tool found, with marks that only the user's own messages may stand between."""
    for mark in (BEGINNING, END):
        text = text.replace(mark, mark.replace("Hermes", "not Hermes", 1))
    return text


class Steering:
    """The messages that a turn has not given to the model yet; used from any thread.

    queue: returns where they are kept.
    """

    def __init__(self, queue: "Callable[[], Queue]", emit: Emit) -> None:
        self._queue = queue
        self._emit = emit
        self._lock = threading.Lock()
        self._open = False
        self._waiting: list[Waiting] = []

    def begin(self) -> None:
        """Take messages from now on: a turn begins."""
        with self._lock:
            self._open = True
            self._waiting = []

    def offer(self, text: str) -> bool:
        """Take a message and keep it; return False if no turn runs that could be told it.

        Raises ``StoreError`` if it cannot be kept.
        """
        with self._lock:
            if self._open:
                self._waiting.append(self._queue().add(text, steer=True))
            return self._open

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers in the queue of what the running turn is still to be told."""
        with self._lock:
            return frozenset(waiting.number for waiting in self._waiting)

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget messages of the queue by their numbers; raises ``StoreError``."""
        gone = set(numbers)
        with self._lock:
            self._waiting = [one for one in self._waiting if one.number not in gone]
            self._queue().drop(gone)

    def deliver(self, conversation: Conversation) -> None:
        """Add what waits to the history, if its last message is a tool result."""
        with self._lock:
            if not self._waiting:
                return
            texts = [text_of(user_message(waiting.content)) for waiting in self._waiting]
            numbers = [waiting.number for waiting in self._waiting]
            marked = "\n".join((BEGINNING, *texts, END))
            events = [UserSteered(text, uuid.uuid4().hex) for text in texts]
            try:
                if conversation.extend(marked, events, partial(self._queue().deliver, numbers)):
                    self._waiting = []
            except StoreError as error:
                _log.warning("a message that steers the turn waits on: %s", error)

    def late(self, ending: Ending) -> "Waiting | None":
        """Return a message that the turn which ended so has not told, to be told next.

        Without one no more are taken. After a turn without an answer nothing goes on by itself:
        what is left stays in the queue, and the user is told.
        """
        answered = ending.error is None and ending.stop_reason == "end_turn"
        with self._lock:
            if answered and self._waiting:
                return self._waiting.pop(0)
            self._open = False
            left, self._waiting = self._waiting, []
        if left:
            self._emit(StatusChanged("warning", _LEFT))
        return None

    def end(self) -> None:
        """Take no more messages, however the turn ended."""
        with self._lock:
            self._open = False
