"""One turn: from the user's message to the answer, a step at a time. Its nine steps, in order:

1. a task id, unless one is given: ``AIAgent.run_conversation``
2. the user's message joins the history: ``Session.run``, by ``Conversation.begin``
3. the system prompt, built once for a session and reused: ``Session.prompt``
4. room is made, if the window is too full: ``upkeep.before_step``
5. the messages of the request, from the history: ``Conversation.request_messages``; each wire in
   ``hermes_core.wire`` then puts them into its own form
6. what this one request says beside them: ``upkeep.note``, the guard's and the draft's word
7. marks for the prompt cache: the wire's ``to_request``, in ``model.respond``
8. the call, which an interrupt ends at once: ``model.respond``
9. the answer: tools run and the next step follows, or the turn is concluded
"""

from typing import TYPE_CHECKING

from hermes_core.agent import endings
from hermes_core.agent.conclusion import conclude, keeping, summarise
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.agent.guard import Guard
from hermes_core.agent.misbehaviour import Draft
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.agent.toolbox import Toolbox
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import BudgetExhausted, ContextOverflow
from hermes_core.ground.events import Emit, StepFinished, StepStarted
from hermes_core.ground.interrupt import Interrupt

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
    draft, guard = Draft(), Guard(emit)
    with keeping(draft, conversation):
        while True:
            interrupt.raise_if_set()
            try:
                budget.consume()
            except BudgetExhausted:
                return summarise(
                    conversation, model, tools, budget, draft, emit=emit, interrupt=interrupt
                )
            emit(StepStarted(budget.used))
            upkeep.before_step(budget)
            note = upkeep.note(budget, guard.note, draft.note)
            messages, tell = conversation.request_messages(note, draft.partial), draft.voice(emit)
            try:
                asked = messages, tools.schemas(), tell, interrupt
                answer = draft.take(upkeep.hear(model.respond(*asked, longer=draft.longer)))
            except ContextOverflow as error:
                if not upkeep.overflowed(error):
                    raise
                continue
            ending = endings.ending_of(answer) if answer else None
            if answer and not ending:
                calls = conversation.append(answer)["tool_calls"]
                ended = run_tool_calls(calls, tools, conversation, emit, interrupt)
                ending = guard.check(ended) or upkeep.stop()
                answer = endings.UNSAID
            if answer and ending:
                conclude(conversation, answer, ending, emit)
            emit(StepFinished(budget.used))
            if ending:
                upkeep.after_turn()
                return ending
