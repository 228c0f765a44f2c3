"""What a session uses, written down call by call, so that it adds up whatever ends the process."""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import Emit, Event, UsageUpdated

if TYPE_CHECKING:
    from hermes_core.agent.engine import Engine
    from hermes_core.model.auxiliary import AuxiliaryModel
    from hermes_core.model.respond import Model
    from hermes_core.sessions.store import Store
    from hermes_core.sessions.usage import Used

_log = logging.getLogger(__name__)


class Ledger:
    """Counts what a session's models use, into the store. May be used from any thread.

    session_id: returns the id of the session whose usage it is. engine: asks the chat's model,
    whose bill also holds what was asked beside it.
    """

    def __init__(self, store: "Store", session_id: Callable[[], str], engine: "Engine") -> None:
        self._store = store
        self._session_id = session_id
        self._engine = engine
        self._lock = threading.Lock()
        self._turn: list[Used] = []

    @property
    def turn(self) -> "list[Used]":
        """What the last turn used, call by call; also what was used for it beside the chat."""
        with self._lock:
            return list(self._turn)

    @property
    def session(self) -> "list[Used]":
        """What the session used so far, by task and model. Raises ``StoreError``."""
        from hermes_core.sessions.usage import usage_of

        return usage_of(self._store, self._session_id())

    def begin_turn(self) -> None:
        """Count a new turn from here on."""
        with self._lock:
            self._turn.clear()

    def watch(self, model: "Model", emit: Emit) -> Emit:
        """Return an ``Emit`` that writes down each call of ``model`` before it is told."""
        reading = _Reading(model)

        def watched(event: Event) -> None:
            if isinstance(event, UsageUpdated):
                self.add(reading.take())
            emit(event)

        return watched

    def add_auxiliary(self, asked: "AuxiliaryModel", *, of_turn: bool = True) -> None:
        """Write down what a task beside the chat used, and charge it to the chat's model.

        To be called once it was asked. of_turn: whether it was for the turn that runs, whose
        limit on money holds for it then.
        """
        from hermes_core.sessions.usage import Used

        if not asked.calls:
            return
        model = self._engine.model()
        if of_turn:
            model.charge(asked)
        else:
            model.charge_cost(asked)
        runtime, bill = asked.runtime, asked.bill
        unpriced = 0 if bill.known else asked.calls
        self.add(
            Used(
                runtime.provider,
                runtime.model,
                asked.usage,
                asked.calls,
                bill.least,
                unpriced,
                asked.task,
            )
        )

    def add(self, used: "Used") -> None:
        """Write down what was used. What cannot be stored is in the log, and stops nothing."""
        from hermes_core.sessions.usage import add_usage

        with self._lock:
            self._turn.append(used)
        try:
            add_usage(self._store, self._session_id(), used)
        except StoreError as error:
            _log.warning("session %s: its usage was not stored: %s", self._session_id(), error)


class _Reading:
    """What a model's meters said when it was last looked at.

    What children were charged to it is left out: they have ledgers of their own.
    """

    def __init__(self, model: "Model") -> None:
        self._model = model
        self._before = model.own

    def take(self) -> "Used":
        """Return what was used since."""
        from hermes_core.sessions.usage import Used

        runtime = self._model.runtime
        now, before = self._model.own, self._before
        self._before = now
        cost = now.cost - before.cost
        return Used(
            runtime.provider,
            runtime.model,
            now.usage - before.usage,
            now.calls - before.calls,
            cost,
            int(not self._model.bill.known and cost <= 0),
        )
