"""What children show while they work, gathered on the card of the call that they work for."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hermes_core.ground.content import Diff, Text
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildShown,
    Event,
    StatusChanged,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.tools.registry import Progress
from hermes_core.tools.visible import one_line

LINES = 6
"""Tool calls of a child that its part of the card lists, the last ones."""

SAID = 300
"""Characters of what a child said last that are shown."""

GROWTH = 120
"""Characters of text after which the card is shown again."""


@dataclass(slots=True)
class ChildView:
    """One child as far as it has come. ``files``: absolute paths that its tools changed."""

    title: str
    state: str = "waiting for its turn"
    step: int = 0
    calls: dict[str, str] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    said: str = ""
    _message: str = ""
    _unseen: int = 0
    _diffs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def take(self, event: Event) -> bool:
        """Take note of ``event``; return whether the card should be shown again."""
        match event:
            case StepStarted():
                self.step, self.state = event.number, f"step {event.number}"
            case ToolCallStarted():
                self.calls[event.call_id] = one_line(event.title)
                self._diffs[event.call_id] = _changed(event.content)
            case ApprovalRequested():
                self.state = "waits for your answer"
            case ToolCallRunning():
                self.state = f"step {self.step}"
            case ToolCallFinished():
                self._finish(event)
            case StatusChanged():
                self.said = event.text
            case TextDelta():
                return self._say(event)
            case ChildShown(child=child, asked=False):
                self._look_below(child, innermost(event))
                return False
            case _:
                return False
        return True

    def markdown(self) -> str:
        """Return the child's part of the card."""
        lines = [f"**{self.title}**: {self.state}"]
        calls = list(self.calls.values())
        if len(calls) > LINES:
            lines.append(f"- … {len(calls) - LINES} earlier calls")
        lines += [f"- {call}" for call in calls[-LINES:]]
        said = " ".join(self.said.split())
        if said:
            lines += ["", said if len(said) <= SAID else "…" + said[1 - SAID :]]
        return "\n".join(lines)

    def _finish(self, event: ToolCallFinished) -> None:
        self.state = f"step {self.step}"
        if event.status == "failed":
            self.calls[event.call_id] = f"{self.calls.get(event.call_id, event.name)} (failed)"
        else:
            self._note_files(event.call_id, event)

    def _look_below(self, child: str, event: Event) -> None:
        """Note the files that a child of the child changes."""
        if isinstance(event, ToolCallStarted):
            self._diffs[f"{child}:{event.call_id}"] = _changed(event.content)
        elif isinstance(event, ToolCallFinished) and event.status == "completed":
            self._note_files(f"{child}:{event.call_id}", event)

    def _note_files(self, key: str, event: ToolCallFinished) -> None:
        paths = (*self._diffs.get(key, ()), *_changed(event.content))
        self.files.update(dict.fromkeys(paths))

    def _say(self, event: TextDelta) -> bool:
        if event.message_id != self._message:
            self._message, self.said = event.message_id, ""
        self.said = (self.said + event.text)[-4 * SAID :]
        self._unseen += len(event.text)
        if self._unseen < GROWTH:
            return False
        self._unseen = 0
        return True


class Board:
    """The card of several children; may be used from any thread. progress: shows the card."""

    def __init__(self, titles: Sequence[str], progress: Progress) -> None:
        numbered = [f"{n}. {title}" for n, title in enumerate(titles, 1)]
        self._views = [ChildView(title) for title in (numbered if len(titles) > 1 else titles)]
        self._progress = progress
        self._lock = threading.Lock()

    def take(self, index: int, event: Event) -> None:
        """Take note of what a child shows, and show the card if that changes it."""
        self._change(index, lambda view: view.take(event))

    def end(self, index: int, state: str) -> None:
        """Show that a child has come to its end."""

        def change(view: ChildView) -> bool:
            view.state = state
            return True

        self._change(index, change)

    def step(self, index: int) -> int:
        """Return how many model calls a child has begun."""
        return self._views[index].step

    def files(self, index: int) -> tuple[str, ...]:
        """Return the files that a child's tools have changed, in order."""
        with self._lock:
            return tuple(self._views[index].files)

    def _change(self, index: int, change: Callable[[ChildView], bool]) -> None:
        with self._lock:
            if not change(self._views[index]):
                return
            content = tuple(Text(view.markdown()) for view in self._views)
        self._progress(content)


def _changed(content: Sequence[object]) -> tuple[str, ...]:
    return tuple(part.path for part in content if isinstance(part, Diff))


def innermost(event: Event) -> Event:
    """Return the event of a child, or of a child's child, that ``event`` passes on."""
    while isinstance(event, ChildShown):
        event = event.shown
    return event
