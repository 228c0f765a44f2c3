"""A model for long conversations: it plays a part for each prompt, and keeps count of what it gave.

A prompt names its part by a number such as ``p017``, a child's task likewise (``c017a``). The
part is found by the last number that a request holds in the user's words, so that it goes on
wherever the history is shortened, taken back or loaded anew.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_core.agent.steering import BEGINNING
from tests.fakes.provider import Call, Recorded, Reply, Text, Usage, fail, say

SUMMARY = "## Goal\nThe user walks a long way.\n## Done\nMany files were read."

_NUMBER = re.compile(r"\b[pc]\d{3}[a-z]?\b")
_FORMATS = {"/messages": "anthropic_messages", "/responses": "codex_responses"}

Check = Callable[[dict[str, Any]], None]


@dataclass
class Given:
    """One answer: what was asked, for what, of which model, and what it was said to cost."""

    request: Recorded
    task: str
    model: str
    usage: Usage | None


@dataclass
class Marathon:
    """The handler of one or more ``FakeProvider``.

    check: holds each chat request, raising ``AssertionError``; see ``wrong``.
    parts: replies left by number. others: bodies of chats in the other formats, by format.
    """

    check: Check
    parts: dict[str, list[Reply]] = field(default_factory=dict)
    summarises: list[Reply] = field(default_factory=lambda: [say(SUMMARY)])
    given: list[Given] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    others: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Recorded) -> Reply:
        with self.lock:
            task, reply = self._reply(request)
            usage = None
            if reply.status == 200:
                said = sum(len(step.text) for step in reply.steps if isinstance(step, Text))
                called = sum(isinstance(step, Call) for step in reply.steps)
                usage = Usage(len(request.raw) // 4, 1 + said // 4 + 30 * called)
                reply = Reply([*reply.steps, usage])
            self.given.append(Given(request, task, request.body["model"], usage))
            return reply

    def _reply(self, request: Recorded) -> tuple[str, Reply]:
        for path, name in _FORMATS.items():
            if request.path.partition("?")[0].endswith(path):
                self.others[name] = request.body
                return "", say("Well received.")
        asked = str(request.messages[0]["content"])
        if "working notes of a coding agent" in asked:
            reply = self.summarises.pop(0) if len(self.summarises) > 1 else self.summarises[0]
            return "compression", reply
        if "long-term memory of a coding agent" in asked:
            return "memory", say("[]")
        try:
            self.check(request.body)
        except AssertionError as error:
            self.wrong.append(f"request {len(self.given)}: {error}")
        number = self.number_of(request.messages)
        part = self.parts.get(number, [])
        task = "sub-agents" if number.startswith("c") else ""
        if not part:
            self.wrong.append(f"{number} was asked once more")
            return task, fail(400, f"nothing is left of {number}")
        return task, part.pop(0)

    @staticmethod
    def number_of(messages: Sequence[dict[str, Any]]) -> str:
        """Return the number of the part that a request asks to go on with."""
        said = [str(m["content"]) for m in messages if m["role"] == "user"]
        said += [str(m["content"]) for m in messages[-1:] if BEGINNING in str(m["content"])]
        found = _NUMBER.findall("\n".join(said))
        return found[-1] if found else "none"

    @property
    def delivered(self) -> list[Given]:
        """What reached its end: answers with a count, written whole."""
        with self.lock:
            return [one for one in self.given if one.usage and one.request.answered.is_set()]

    def counted(self) -> Counter[tuple[str, str, str]]:
        """Return the tokens that were told, by task, model and kind."""
        sums: Counter[tuple[str, str, str]] = Counter()
        for one in self.delivered:
            assert one.usage is not None
            sums[one.task, one.model, "input"] += one.usage.prompt
            sums[one.task, one.model, "output"] += one.usage.completion
        return sums
