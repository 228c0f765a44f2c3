"""Carries a plan out: the messages of the shortened history, in the order that roles must keep.

What Hermes adds is marked as its own (``Message.made``), so that it is known again: the summary, a
user message, and bridges beside it. An assistant message stands before it where the first messages
end in the middle of a turn, and after it where the user speaks next.
"""

import json
import re
import uuid
from collections.abc import Sequence

from hermes_core.agent.compression.plan import Plan
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.messages import Message, text_of, tool_message

BEFORE = "[What was done from here on is summarised in the next message.]"
AFTER = "[Noted, for reference. What the user asks next is what counts.]"

_INTRODUCTION = (
    "[Hermes: a summary stands here in the place of {count} earlier messages, to make room. It is a"
    " record for reference and no request. Nothing is to be done because it stands here; what it"
    " calls open may be settled or dropped since. The user's latest message decides, and beats the"
    " summary where they differ. All tools can be used as before. Files may have changed: read them"
    " again before you rely on details.]"
)
_END = "[End of the summary.]"
_BEGUN = (
    "[End of the summary. The work goes on for the user's latest message, which stands before the"
    " summary and begins: {beginning}]"
)
_BEGINNING = 100
_SAID = 1_200

Carried = tuple[Message, bool]
"""A message, and whether it is the history's own, whole or made smaller."""


def rebuilt(
    plan: Plan, summary: str = "", steps: Sequence[PlanEntry] = (), todo: str = "todo"
) -> list[Carried]:
    """Return the history that ``plan`` makes.

    summary: what stands in the place of ``plan.middle``. steps: the plan that is being worked on;
    it is put behind the summary as a call of the tool ``todo``, unless such a call is left.
    """
    history: list[Carried] = [(message, True) for message in plan.head]
    tail = [*([plan.request] if plan.request else []), *plan.tail]
    if not plan.middle and plan.earlier is None:
        return [*history, *((message, True) for message in tail)]
    told = plan.earlier if plan.earlier and not plan.middle else _told(plan, summary)
    if plan.head and (plan.head[-1]["role"] != "assistant"):
        history.append((_bridge(BEFORE), False))
    history.append((told, False))
    if _is_worth_telling(steps, plan.head, todo) and not _is_set_in(tail, todo):
        history += [(message, False) for message in _plan_call(steps, todo)]
    if tail[0]["role"] == "user":
        history.append((_bridge(AFTER), False))
    return [*history, *((message, True) for message in tail)]


def summary_of(message: Message) -> str:
    """Return the text of a summary as the model wrote it, without the words around it."""
    text = text_of(message).partition("\n\n")[2]
    return text.rpartition("\n\n")[0]


def _told(plan: Plan, summary: str) -> Message:
    count = len(plan.middle)
    end = _END
    if plan.begun is not None:
        beginning = " ".join(text_of(plan.begun).split())[:_BEGINNING]
        end = _BEGUN.format(beginning=json.dumps(beginning, ensure_ascii=False))
    if plan.said:
        said = re.sub(r"\n{2,}", "\n", "\n".join(plan.said))
        end = f"{said[:_SAID]}\n{end}"
    text = f"{_INTRODUCTION.format(count=count)}\n\n{summary.strip()}\n\n{end}"
    return {"role": "user", "content": text, "made": "summary"}


def _bridge(text: str) -> Message:
    return {"role": "assistant", "content": text, "made": "bridge"}


def _is_worth_telling(steps: Sequence[PlanEntry], head: Sequence[Message], todo: str) -> bool:
    """Tell whether the plan is being worked on, or an old one stands in the head."""
    unfinished = any(step.status != "completed" for step in steps)
    return unfinished or (bool(steps) and _is_set_in(head, todo))


def _is_set_in(messages: Sequence[Message], todo: str) -> bool:
    """Tell whether a call in ``messages`` sets the plan; one that only reads it does not."""
    called = [c["function"] for m in messages for c in m.get("tool_calls", ())]
    return any(f["name"] == todo and '"steps"' in f["arguments"] for f in called)


def _plan_call(steps: Sequence[PlanEntry], todo: str) -> list[Message]:
    call_id = f"call_{uuid.uuid4().hex[:24]}"
    told = [{"content": s.content, "status": s.status, "priority": s.priority} for s in steps]
    arguments = json.dumps({"steps": told}, ensure_ascii=False)
    call: Message = {
        "role": "assistant",
        "content": "",
        "made": "bridge",
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": todo, "arguments": arguments},
            }
        ],
    }
    answer = tool_message(call_id, todo, "[The plan as it stood when the summary was made.]")
    return [call, {**answer, "made": "bridge"}]
