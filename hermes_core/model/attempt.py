"""One HTTP call to the model, on its own thread, shown as it arrives and dropped on interrupt."""

import threading
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import (
    Emit,
    Event,
    ReasoningDelta,
    TextDelta,
    ToolCallGenerating,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.model.masking import masked
from hermes_core.transport.carrier import Stream
from hermes_core.wire.fold import Fold
from hermes_core.wire.formats import Parse
from hermes_core.wire.pieces import CallPiece, Piece, ReasoningPiece, TextPiece

MAX_ANSWER: Final = 8 * 1024 * 1024
"""Characters of text, reasoning and arguments after which an answer counts as cut by length."""

_PATIENCE: Final = 0.05
"""Seconds that an interrupted turn waits for an event that is just being told."""

Open = Callable[[Interrupt, Callable[[], None]], AbstractContextManager[Stream]]
"""Opens the stream, given the latch that ends it and what to call before it waits."""


class Outlet:
    """An ``Emit`` that can be closed: afterwards it lets nothing through."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._closed = False

    def __call__(self, event: Event) -> None:
        """Pass ``event`` on; raise ``Interrupted`` if closed."""
        with self._lock:
            if self._closed:
                raise Interrupted
            self._emit(event)

    def close(self) -> None:
        """Close; an event that is on its way through is waited for, but not long."""
        self._closed = True
        if self._lock.acquire(timeout=_PATIENCE):
            self._lock.release()


class Attempt:
    """One call. ``run`` it once; ``text_shown`` then tells whether any of its text was told."""

    def __init__(self, open_stream: Open, parse: Parse, emit: Emit, interrupt: Interrupt) -> None:
        self.text_shown = False
        self._open = open_stream
        self._parse = parse
        self._outlet = Outlet(emit)
        self._interrupt = interrupt
        self._fold = Fold()
        self._message_id = uuid.uuid4().hex
        self._held: list[str] = []
        self._held_kind: type[TextDelta] | type[ReasoningDelta] = TextDelta
        self._begun: set[tuple[int, str]] = set()
        self._done = threading.Event()
        self._error: BaseException | None = None

    def run(self) -> Fold:
        """Return the whole answer.

        Raises ``Interrupted`` as soon as the interrupt is set, whatever the call is waiting for,
        and nothing is told after that. Raises what opening or reading the stream raised.
        """
        latch = self._interrupt.child()
        forget = self._interrupt.listen(self._done.set)
        thread = threading.Thread(target=self._work, args=(latch,), name="api", daemon=True)
        try:
            thread.start()
            self._done.wait()
            self._interrupt.raise_if_set()
        finally:
            forget()
            self._outlet.close()
            latch.set()
        if self._error is not None:
            raise self._error
        return self._fold

    def _work(self, latch: Interrupt) -> None:
        try:
            with self._open(latch, self._flush) as stream:
                for piece in masked(self._parse(stream)):
                    self._fold.add(piece)
                    self._show(piece)
                    if self._fold.size > MAX_ANSWER:
                        self._fold.cut_short()
                        break
                self._flush()
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def _show(self, piece: Piece) -> None:
        if isinstance(piece, TextPiece):
            self._hold(piece.text, TextDelta)
        elif isinstance(piece, ReasoningPiece):
            self._hold(piece.text, ReasoningDelta)
        elif isinstance(piece, CallPiece) and piece.name:
            begun = (piece.slot, piece.name)
            if begun not in self._begun:
                self._begun.add(begun)
                self._flush()
                self._outlet(ToolCallGenerating(piece.name))

    def _hold(self, text: str, kind: type[TextDelta] | type[ReasoningDelta]) -> None:
        """Keep ``text`` until the stream waits: what arrives together is told together."""
        if kind is not self._held_kind:
            self._flush()
            self._held_kind = kind
        self._held.append(text)

    def _flush(self) -> None:
        if not self._held:
            return
        text = "".join(self._held)
        self._held.clear()
        self.text_shown = self.text_shown or self._held_kind is TextDelta
        self._outlet(self._held_kind(text, self._message_id))
