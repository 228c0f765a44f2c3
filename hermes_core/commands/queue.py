"""``/queue``: the messages that wait for their turn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_core.commands.seat import Prompt, Prompts, Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Content, text_of, user_message
from hermes_core.ground.typed import quoted, whole_number

if TYPE_CHECKING:
    from hermes_core.sessions.queue import Waiting

USAGE = "Type `/queue`, `/queue drop N`, `/queue clear` or `/queue run`."

_LONGEST = 80
_SHOWN_AT_START = 5


def run_queue(seat: Seat, argument: str) -> str | Prompts:
    """List what waits, forget it, or return it to be run.

    Raises ``HermesError`` for an argument that is none.
    """
    words = argument.split()
    if not words:
        return queue_text(seat.agent.queue.all(), seat.open_numbers())
    if words in (["clear"], ["drop"]):
        return _dropped(seat, seat.agent.queue.all())
    if words[0] == "drop":
        return _dropped(seat, _chosen(seat.agent.queue.all(), words[1:]))
    if words == ["run"]:
        return _left(seat)
    raise HermesError(USAGE)


def queue_text(waiting: "Sequence[Waiting]", running: frozenset[int] = frozenset()) -> str:
    """Return a list of what waits; ``running``: the numbers of what begins by itself."""
    if not waiting:
        return "Nothing waits."
    lines = [f"{place}. {_line(message)}" for place, message in enumerate(waiting, start=1)]
    lines.append("")
    lines.append("`/queue drop N` forgets one, `/queue clear` all.")
    if any(message.number not in running for message in waiting):
        lines.append("`/queue run` sends those that were left by an earlier run or a stop.")
    return "\n".join(lines)


def left_text(waiting: "Sequence[Waiting]") -> str:
    """Return what a person is told of messages that an earlier run left; ``""`` for none."""
    if not waiting:
        return ""
    count = len(waiting)
    many = "1 message was" if count == 1 else f"{count} messages were"
    quoted = [f"“{first_line(message.content)}”" for message in waiting[:_SHOWN_AT_START]]
    more = f" and {count - len(quoted)} more" if count > len(quoted) else ""
    them = "it" if count == 1 else "them"
    return (
        f"{many} waiting: {', '.join(quoted)}{more}. `/queue run` sends {them}, `/queue drop`"
        f" forgets {them}."
    )


def first_line(content: Content) -> str:
    """Return the beginning of a message on one line, at most 80 characters."""
    line = " ".join(text_of(user_message(content)).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _line(message: "Waiting") -> str:
    return first_line(message.content) + (" (steers the turn)" if message.steer else "")


def _chosen(waiting: "Sequence[Waiting]", words: Sequence[str]) -> "list[Waiting]":
    places = [whole_number(word) or 0 for word in words]
    if not all(1 <= place <= len(waiting) for place in places):
        raise HermesError(f"{quoted(' '.join(words))} is no place in the queue. {USAGE}")
    return [waiting[place - 1] for place in dict.fromkeys(places)]


def _dropped(seat: Seat, chosen: "Sequence[Waiting]") -> str:
    if not chosen:
        return "Nothing waits."
    seat.drop([message.number for message in chosen])
    return "Forgotten: " + ", ".join(f"“{first_line(m.content)}”" for m in chosen) + "."


def _left(seat: Seat) -> Prompts:
    open_numbers = seat.open_numbers()
    left = [m for m in seat.agent.queue.all() if m.number not in open_numbers]
    if not left:
        raise HermesError("Nothing was left over; what waits begins by itself.")
    return Prompts(tuple(Prompt(message.content, message.number) for message in left))
