"""How a turn ends: its last answer is kept and, where it needs words, they are shown."""

import logging
import uuid
from typing import TYPE_CHECKING

from hermes_core.agent import endings
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import ProviderError
from hermes_core.ground.events import Emit, StatusChanged, TextDelta
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, text_of

if TYPE_CHECKING:
    from hermes_core.model.respond import Model

_log = logging.getLogger(__name__)


def summarise(
    conversation: Conversation, model: "Model", budget: Budget, emit: Emit, interrupt: Interrupt
) -> Ending:
    """Have the model sum up the work, its budget being used up, and end the turn with that."""
    emit(StatusChanged("warning", endings.at_limit(budget)))
    answer: Message = {"role": "assistant", "content": ""}
    try:
        messages = conversation.request_messages(endings.SUMMARY_REQUEST)
        answer = model.respond(messages, [], emit, interrupt)
    except ProviderError as error:
        _log.warning("the summary at the limit of model calls failed: %s", error)
    ending = endings.ending_at_limit(answer, budget)
    conclude(conversation, answer, ending, emit)
    return ending


def conclude(conversation: Conversation, answer: Message, ending: Ending, emit: Emit) -> None:
    """Commit the last answer of a turn, answer what it left open, show what was not shown yet."""
    conversation.append(endings.kept(answer, ending))
    conversation.close(endings.CUT_CALL, ending.text)
    if ending.text != text_of(answer):
        emit(TextDelta(ending.text, uuid.uuid4().hex))
