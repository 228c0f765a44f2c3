"""Calls that one answer repeats word for word: they are done once. Pure."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from hermes_core.agent.calls import CallRequest
from hermes_core.agent.segments import Reach


def key_of(request: CallRequest) -> str:
    """Return what is equal for calls of the same tool with the same arguments alone."""
    arguments = request.sent if request.problem else request.arguments
    return f"{request.name} {json.dumps(arguments, sort_keys=True)}"


def digest_of(text: str) -> str:
    """Return what is equal for equal texts alone."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def mark_repeated(requests: Sequence[CallRequest]) -> list[CallRequest]:
    """Return ``requests``; one that repeats an earlier one says so in ``same_as``.

    Only if nothing stands between the two that could change what comes out: testing, editing and
    testing again is no repetition. A repeated call touches nothing, so it may stand anywhere.
    """
    first: dict[str, str] = {}
    marked: list[CallRequest] = []
    for request in requests:
        key = key_of(request)
        if not request.problem and key in first:
            marked.append(replace(request, same_as=first[key], reach=Reach("always")))
            continue
        if request.reach.together != "always":
            first.clear()
        if not request.problem:
            first[key] = request.call["id"]
        marked.append(request)
    return marked
