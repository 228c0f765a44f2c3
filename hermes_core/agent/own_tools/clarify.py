"""``clarify``: a question to the user in the middle of a task.

Where the user can be asked while the turn waits (``ask``: a form of the editor, a callback of a
program), the answer is the tool's result. Elsewhere (``text``) the question becomes the last word
of the turn, and the user's next message is the answer. The tool is offered only where somebody can
answer: not to children, nor to a program without a callback.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import CancelledError
from typing import Annotated, Literal

from hermes_core.agent.calls import CallRequest
from hermes_core.agent.endings import Ending
from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import Text
from hermes_core.ground.errors import Interrupted, StoreError, ToolError
from hermes_core.ground.events import ClarifyRequested, Emit
from hermes_core.ground.injection import visible
from hermes_core.ground.interrupt import Interrupt
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec, tool
from hermes_core.tools.visible import one_line

How = Literal["ask", "text"]

LONGEST_QUESTION = 2_000
MOST_CHOICES = 10
LONGEST_CHOICE = 200
"""Characters of the question, choices, and characters of one."""

ASKED = "Asked; the user's next message is the answer."
UNANSWERED = (
    "The user did not answer. Take the sensible way, name it, and go on; or end here if you cannot."
)
NOT_NOW = "Not run: the user is asked something first. Call it again once the answer is there."

_log = logging.getLogger(__name__)


class Clarify:
    """Asks the user of one session. ``how``: None where nobody can answer."""

    def __init__(self, how: How | None, emit: Emit) -> None:
        self._how = how
        self._emit = emit
        self._text = ""

    def tools(self) -> Mapping[str, ToolSpec]:
        """Return the tool, by its name; nothing where nobody can answer."""
        return {} if self._how is None else {"clarify": self._tool()}

    def begin(self) -> None:
        """Begin a turn: what was asked in text has its answer now."""
        self._text = ""

    def gate(self, request: CallRequest) -> CallRequest:
        """Hold back what the model called after the question that ends the turn."""
        if self._text and not request.problem:
            return request.blocked(NOT_NOW)
        return request

    def ending(self) -> Ending | None:
        """Return how the turn ends if the question was asked in text."""
        return Ending(self._text, "end_turn") if self._text else None

    def _tool(self) -> ToolSpec:
        @tool(kind="other", together="never", interactive=True)
        def clarify(
            ctx: ToolContext,
            question: Annotated[str, "One question, in one or two sentences"],
            choices: Annotated[
                list[str] | None, "Likely answers, each a short text; the user may answer otherwise"
            ] = None,
        ) -> Prepared:
            """Ask the user what you cannot find out and must not guess; waits for the answer."""
            asked, offered = _checked(question, choices or [])
            text = question_text(asked, offered)

            def run(_progress: Progress) -> Output:
                if self._how == "text":
                    self._text = text
                    return Output(ASKED, (Text(text),))
                answer = self._ask(ClarifyRequested(ctx.call_id, asked, offered), ctx.interrupt)
                if answer is None:
                    return Output(UNANSWERED, (Text(f"{text}\n\nNo answer."),))
                return Output(f"The user answered: {answer}", (Text(f"{text}\n\n{answer}"),))

            return Prepared(f"Ask: {one_line(asked)[:LONGEST_CHOICE]}", NOTHING, run, (Text(text),))

        return clarify

    def _ask(self, question: ClarifyRequested, interrupt: Interrupt) -> str | None:
        """Return the answer, None if there is none; an interrupt withdraws the question."""
        forget = interrupt.listen(lambda: _drop(question))
        try:
            self._emit(question)
            answer = question.reply.result()
        except CancelledError:
            answer = None
        except (Interrupted, StoreError):
            _drop(question)
            raise
        except Exception:
            _drop(question)
            _log.exception("a question to the user failed")
            raise ToolError("The question could not be put to the user.") from None
        finally:
            forget()
        interrupt.raise_if_set()
        return answer.strip() or None if isinstance(answer, str) else None


def question_text(question: str, choices: tuple[str, ...]) -> str:
    """Return the question as text, its choices numbered."""
    lines = [f"{number}. {choice}" for number, choice in enumerate(choices, start=1)]
    return "\n".join([question, *(["", *lines] if lines else [])])


def _checked(question: str, choices: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the question and the choices as they are put: nothing unseen, nothing twice."""
    asked = visible(question).strip()
    shown = (" ".join(visible(choice).split()) for choice in choices)
    offered = tuple(dict.fromkeys(choice for choice in shown if choice))
    if not asked:
        raise ToolError("The question is empty.")
    if len(asked) > LONGEST_QUESTION:
        raise ToolError(f"The question is longer than {LONGEST_QUESTION} characters.")
    if len(offered) > MOST_CHOICES or any(len(one) > LONGEST_CHOICE for one in offered):
        raise ToolError(f"Give at most {MOST_CHOICES} choices of {LONGEST_CHOICE} characters each.")
    return asked, offered


def _drop(question: ClarifyRequested) -> None:
    question.reply.cancel()
