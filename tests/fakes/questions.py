"""A person who is shown forms and pages: answers as told, or waits."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from hermes_core.ground.asking import Answer, Form, Page


class FakeQuestions:
    """Keeps what it is asked. answer: what a question is answered with, None never answers.

    replies: the futures that were handed out; done: the pages that were completed.
    """

    def __init__(
        self,
        answer: Callable[[Form | Page], Answer | None] = lambda _: None,
        *,
        forms: bool = True,
        pages: bool = True,
    ) -> None:
        self.forms = forms
        self.pages = pages
        self.answer = answer
        self.asked: list[Any] = []
        self.replies: list[Future[Answer]] = []
        self.done: list[Page] = []

    def ask(self, question: Form | Page) -> "Future[Answer]":
        self.asked.append(question)
        reply: Future[Answer] = Future()
        self.replies.append(reply)
        answer = self.answer(question)
        if answer is not None:
            reply.set_result(answer)
        return reply

    def completed(self, page: Page) -> None:
        self.done.append(page)
