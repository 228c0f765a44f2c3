"""One child: an agent with a history and a budget of its own, which does one task for another."""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, cast

from hermes_core.agent.child_line import ChildLine
from hermes_core.agent.child_view import Board
from hermes_core.agent.consent import Consent
from hermes_core.agent.engine import Engine
from hermes_core.agent.heritage import Heritage, config_for_child, request_of
from hermes_core.agent.mcp_tools import McpTools
from hermes_core.agent.session import Session
from hermes_core.ground.errors import HermesError, Interrupted, StoreError
from hermes_core.ground.events import ChildFinished, ChildStarted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import StopReason
from hermes_core.ground.ports import Files
from hermes_core.ground.secrets import REDACTOR

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent
    from hermes_core.sessions.store import Store

RULES = """

[Hermes: another agent gives you this task as a part of its work for the user. It sees nothing of \
your work but your last answer, and nobody can answer questions. Do the task yourself, to its end; \
you have {limit} model calls. Then answer with what you found or did, places as path:line, every \
file that you changed, and what is left or uncertain.]"""

_NEVER_BEGAN = "It was not begun."

LONGEST_TOLD = 20_000
"""Characters of an answer that the end of a child tells; its text was shown as it came."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """What a child is to do. title: a few words for people; text: all that it is told."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a task came to. files: absolute paths that were changed; steps: model calls.

    stuck: the child was stopped, since it went in circles.
    """

    title: str
    stop_reason: StopReason | Literal["error"]
    answer: str = ""
    error: str = ""
    steps: int = 0
    files: tuple[str, ...] = ()
    seconds: float = 0.0
    stuck: bool = False

    @property
    def completed(self) -> bool:
        """Whether the child came to the end of its work."""
        return self.stop_reason == "end_turn" and not self.stuck


@dataclass(frozen=True, slots=True)
class Parent:
    """The agent that children work for, as far as they need it.

    make: makes an ``AIAgent``. trace: returns the trace context of its turn.
    """

    session: Session
    store: "Store"
    engine: Engine
    files: Files
    consent: Consent
    depth: int
    make: "Callable[..., AIAgent]"
    mcp: McpTools = field(default_factory=McpTools)
    trace: Callable[[], Mapping[str, str]] = dict


@dataclass(frozen=True, slots=True)
class Post:
    """The place of a child in its call: which of how many tasks, for which call, shown where."""

    number: int
    count: int
    call_id: str
    task_id: str
    board: Board


class Child:
    """Does one task. ``report`` is there once ``work`` or ``give_up`` has returned."""

    def __init__(
        self, parent: Parent, task: Task, post: Post, line: ChildLine, interrupt: Interrupt
    ) -> None:
        self.id = str(uuid.uuid4())
        self.interrupt = interrupt
        self.agent: AIAgent | None = None
        self.report: Report | None = None
        self._parent = parent
        self._task = task
        self._post = post
        self._screen = line.screen(self.id, task.title, post, interrupt)
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._began: float | None = None

    def work(self) -> None:
        """Do the task on this thread, to whatever end. Never raises."""
        try:
            report = self._run()
        except Interrupted:
            report = self._report("cancelled")
        except Exception as error:
            report = self._report("error", error=_told(error))
        self._end(report)

    def give_up(self) -> None:
        """End it for its parent; what its thread may still do is not shown any more."""
        self._end(self._report("cancelled"))

    def charge(self) -> None:
        """Have the parent's model count what this child has used."""
        if self._engine is not None:
            self._engine.charge_to(self._parent.engine)

    def _run(self) -> Report:
        self.interrupt.raise_if_set()
        agent = self._agent()
        self._screen.open(
            ChildStarted(self.id, self._post.call_id, self._task.title, self._task.text)
        )
        self._began = time.monotonic()
        try:
            config = self._parent.engine.config
            result = agent.run_conversation(
                self._task.text + RULES.format(limit=config.delegation_max_iterations),
                task_id=self._post.task_id,
                interrupt=self.interrupt,
            )
        finally:
            agent.close()
            with suppress(StoreError):
                self._parent.store.release(self.id)
        if result["stop_reason"] == "error":
            return self._report("error", error=result["error"] or "")
        reason = cast(StopReason, result["stop_reason"])
        report = self._report(reason, answer=result["final_response"])
        return replace(report, stuck=reason == "end_turn" and not result["completed"])

    def _agent(self) -> "AIAgent":
        from hermes_core.sessions.lineage import create_child

        parent, now = self._parent, time.time()
        request = request_of(parent.engine)
        config = config_for_child(parent.engine, self._post.count)
        self._engine = Engine(request, config)
        row = replace(
            parent.session.row,
            id=self.id,
            title=self._task.title,
            provider=request.provider,
            model=request.model,
            system_prompt=None,
            created=now,
            updated=now,
        )
        create_child(parent.store, row, parent.session.row.id, "delegated")
        self.agent = parent.make(
            session_id=self.id,
            config=config,
            store=parent.store,
            files=parent.files,
            emit=self._screen,
            heritage=Heritage(parent.consent, self._engine, parent.depth + 1, parent.mcp),
        )
        self.agent.trace = parent.trace()
        return self.agent

    def _report(
        self, stop_reason: StopReason | Literal["error"], *, answer: str = "", error: str = ""
    ) -> Report:
        if self._began is None:
            return Report(self._task.title, stop_reason, error=error or _NEVER_BEGAN)
        board, number = self._post.board, self._post.number
        return Report(
            self._task.title,
            stop_reason,
            answer,
            error,
            board.step(number),
            board.files(number),
            time.monotonic() - self._began,
        )

    def _end(self, report: Report) -> None:
        with self._lock:
            if self.report is not None:
                return
            self.report = report
            self._screen.close(
                ChildFinished(
                    self.id,
                    self._post.call_id,
                    report.title,
                    report.stop_reason,
                    report.answer[:LONGEST_TOLD],
                    report.error,
                    report.seconds,
                )
            )


def _told(error: Exception) -> str:
    if isinstance(error, HermesError):
        return REDACTOR.redact(str(error))
    _log.error("a child failed unexpectedly", exc_info=error)
    return REDACTOR.redact(f"{type(error).__name__}: {error}")[:500]
