"""The callbacks that users of ``AIAgent`` may pass, as a view of the events.

No other module reads a callback.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar

from hermes_core.ground.actions import Answer
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    ClarifyRequested,
    Compacted,
    CompactionStarted,
    Emit,
    Event,
    ReasoningDelta,
    StatusChanged,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallGenerating,
    ToolCallStarted,
)

_DELEGATE = "delegate_task"


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Functions to call as a turn goes on; each may be None.

    stream_delta_callback(text | None): a piece of the answer. None is no text: a tool starts, so
        that the text before it is complete. It comes once for each tool, and not at the end.
    reasoning_callback(text): a piece of the reasoning.
    thinking_callback(text): "thinking" when a model call begins, "" at its first piece.
    tool_progress_callback(event, name, preview, arguments, **details): ``tool.started`` and
        ``tool.completed`` (details: tool_call_id, duration, is_error, result); of the children of
        ``delegate_task`` ``subagent.start``, ``subagent.tool`` (name and arguments are those of the
        child's tool) and ``subagent.complete`` (details: tool_call_id, child).
    tool_start_callback(call_id, name, arguments) and
    tool_complete_callback(call_id, name, arguments, result).
    step_callback(number, previous_tools): a step begins; each previous tool is
        ``{"name", "arguments" (a JSON string), "result"}``.
    approval_callback(ApprovalRequested) -> answer: without one, what would ask is rejected.
    clarify_callback(question, choices) -> answer, or None: without one the model cannot ask.
    status_callback(level, text). tool_gen_callback(name): the model began to write a call.
    """

    stream_delta_callback: Callable[[str | None], None] | None = None
    reasoning_callback: Callable[[str], None] | None = None
    thinking_callback: Callable[[str], None] | None = None
    tool_progress_callback: Callable[..., None] | None = None
    tool_start_callback: Callable[[str, str, dict[str, Any]], None] | None = None
    tool_complete_callback: Callable[[str, str, dict[str, Any], str], None] | None = None
    step_callback: Callable[[int, list[dict[str, Any]]], None] | None = None
    approval_callback: Callable[[ApprovalRequested], Answer] | None = None
    clarify_callback: Callable[[str, list[str]], str | None] | None = None
    status_callback: Callable[[str, str], None] | None = None
    tool_gen_callback: Callable[[str], None] | None = None


def callbacks_of(given: Mapping[str, Any], caller: str) -> Callbacks:
    """Return the callbacks that were passed by name to ``caller``.

    Raises ``TypeError``, naming the caller, for a name that is none.
    """
    known = [field.name for field in fields(Callbacks)]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{caller}() has no argument {name!r}.{hint}")
    return Callbacks(**given)


class CallbackView:
    """An ``Emit`` that turns events into calls of ``Callbacks``."""

    def __init__(self, callbacks: Callbacks, then: Emit | None = None) -> None:
        self._callbacks = callbacks
        self._then = then
        self._arguments: dict[str, dict[str, Any]] = {}
        self._previous: list[dict[str, Any]] = []
        self._thinking = False

    def __call__(self, event: Event) -> None:
        """Call what listens for ``event``, then hand it on."""
        handler = self._HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)
        if self._then is not None:
            self._then(event)
        elif isinstance(event, ApprovalRequested) and not event.reply.done():
            event.reply.set_result("reject_once")
        elif isinstance(event, ClarifyRequested) and not event.reply.done():
            event.reply.set_result(None)

    def _text(self, event: TextDelta) -> None:
        self._stop_thinking()
        if self._callbacks.stream_delta_callback:
            self._callbacks.stream_delta_callback(event.text)

    def _reasoning(self, event: ReasoningDelta) -> None:
        self._stop_thinking()
        if self._callbacks.reasoning_callback:
            self._callbacks.reasoning_callback(event.text)

    def _stop_thinking(self) -> None:
        if self._thinking and self._callbacks.thinking_callback:
            self._callbacks.thinking_callback("")
        self._thinking = False

    def _step(self, event: StepStarted) -> None:
        if self._callbacks.step_callback:
            self._callbacks.step_callback(event.number, self._previous)
        self._previous = []
        self._thinking = True
        if self._callbacks.thinking_callback:
            self._callbacks.thinking_callback("thinking")

    def _generating(self, event: ToolCallGenerating) -> None:
        self._stop_thinking()
        if self._callbacks.tool_gen_callback:
            self._callbacks.tool_gen_callback(event.name)

    def _started(self, event: ToolCallStarted) -> None:
        self._arguments[event.call_id] = event.arguments
        if self._callbacks.stream_delta_callback:
            self._callbacks.stream_delta_callback(None)
        if self._callbacks.tool_start_callback:
            self._callbacks.tool_start_callback(event.call_id, event.name, event.arguments)
        self._progress("tool.started", event.name, event.title, event.arguments, event.call_id)

    def _finished(self, event: ToolCallFinished) -> None:
        arguments = self._arguments.pop(event.call_id, {})
        self._previous.append(
            {"name": event.name, "arguments": json.dumps(arguments), "result": event.output}
        )
        if self._callbacks.tool_complete_callback:
            self._callbacks.tool_complete_callback(
                event.call_id, event.name, arguments, event.output
            )
        self._progress(
            "tool.completed",
            event.name,
            event.output[:80],
            arguments,
            event.call_id,
            duration=event.seconds,
            is_error=event.status == "failed",
            result=event.output,
        )

    def _progress(
        self,
        kind: str,
        name: str,
        preview: str,
        arguments: dict[str, Any],
        call_id: str,
        **more: Any,
    ) -> None:
        if self._callbacks.tool_progress_callback:
            self._callbacks.tool_progress_callback(
                kind, name, preview, arguments, tool_call_id=call_id, **more
            )

    def _approval(self, event: ApprovalRequested) -> None:
        if self._callbacks.approval_callback and not event.reply.done():
            answer = self._callbacks.approval_callback(event)
            if not event.reply.done() or answer not in ("allow_once", "allow_always"):
                event.reply.set_result(answer)  # where a rule came first, a rejection still counts

    def _compacting(self, event: CompactionStarted | Compacted) -> None:
        failed = isinstance(event, Compacted) and event.status == "failed"
        self._status(StatusChanged("warning" if failed else "info", event.text))

    def _clarify(self, event: ClarifyRequested) -> None:
        if self._callbacks.clarify_callback and not event.reply.done():
            answer = self._callbacks.clarify_callback(event.question, list(event.choices))
            event.reply.set_result(answer)

    def _status(self, event: StatusChanged) -> None:
        if self._callbacks.status_callback:
            self._callbacks.status_callback(event.level, event.text)

    def _child_started(self, event: ChildStarted) -> None:
        about = {"task": event.task}
        self._progress(
            "subagent.start", _DELEGATE, event.title, about, event.call_id, child=event.child
        )

    def _child_shown(self, event: ChildShown) -> None:
        call, asked = event.shown, event.asked
        if isinstance(call, ToolCallStarted) and not asked:
            self._progress(
                "subagent.tool",
                call.name,
                call.title,
                call.arguments,
                call.call_id,
                child=event.child,
            )

    def _child_finished(self, event: ChildFinished) -> None:
        self._progress(
            "subagent.complete",
            _DELEGATE,
            event.title,
            {},
            event.call_id,
            child=event.child,
            duration=event.seconds,
            is_error=event.stop_reason == "error",
            result=event.error or event.answer,
            stop_reason=event.stop_reason,
        )

    _HANDLERS: ClassVar[dict[type, Callable[..., None]]] = {
        TextDelta: _text,
        ReasoningDelta: _reasoning,
        StepStarted: _step,
        ToolCallGenerating: _generating,
        ToolCallStarted: _started,
        ToolCallFinished: _finished,
        ApprovalRequested: _approval,
        ClarifyRequested: _clarify,
        StatusChanged: _status,
        CompactionStarted: _compacting,
        Compacted: _compacting,
        ChildStarted: _child_started,
        ChildShown: _child_shown,
        ChildFinished: _child_finished,
    }
