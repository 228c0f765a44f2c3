"""A history in groups that are never parted: a call and its answers, or one message alone."""

from collections.abc import Sequence

from hermes_core.agent.compression.tokens import total_tokens
from hermes_core.ground.messages import Message

Group = tuple[Message, ...]


def groups_of(messages: Sequence[Message]) -> list[Group]:
    """Return ``messages``, which are in order, as groups."""
    groups: list[list[Message]] = []
    for message in messages:
        if message["role"] == "tool" and groups:
            groups[-1].append(message)
        else:
            groups.append([message])
    return [tuple(group) for group in groups]


def flat(groups: Sequence[Group]) -> list[Message]:
    """Return the messages of ``groups``."""
    return [message for group in groups for message in group]


def size_of(groups: Sequence[Group]) -> int:
    """Return the estimated tokens of ``groups``."""
    return sum(map(total_tokens, groups))


def first_groups(groups: Sequence[Group], messages: int, tokens: int) -> int:
    """Return how many groups at the beginning hold ``messages`` messages, within ``tokens``."""
    held = size = 0
    for place, group in enumerate(groups):
        size += total_tokens(group)
        if held >= messages or size > tokens:
            return place
        held += len(group)
    return len(groups)


def last_groups(groups: Sequence[Group], messages: int) -> int:
    """Return where the last groups begin that hold at least ``messages`` messages."""
    held, place = 0, len(groups)
    while place and held < messages:
        place -= 1
        held += len(groups[place])
    return place
