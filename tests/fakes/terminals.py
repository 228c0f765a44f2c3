"""A client's side of the terminal methods, as a test wants it to answer."""

import concurrent.futures
from typing import Any

Future = concurrent.futures.Future[dict[str, Any]]

NEVER = object()
"""In the place of an answer: none, until the test gives one."""

NAME = "t-1"


class TerminalsDouble:
    """Answers with what ``answers`` holds for a method: a result, an error, ``NEVER``.

    asked: what was asked, in order, with the params; limits: the time limits. open: the futures of
    what was asked last, by the method.
    """

    def __init__(self, **answers: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.limits: dict[str, float | None] = {}
        self.open: dict[str, Future] = {}
        self.answers: dict[str, Any] = {
            "create": {"terminalId": NAME},
            "wait_for_exit": {"exitCode": 0},
            "output": {"output": "", "truncated": False},
            "kill": {},
            "release": {},
            **answers,
        }

    @property
    def methods(self) -> list[str]:
        """The methods that were asked, in order, without their prefix."""
        return [method for method, _ in self.asked]

    def ask(self, method: str, params: dict[str, Any], *, timeout: float | None) -> Future:
        """Send a request; see ``acp_server.session.Ask``."""
        name = method.removeprefix("terminal/")
        self.asked.append((name, params))
        self.limits[name] = timeout
        future: Future = concurrent.futures.Future()
        self.open[name] = future
        answer = self.answers[name]
        if isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not NEVER:
            future.set_result(answer() if callable(answer) else answer)
        return future
