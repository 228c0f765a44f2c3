"""Runs the tool calls of one answer, segment by segment, each in three phases.

Prepare, in order on the turn's thread: the card appears, the call is approved. Execute, together.
Answer, in the order of the calls: the result is committed, then the card ends. Only the turn's
thread ever talks to the user, and every card that appeared ends once, whatever happens.
"""

import logging
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from hermes_core.agent.calls import CallRequest, Outcome, read_call
from hermes_core.agent.cards import Card
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.duplicates import digest_of, mark_repeated
from hermes_core.agent.interruption import CALL as NOT_RUN
from hermes_core.agent.interruption import CUT_SHORT
from hermes_core.agent.segments import split
from hermes_core.agent.steering import defused
from hermes_core.agent.toolbox import Toolbox
from hermes_core.ground.content import Image, Text
from hermes_core.ground.errors import Interrupted, StoreError, ToolError
from hermes_core.ground.events import Emit
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import ToolCall, tool_message
from hermes_core.ground.secrets import REDACTOR
from hermes_core.tools.registry import Output, Prepared

WORKERS = 8
GRACE = 0.08
"""Seconds that calls running together have to return what they have, after an interrupt."""

NOT_REACHED = "Not run: the turn failed before this call."
REPEATED = "[The same call as before in this answer; it was made once. Its result:]\n"
LOST = "The turn failed while this ran; it may have run."

_log = logging.getLogger(__name__)


def run_tool_calls(
    calls: Sequence[ToolCall],
    tools: Toolbox,
    conversation: Conversation,
    emit: Emit,
    interrupt: Interrupt,
) -> list[Outcome]:
    """Run ``calls``, append an answer for each that was begun, and return what they came to.

    Raises ``Interrupted`` when the user stopped the turn; what was not begun is left open, for
    ``Conversation.close``.
    """
    requests = [read_call(call, tools.specs, tools.context.workspace) for call in calls]
    answers = _Answers(conversation, interrupt, tools)
    for segment in split(mark_repeated(requests)):
        interrupt.raise_if_set()
        for part in split([tools.gate(request) for request in segment]):
            _Segment(tools, answers, emit, interrupt).run(part)
    interrupt.raise_if_set()
    return answers.outcomes


@dataclass(slots=True, eq=False)
class _Job:
    """One call on its way: ``prepared`` once it may run, ``output`` once it has come to one."""

    request: CallRequest
    card: Card
    prepared: Prepared | None = None
    output: Output | None = None
    began: float | None = None
    seconds: float = 0.0
    shown: bool = False
    ended: bool = False

    def run(self, prepared: Prepared) -> None:
        """Run the call; whatever it raises becomes its output."""
        self.began = time.monotonic()
        try:
            self.output = prepared.run(self.card.progress)
        except Interrupted:
            pass
        except Exception as error:
            self.output = _failure(self.request.name, error)
        self.seconds = time.monotonic() - self.began


class _Answers:
    """Commits the answers to the calls of one message; ``outcomes`` are those so far, in order."""

    def __init__(self, conversation: Conversation, interrupt: Interrupt, tools: Toolbox) -> None:
        self.outcomes: list[Outcome] = []
        self._conversation = conversation
        self._interrupt = interrupt
        self._tools = tools
        self._room = tools.room()

    def add(self, job: _Job) -> None:
        """Commit the answer of a job together with the end of its card."""
        job.ended = True
        request = job.request
        output = job.output or self._earlier(request) or Output(self._unfinished(job), failed=True)
        digest = digest_of(output.text)
        text = request.remark + defused(self._room.fit(request, output.text))
        output = replace(output, text=text)
        self.outcomes.append(Outcome(request, output, digest))
        event = job.card.end(output, job.seconds)
        images = () if request.same_as else images_in(output)
        answer = tool_message(request.call["id"], request.name, output.text, images)
        if not job.shown:
            self._conversation.append(answer)
            return
        try:
            self._conversation.append(answer, event)
        except StoreError as error:
            text = f"{output.text}\n{error}"
            self._conversation.show(replace(event, status="failed", output=text))
            raise
        self._tools.ran(self.outcomes[-1], job.seconds)

    def _earlier(self, request: CallRequest) -> Output | None:
        """Return what the call came to that ``request`` repeats."""
        for one in self.outcomes:
            if one.request.call["id"] == request.same_as:
                return replace(one.output, text=f"{REPEATED}{one.output.text}")
        return None

    def _unfinished(self, job: _Job) -> str:
        if self._interrupt.is_set():
            return NOT_RUN if job.began is None else CUT_SHORT
        return NOT_REACHED if job.began is None else LOST


class _Segment:
    def __init__(self, tools: Toolbox, answers: _Answers, emit: Emit, interrupt: Interrupt) -> None:
        self._tools = tools
        self._answers = answers
        self._emit = emit
        self._interrupt = interrupt
        self._grace_ends: float | None = None

    def run(self, requests: Sequence[CallRequest]) -> None:
        jobs: list[_Job] = []
        try:
            for request in requests:
                self._interrupt.raise_if_set()
                jobs.append(_Job(request, Card(request, self._emit)))
                self._prepare(jobs[-1])
            self._interrupt.raise_if_set()
            with closing(self._execute(jobs)) as finished:
                for job in finished:
                    self._answers.add(job)
        finally:
            for job in jobs:
                if not job.ended:
                    with suppress(Exception):
                        self._answers.add(job)

    def _prepare(self, job: _Job) -> None:
        request = job.request
        prepared = None
        if request.same_as:
            pass
        elif request.problem or request.spec is None:
            job.output = Output(request.problem, failed=True)
        else:
            try:
                context = replace(self._tools.context, call_id=job.card.call_id)
                prepared = request.spec.prepare(context, request.arguments)
            except Interrupted:
                pass
            except Exception as error:
                job.output = _failure(request.name, error)
        if prepared is not None:
            prepared = self._tools.consent.titled(prepared, self._interrupt)
        job.card.start(prepared)
        job.shown = True
        self._interrupt.raise_if_set()
        if prepared is None:
            return
        refusal = self._tools.consent.refusal(job.card, prepared, self._emit, self._interrupt)
        if refusal:
            content = (*prepared.content, Text(refusal))
            job.output = Output(refusal, content, failed=True)
        else:
            job.prepared = self._tools.consent.watched(prepared)

    def _execute(self, jobs: Sequence[_Job]) -> Generator[_Job, None, None]:
        """Yield the jobs in order, each once it has its output or is given up."""
        if sum(job.prepared is not None for job in jobs) > 1:
            yield from self._execute_together(jobs)
            return
        for job in jobs:
            if job.prepared:
                job.card.running()
                job.run(job.prepared)
            yield job

    def _execute_together(self, jobs: Sequence[_Job]) -> Generator[_Job, None, None]:
        pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="tool")
        try:
            running: dict[_Job, Future[None]] = {}
            for job in jobs:
                if job.prepared:
                    job.card.running()
                    running[job] = pool.submit(job.run, job.prepared)
            for job in jobs:
                if job in running:
                    self._wait(running[job])
                yield job
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _wait(self, future: "Future[None]") -> None:
        """Wait for one call; after an interrupt only a moment, then it is given up."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        forget = self._interrupt.listen(done.set)
        done.wait()
        forget()
        if not future.done() and not future.cancel():
            now = time.monotonic()
            self._grace_ends = self._grace_ends or now + GRACE
            wait([future], max(0.0, self._grace_ends - now))


def images_in(output: Output) -> tuple[str, ...]:
    """Return the images of a result as ``data:`` addresses."""
    found = (part for part in output.content if isinstance(part, Image) and part.data)
    return tuple(f"data:{one.mime_type};base64,{one.data}" for one in found)


def _failure(name: str, error: Exception) -> Output:
    if isinstance(error, ToolError):
        return Output(str(error), failed=True)
    _log.error("the tool %s failed unexpectedly", name, exc_info=error)
    reason = REDACTOR.redact(f"{type(error).__name__}: {error}")[:500]
    return Output(f"{name} failed in a way it should not: {reason}", failed=True)
