"""Forms and pages that a person is shown for somebody else: what is asked, what was answered.

Whoever uses the core shows them, where it can (``Questions``). A page is opened by the person
alone: nothing here opens or reads one.
"""

import uuid
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Action = Literal["accept", "decline", "cancel"]


@dataclass(frozen=True, slots=True)
class Form:
    """Fields to be filled in. schema: as ``forms.form_schema`` returns it. message: who asks what.

    call_id: of the tool call that it belongs to, ``""`` for none.
    """

    message: str
    schema: Mapping[str, Any]
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """An address that a person is to open; ``pages.page_refusal`` has found nothing in it.

    id: names this one showing of it.
    """

    message: str
    url: str
    call_id: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person did. content: what was filled into a form, as it came, unchecked.

    ``decline`` is a no, ``cancel`` is no answer. A page that was accepted is opened, not done.
    """

    action: Action
    content: Mapping[str, Any] = field(default_factory=dict)


class Questions(Protocol):
    """Shows forms and pages to a person; from any thread.

    forms, pages: which of them it can show.
    """

    @property
    def forms(self) -> bool: ...

    @property
    def pages(self) -> bool: ...

    def ask(self, question: Form | Page) -> "Future[Answer]":
        """Show a question, without a time limit; cancel what is returned to withdraw it.

        The future never fails: what is no answer is ``cancel``.
        """
        ...

    def completed(self, page: Page) -> None:
        """Tell that what a page was shown for has been done."""
        ...
