"""One turn: from the user's message to the answer, a step at a time."""

from typing import TYPE_CHECKING

from hermes_core.agent import endings
from hermes_core.agent.conclusion import conclude, summarise
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.agent.toolbox import Toolbox
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import BudgetExhausted, ContextOverflow
from hermes_core.ground.events import Emit, StepFinished, StepStarted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import is_empty

if TYPE_CHECKING:
    from hermes_core.model.respond import Model


def run_turn(
    conversation: Conversation,
    model: "Model",
    tools: Toolbox,
    budget: Budget,
    upkeep: Upkeep,
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
            return summarise(conversation, model, budget, emit, interrupt)
        emit(StepStarted(budget.used))
        upkeep.before_step(budget)
        messages = conversation.request_messages(note or upkeep.note(budget))
        try:
            answer = model.respond(messages, tools.schemas(), emit, interrupt)
        except ContextOverflow as error:
            if not upkeep.overflowed(error):
                raise
            continue
        note = next(nudges, "") if is_empty(answer) else ""
        ending = None if note else endings.ending_of(answer)
        if ending:
            conclude(conversation, answer, ending, emit)
        elif not note:
            calls = conversation.append(answer)["tool_calls"]
            run_tool_calls(calls, tools, conversation, emit, interrupt)
        emit(StepFinished(budget.used))
        if ending:
            upkeep.after_turn()
            return ending
