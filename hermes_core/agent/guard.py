"""Notices a turn that goes in circles, warns the model and the person, and stops it in the end.

A circle is the same call that fails again, the same look that shows the same again, or nothing but
calls that cannot be made. What counts is a row without progress: a call that changed something, and
was not made like that before, begins the count anew. So testing after each edit is no circle.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from hermes_core.agent.calls import CallRequest, Outcome
from hermes_core.agent.duplicates import key_of
from hermes_core.agent.endings import Ending
from hermes_core.ground.events import Emit, StatusChanged
from hermes_core.tools.visible import one_line

WARN_AT = 2
STOP_AT = 5
"""How often the same comes out before the model is told, and before the turn is stopped."""

UNKNOWN_STEPS = 3
UNREADABLE_STEPS = 5
"""Steps in a row in which no tool exists that was asked for, or no call could be made."""

_SHORT = 80
_LOOKS = ("read", "search", "fetch")


class Guard:
    """Looks at what the calls of one turn come to. ``note`` is what the next request says."""

    def __init__(self, emit: Emit) -> None:
        self.note = ""
        self._emit = emit
        self._same: Counter[tuple[str, str]] = Counter()
        self._changes: set[tuple[str, str]] = set()
        self._unknown = 0
        self._unreadable = 0

    def check(self, outcomes: Sequence[Outcome]) -> Ending | None:
        """Look at the outcomes of one step; return how the turn has to end, if it has to."""
        notes = [self._told(*found) for found in self._circles(outcomes)]
        self.note = "\n".join(notes)
        stop = self._beyond_reading(outcomes) or self._worst(outcomes)
        return Ending(stop, "end_turn", completed=False) if stop else None

    def _circles(self, outcomes: Sequence[Outcome]) -> Iterator[tuple[CallRequest, str]]:
        """Count the outcomes; yield those that have come out the same a second time, and how."""
        for outcome in outcomes:
            request = outcome.request
            if request.same_as:
                continue
            if self._is_progress(outcome):
                self._same.clear()
            circle = _circle(outcome)
            if not circle:
                continue
            known = _known(outcome)
            self._same[known] += 1
            if self._same[known] == WARN_AT:
                yield request, circle

    def _is_progress(self, outcome: Outcome) -> bool:
        request = outcome.request
        if outcome.output.failed or request.kind in (*_LOOKS, "think"):
            return False
        made = (key_of(request), outcome.digest)
        new = made not in self._changes
        self._changes.add(made)
        return new

    def _told(self, request: CallRequest, circle: str) -> str:
        what = one_line(request.title[:_SHORT])
        self._emit(StatusChanged("warning", f"The same call {circle} {WARN_AT} times: {what}"))
        return (
            f"[Hermes: the same call {circle} {WARN_AT} times, without any change in between:"
            f" {what}. Do not repeat it. Try another way, or tell the user what stands in the way.]"
        )

    def _worst(self, outcomes: Sequence[Outcome]) -> str:
        for outcome in outcomes:
            if self._same[_known(outcome)] >= STOP_AT:
                what = one_line(outcome.request.title[:_SHORT])
                return (
                    f"Stopped: the model made the same call {STOP_AT} times and it"
                    f" {_circle(outcome)} each time: {what}. The work so far is kept. Send a"
                    " message that says how to go on."
                )
        return ""

    def _beyond_reading(self, outcomes: Sequence[Outcome]) -> str:
        unknown = all(one.request.spec is None for one in outcomes)
        unreadable = all(one.request.problem for one in outcomes)
        self._unknown = self._unknown + 1 if unknown else 0
        self._unreadable = self._unreadable + 1 if unreadable else 0
        names = ", ".join(dict.fromkeys(repr(one.request.name[:_SHORT]) for one in outcomes))
        if self._unknown >= UNKNOWN_STEPS:
            return (
                f"Stopped: {UNKNOWN_STEPS} times in a row the model asked for nothing but tools"
                f" that do not exist, last {names}. Choose another model with /model, or send the"
                " message again."
            )
        if self._unreadable >= UNREADABLE_STEPS:
            return (
                f"Stopped: {UNREADABLE_STEPS} times in a row the model made only calls that cannot"
                f" be read, last {names}. Choose another model with /model, or send the message"
                " again."
            )
        return ""


def _known(outcome: Outcome) -> tuple[str, str]:
    """Return the call with its result; how it fails makes no difference."""
    return key_of(outcome.request), "" if outcome.output.failed else outcome.digest


def _circle(outcome: Outcome) -> str:
    """Return what the outcome does if it comes again, ``""`` if that is no circle."""
    if outcome.output.failed:
        return "failed"
    return "came out the same" if outcome.request.kind in _LOOKS else ""
