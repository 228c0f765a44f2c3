"""One turn: from the user's message to the answer, a step at a time."""

import logging
import uuid
from typing import TYPE_CHECKING

from hermes_core.agent import endings
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.agent.toolbox import Toolbox
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import BudgetExhausted, ProviderError
from hermes_core.ground.events import Emit, StatusChanged, StepFinished, StepStarted, TextDelta
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, is_empty, text_of

if TYPE_CHECKING:
    from hermes_core.model.respond import Model

_log = logging.getLogger(__name__)


def run_turn(
    conversation: Conversation,
    model: "Model",
    tools: Toolbox,
    budget: Budget,
    *,
    emit: Emit,
    interrupt: Interrupt,
) -> Ending:
    """Run steps until the model answers in text, or the turn has to end; return how it ended."""
    note, nudges = "", iter([endings.NUDGE])
    while True:
        interrupt.raise_if_set()
        try:
            budget.consume()
        except BudgetExhausted:
            return _summarise(conversation, model, budget, emit, interrupt)
        emit(StepStarted(budget.used))
        messages = conversation.request_messages(note or endings.warning(budget))
        answer = model.respond(messages, tools.schemas(), emit, interrupt)
        note = next(nudges, "") if is_empty(answer) else ""
        ending = None if note else endings.ending_of(answer)
        if ending:
            _conclude(conversation, answer, ending, emit)
        elif not note:
            calls = conversation.append(answer)["tool_calls"]
            run_tool_calls(calls, tools, conversation, emit, interrupt)
        emit(StepFinished(budget.used))
        if ending:
            return ending


def _summarise(
    conversation: Conversation, model: "Model", budget: Budget, emit: Emit, interrupt: Interrupt
) -> Ending:
    emit(StatusChanged("warning", endings.at_limit(budget)))
    answer: Message = {"role": "assistant", "content": ""}
    try:
        messages = conversation.request_messages(endings.SUMMARY_REQUEST)
        answer = model.respond(messages, [], emit, interrupt)
    except ProviderError as error:
        _log.warning("the summary at the limit of model calls failed: %s", error)
    ending = endings.ending_at_limit(answer, budget)
    _conclude(conversation, answer, ending, emit)
    return ending


def _conclude(conversation: Conversation, answer: Message, ending: Ending, emit: Emit) -> None:
    conversation.append(endings.kept(answer, ending))
    conversation.close(endings.CUT_CALL, ending.text)
    if ending.text != text_of(answer):
        emit(TextDelta(ending.text, uuid.uuid4().hex))
