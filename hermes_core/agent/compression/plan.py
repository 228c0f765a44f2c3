"""What of a history stays, what is made smaller, and what a summary takes the place of. Pure.

::

    head      the first messages
              <- here the summary comes to stand
    request   the user's latest one, word for word, where it stood among what goes
    tail      the last messages

A call and its answers are never parted. If it is enough to make old tool outputs smaller, nothing
goes. ``rebuilding`` carries a plan out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_core.agent.compression.groups import (
    Group,
    first_groups,
    flat,
    groups_of,
    last_groups,
    size_of,
)
from hermes_core.agent.compression.pruning import pruned, said_meanwhile, shrunk
from hermes_core.agent.compression.tokens import message_tokens, total_tokens
from hermes_core.ground.messages import Message, text_of

FRAME = 500
"""Tokens of the words around a summary, and of the messages that keep the roles in order."""

HEAD_SHARE = 0.25
"""The part of the room that the first messages may take."""

WORTH = 0.9
"""What is left must be at most this part of what there was."""

SUMMARY_SHARE = 0.2
"""The part of what goes that a summary of it is expected to have."""


@dataclass(frozen=True, slots=True)
class Room:
    """How small a history is to become; sizes are estimated tokens of its messages alone.

    target: what it is to have at the most. tail: what the last messages may have beyond
    ``keep_last`` of them. summary: the most that a summary may have; frame: what is added with it.
    keep_first, keep_last: messages. always: whether to summarise even if there is room enough.
    """

    target: int
    tail: int
    summary: int
    keep_first: int = 3
    keep_last: int = 20
    frame: int = FRAME
    always: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How a history is to be shortened; ``middle`` is empty where nothing goes.

    middle: what goes, as it was. earlier: the summary that stood there before; it stays if nothing
    goes. request: the user's latest one, if it stood in the middle; begun: the same, if it stands
    in the head. said: what the user added while the turn went on, in what goes of it.
    """

    head: tuple[Message, ...]
    middle: tuple[Message, ...]
    tail: tuple[Message, ...]
    request: Message | None = None
    begun: Message | None = None
    earlier: Message | None = None
    said: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        """The estimated tokens of what stays, without a summary."""
        request = (self.request,) if self.request else ()
        return total_tokens((*self.head, *request, *self.tail))


def plan_for(messages: Sequence[Message], room: Room) -> Plan | None:
    """Return how to shorten a history that is in order; None where it is not worth it."""
    before = total_tokens(messages)
    if not messages or (before <= room.target and not room.always):
        return None
    parts = _parted(messages)
    smaller = _pruning(parts, room)
    if not room.always and _size(smaller, room) <= min(room.target, before * WORTH):
        return smaller
    shorter = _summarising(parts, room)
    if _size(shorter, room) <= (before - 1 if room.always else before * WORTH):
        return shorter
    return smaller if room.always and _size(smaller, room) <= before * WORTH else None


def asked_length(plan: Plan, room: Room) -> int:
    """Return the tokens that the summary of a plan is asked to have."""
    goes = total_tokens(plan.middle) + (message_tokens(plan.earlier) if plan.earlier else 0)
    return min(room.summary // 2, max(200, int(goes * SUMMARY_SHARE)))


def latest_request(messages: Sequence[Message]) -> Message | None:
    """Return the last message that the user wrote."""
    return next((m for m in reversed(messages) if m["role"] == "user" and "made" not in m), None)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A history without our own words: what stood before an earlier summary, and what follows."""

    head: list[Group]
    body: list[Group]
    earlier: Message | None
    request: Message | None


def _parted(messages: Sequence[Message]) -> _Parts:
    own = [m for m in messages if m.get("made") != "bridge"]
    request = latest_request(own)
    place = next((i for i, m in enumerate(own) if m.get("made") == "summary"), None)
    if place is None:
        return _Parts([], groups_of(own), None, request)
    return _Parts(groups_of(own[:place]), groups_of(own[place + 1 :]), own[place], request)


def _pruning(parts: _Parts, room: Room) -> Plan:
    """Return the plan by which nothing goes."""
    keep = len(parts.head) + last_groups(parts.body, room.keep_last)
    groups = pruned([*parts.head, *parts.body], keep, parts.request)
    if parts.earlier is None:
        return Plan((), (), tuple(flat(groups)))
    count = len(parts.head)
    return Plan(tuple(flat(groups[:count])), (), tuple(flat(groups[count:])), earlier=parts.earlier)


def _summarising(parts: _Parts, room: Room) -> Plan:
    head, body = _head(parts, room)
    request = parts.request
    in_head = request is not None and any(group[0] is request for group in head)
    reserved = message_tokens(request) if request and not in_head else 0
    ceiling = room.target - size_of(head) - room.frame - room.summary - reserved
    start, tail = _tail(body, request, ceiling, room)
    middle = flat(body[:start])
    in_middle = any(message is request for message in middle)
    return Plan(
        tuple(flat(head)),
        tuple(message for message in middle if message is not request),
        tuple(flat(tail)),
        request=request if in_middle else None,
        begun=request if in_head else None,
        earlier=parts.earlier,
        said=_said(middle, request) if in_middle or in_head else (),
    )


def _said(middle: Sequence[Message], request: Message | None) -> tuple[str, ...]:
    """Return what the user said to the running turn, which began with ``request``."""
    begun = next((n for n, m in enumerate(middle) if m is request), 0)
    answers = (text_of(m) for m in middle[begun:] if m["role"] == "tool")
    return tuple(said for answer in answers for said in said_meanwhile(answer))


def _head(parts: _Parts, room: Room) -> tuple[list[Group], list[Group]]:
    """Return the first groups, made smaller, and all that follow."""
    share = int(room.target * HEAD_SHARE)
    if parts.earlier is None:
        smaller = pruned(parts.body, len(parts.body) - 1, parts.request)
        count = min(first_groups(smaller, room.keep_first, share), len(parts.body) - 1)
        return smaller[:count], parts.body[count:]
    smaller = pruned([*parts.head, *parts.body], len(parts.head), parts.request)
    count = first_groups(smaller[: len(parts.head)], len(flat(parts.head)), share)
    return smaller[:count], [*parts.head[count:], *parts.body]


def _tail(
    body: Sequence[Group], request: Message | None, ceiling: int, room: Room
) -> tuple[int, list[Group]]:
    """Return where the tail begins in ``body``, and its groups.

    Of the last messages those that do not fit whole are made smaller; the very last group is in it
    in any case.
    """
    smaller = pruned(body, len(body) - 1, request)
    protected = last_groups(body, room.keep_last)
    costs = [0 if group[0] is request else total_tokens(group) for group in smaller]
    reserved = sum(costs[protected:])
    tail: list[Group] = []
    size = 0
    for start in range(len(body) - 1, -1, -1):
        group = body[start]
        cost = 0 if group[0] is request else total_tokens(group)
        if start >= protected:
            reserved -= costs[start]
            if size + cost + reserved > ceiling:
                group = smaller[start] if tail else shrunk(group, ceiling - reserved)
                cost = costs[start] if tail else total_tokens(group)
        most = ceiling if start >= protected else min(ceiling, room.tail)
        if tail and size + cost > most and group[0] is not request:
            return start + 1, tail
        size += cost
        tail.insert(0, group)
    return 0, tail


def _size(plan: Plan, room: Room) -> int:
    """Return the tokens that a history will probably have after ``plan``."""
    if plan.middle:
        return plan.kept + room.frame + asked_length(plan, room)
    return plan.kept + (room.frame + message_tokens(plan.earlier) if plan.earlier else 0)
