"""How a turn ends: its last answer is kept and, where it needs words, they are shown."""

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hermes_core.agent import endings
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.agent.misbehaviour import Draft
from hermes_core.agent.toolbox import Toolbox
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ProviderError, Refused
from hermes_core.ground.events import Emit, StatusChanged, TextDelta
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, text_of

if TYPE_CHECKING:
    from hermes_core.model.respond import Model

_log = logging.getLogger(__name__)


def summarise(
    conversation: Conversation,
    model: "Model",
    tools: Toolbox,
    budget: Budget,
    draft: Draft,
    *,
    emit: Emit,
    interrupt: Interrupt,
) -> Ending:
    """Have the model sum up the work, its budget being used up, and end the turn with that.

    An answer that was being written when the budget ended stands for the summary. Where not one
    step could be taken there is nothing to sum up, and no call is made.
    """
    emit(StatusChanged("warning", endings.at_limit(budget)))
    answer = draft.partial or endings.UNSAID
    if budget.used and draft.partial is None:
        answer = _summary(conversation, model, tools, emit, interrupt)
    ending = endings.ending_at_limit(answer, budget)
    conclude(conversation, answer, ending, emit)
    return ending


def _summary(
    conversation: Conversation, model: "Model", tools: Toolbox, emit: Emit, interrupt: Interrupt
) -> Message:
    """Return the model's summary; one without text if there is none.

    The tools are told of as ever, since a request without them would miss the prompt cache from
    its first byte on; only a model that calls one all the same is asked again without.
    """
    answer: Message = endings.UNSAID
    messages = conversation.request_messages(endings.SUMMARY_REQUEST)
    try:
        for schemas in (tools.schemas(), []):
            answer = model.respond(messages, schemas, emit, interrupt)
            if text_of(answer).strip() or not answer.get("tool_calls"):
                break
    except ProviderError as error:
        _log.warning("the summary at the limit of model calls failed: %s", error)
    return answer


def conclude(conversation: Conversation, answer: Message, ending: Ending, emit: Emit) -> None:
    """Commit the last answer of a turn, answer what it left open, show what was not shown yet.

    A turn that ends by an error has no answer: the session closes it.
    """
    if ending.error:
        return
    conversation.append(endings.kept(answer, ending))
    conversation.close(endings.CUT_CALL, ending.text)
    if ending.text != text_of(answer):
        emit(TextDelta(ending.text, uuid.uuid4().hex))


@contextmanager
def keeping(draft: Draft, conversation: Conversation) -> Iterator[None]:
    """Keep what there is of an answer if the provider fails while it is being continued.

    Its pieces came whole, and were shown. A refusal leaves the turn out of the history, and them.
    """
    try:
        yield
    except Refused:
        raise
    except ProviderError:
        if draft.partial is not None:
            conversation.append(draft.partial)
        raise
