"""A model whose agents delegate: what each of them says is a function of its own request."""

import threading
from collections.abc import Callable
from typing import Any

from tests.fakes.provider import Call, Recorded, Reply, calls, say
from tests.hermes_core.agent.doubles import WATCHDOG, assert_alternating

Script = Callable[[int, Recorded], Reply]
"""Answers the call of an agent of that number, counting from 0 in its turn."""


class Family:
    """Answers the user's agent, which delegates ``tasks``, and each child by its ``script``.

    A child is known by the first word of its task.
    """

    def __init__(self, tasks: list[dict[str, str]], **scripts: Script) -> None:
        self.tasks = tasks
        self.scripts = scripts
        self.results: list[str] = []
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, request: Recorded) -> Reply:
        messages: list[Any] = request.messages
        assert_alternating(messages)
        start = max(i for i, m in enumerate(messages) if m["role"] == "user")
        word = messages[start]["content"].split()[0]
        number = sum(m["role"] == "assistant" for m in messages[start:])
        with self._lock:
            self.asked.append(word)
        if word in self.scripts:
            return self.scripts[word](number, request)
        if word != "go":
            return say(f"{word}: done.")
        if number == 0:
            return calls(Call("delegate_task", {"tasks": self.tasks}, id="give"))
        self.results.append(messages[-1]["content"])
        return say("Thanks.")


def tasks(*words: str) -> list[dict[str, str]]:
    return [{"task": word} for word in words]


def meeting(count: int, then: Script | None = None) -> Script:
    """Return a script whose first answer waits until ``count`` children have asked for theirs."""
    barrier = threading.Barrier(count)

    def answer(number: int, request: Recorded) -> Reply:
        if number == 0:
            barrier.wait(WATCHDOG)
        return then(number, request) if then else say("We met.")

    return answer


def runs(command: str, last: str = "Ran.") -> Script:
    """Return the script of a child that runs one command and then answers."""

    def answer(number: int, _request: Recorded) -> Reply:
        call = Call("terminal", {"command": command}, id="run")
        return say(last) if number else calls(call)

    return answer
