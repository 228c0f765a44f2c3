"""One logical model call: retries, what a person is told meanwhile, and the finished message."""

import random
import sys
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from hermes_core.ground.errors import ProviderError
from hermes_core.ground.events import Emit, StatusChanged, UsageUpdated
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import REDACTOR
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.model.attempt import Attempt
from hermes_core.model.recovery import Action, announcement, decide, last_words
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.network import network_for
from hermes_core.wire.chat_completions import to_request
from hermes_core.wire.fold import Fold


class Model:
    """A provider's model, ready to be asked.

    ``usage`` sums the tokens of every call so far, ``calls`` counts the requests sent.
    ``chance`` returns random numbers from 0 to 1, for the waits.
    """

    def __init__(
        self, runtime: Runtime, config: Config, *, chance: Callable[[], float] = random.random
    ) -> None:
        self.runtime = runtime
        self.usage = Usage()
        self.calls = 0
        self._max_retries = config.api_max_retries
        self._network = network_for(config, runtime.base_url)
        self._chance = chance
        self._stale = 0
        REDACTOR.register(runtime.api_key)

    def respond(
        self,
        messages: Sequence[Message],
        schemas: Sequence[dict[str, Any]],
        emit: Emit,
        interrupt: Interrupt,
    ) -> Message:
        """Ask the model and return its assistant message.

        Text and reasoning are told as they arrive, from another thread; so is a failure that is
        tried again. An answer that breaks off after some of its text was told is not tried
        again, since the same text would be told twice: the failure is raised, and the text is no
        part of the conversation.

        Raises ``Interrupted`` within moments of the interrupt, and nothing is told afterwards;
        a ``ProviderError`` once trying again does not help; ``ConfigError``.
        """
        attempt = 0
        while True:
            attempt += 1
            call = self._attempt(messages, schemas, emit, interrupt)
            try:
                fold = call.run()
            except ProviderError as error:
                action = self._next(error, attempt, call.text_shown, len(messages))
                if action.kind == "give_up":
                    error.args = (last_words(error, attempt, text_shown=call.text_shown),)
                    raise
                text = announcement(error, action, attempt, self._max_retries)
                emit(StatusChanged("warning", text))
                interrupt.wait(action.seconds)
                interrupt.raise_if_set()
            else:
                return self._conclude(fold, messages, emit)

    def _attempt(
        self,
        messages: Sequence[Message],
        schemas: Sequence[dict[str, Any]],
        emit: Emit,
        interrupt: Interrupt,
    ) -> Attempt:
        request = to_request(messages, schemas, self.runtime, stale=self._stale)
        self.calls += 1
        return Attempt(
            lambda latch, before_wait: open_stream(
                self.runtime,
                request,
                interrupt=latch,
                network=self._network,
                before_wait=before_wait,
            ),
            emit,
            interrupt,
        )

    def _next(self, error: ProviderError, attempt: int, text_shown: bool, length: int) -> Action:
        error.provider = error.provider or self.runtime.provider
        error.model = error.model or self.runtime.model
        action = decide(
            error,
            attempt=attempt,
            max_retries=self._max_retries,
            text_shown=text_shown,
            stripped=self._stale >= length,
            jitter=self._chance(),
        )
        if action.kind == "strip":
            # reasoning made from now on is sent again, until it too is refused
            self._stale = sys.maxsize if self._stale else length
        return action

    def _conclude(self, fold: Fold, messages: Sequence[Message], emit: Emit) -> Message:
        message = fold.message()
        _give_ids(message, messages)
        if fold.usage is not None:
            self.usage += fold.usage
            emit(UsageUpdated(fold.usage.total, self.runtime.context_window))
        return message


def _give_ids(message: Message, earlier: Sequence[Message]) -> None:
    """Make every call id unique in the conversation: blank and repeated ones are replaced."""
    taken = {call["id"] for told in earlier for call in told.get("tool_calls", [])}
    for call in message.get("tool_calls", []):
        if not call["id"].strip() or call["id"] in taken:
            call["id"] = f"call_{uuid.uuid4().hex[:24]}"
        taken.add(call["id"])
