"""Questions that wait for a person while another one is answered.

What an answer settles for good, or a visit to a host, may be what another question asks too. Then
that one is answered by the rule, before it comes before a person.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import InvalidStateError
from contextlib import contextmanager, suppress

from hermes_core.ground.actions import Answer
from hermes_core.ground.events import ApprovalRequested


class OpenQuestions:
    """Those of one session, its children's included. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[int, tuple[ApprovalRequested, Callable[[], Answer | None]]] = {}

    @contextmanager
    def waiting(
        self, question: ApprovalRequested, settled: Callable[[], Answer | None]
    ) -> Iterator[None]:
        """Hold a question as open. settled: returns the answer that the rules give it by now."""
        with self._lock:
            self._open[id(question)] = (question, settled)
        try:
            yield
        finally:
            with self._lock:
                self._open.pop(id(question), None)

    def settle(self) -> None:
        """Answer those questions that the rules answer by now."""
        with self._lock:
            waiting = list(self._open.values())
        for question, settled in waiting:
            answer = None if question.reply.done() else settled()
            if answer is not None:
                with suppress(InvalidStateError):  # a person was faster
                    question.reply.set_result(answer)
