"""Children of one agent: they do their tasks side by side, and are gone when their call is."""

import logging
import threading
from collections import deque
from collections.abc import Sequence

from hermes_core.agent.child import Child, Parent, Post, Report, Task
from hermes_core.agent.child_line import ChildLine
from hermes_core.agent.child_view import Board
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import UsageUpdated
from hermes_core.ground.interrupt import Interrupt
from hermes_core.tools.registry import Progress, ToolContext

GRACE = 0.08
"""Seconds that children have to come to rest after an interrupt, before they are given up."""

_log = logging.getLogger(__name__)


class Children:
    """Runs the children of one agent."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._line = ChildLine(parent.session.emit)
        self._lock = threading.Lock()
        self._running: dict[str, Child] = {}

    @property
    def depth_left(self) -> int:
        """How many generations may still come after this agent."""
        return self._parent.engine.config.delegation_max_depth - self._parent.depth

    @property
    def at_once(self) -> int:
        """How many children run side by side."""
        return self._parent.engine.config.delegation_max_children

    def run(self, tasks: Sequence[Task], ctx: ToolContext, progress: Progress) -> list[Report]:
        """Have every task done by a child of its own; return what each came to, in order.

        The failure of one leaves the others alone. An interrupt reaches all of them; one that
        does not come to rest at once is given up, and reported as cancelled.
        """
        board = Board([task.title for task in tasks], progress)
        crew = [
            Child(
                self._parent,
                task,
                Post(number, len(tasks), ctx.call_id, f"{ctx.task_id}.{number + 1}", board),
                self._line,
                ctx.interrupt.child(),
            )
            for number, task in enumerate(tasks)
        ]
        try:
            self._work(crew, ctx.interrupt)
        finally:
            for child in crew:
                child.give_up()
                child.interrupt.set()
            self._charge(crew)
        return [child.report for child in crew if child.report is not None]

    def interrupt(self, child_id: str) -> bool:
        """Stop one child, or a child's child, alone; return whether there is such a one."""
        with self._lock:
            running = list(self._running.values())
        for child in running:
            if child.id == child_id:
                child.interrupt.set()
                return True
            if child.agent is not None and child.agent.interrupt_child(child_id):
                return True
        return False

    def _work(self, crew: Sequence[Child], interrupt: Interrupt) -> None:
        waiting = deque(crew)
        wake, all_done = threading.Event(), threading.Event()

        def work() -> None:
            while True:
                try:
                    child = waiting.popleft()
                except IndexError:
                    return
                self._work_one(child)
                if all(one.report is not None for one in crew):
                    all_done.set()
                    wake.set()

        for number in range(min(len(crew), self.at_once)):
            threading.Thread(target=work, name=f"child-{number}", daemon=True).start()
        forget = interrupt.listen(wake.set)
        wake.wait()
        forget()
        all_done.wait(GRACE)

    def _work_one(self, child: Child) -> None:
        with self._lock:
            self._running[child.id] = child
        try:
            child.work()
        finally:
            with self._lock:
                self._running.pop(child.id, None)

    def _charge(self, crew: Sequence[Child]) -> None:
        """Count what the children used as the parent's, and show it."""
        for child in crew:
            child.charge()
        try:
            model = self._parent.engine.model()
            window = model.runtime.context_window
            self._parent.session.emit(UsageUpdated(model.in_context, window, model.bill.amount))
        except HermesError as error:
            _log.warning("what the children used could not be shown: %s", error)
