"""Whatever a model answers, a turn comes to an end, and its history is one that any wire takes."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_core.agent.layers import BudgetLayer
from hermes_core.agent.turn import run_turn
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import (
    ContextOverflow,
    ProviderError,
    Refused,
    ServerError,
    ToolError,
)
from hermes_core.ground.events import TextDelta, ToolCallFinished, ToolCallStarted
from hermes_core.ground.messages import Message, text_of
from tests.hermes_core.agent.doubles import (
    ScriptedModel,
    Stage,
    assert_alternating,
    calls,
    says,
    tool_call,
)
from tests.hermes_core.agent.histories import (
    assert_chat_accepts,
    assert_messages_accepts,
    assert_responses_accepts,
    requests_of,
)
from tests.hermes_core.agent.tools_double import act_tool, broken_tool, change_tool, look_tool

LIMIT = 14

REASONS = st.sampled_from(["stop", "length", "length", "content_filter"])
TEXTS = st.sampled_from(["", " ", "a", "b "])
CALLS = st.builds(
    tool_call,
    st.sampled_from(["", "1", "1", "2"]),
    st.sampled_from(["look", "LookTool", "change", "act", "broken", "wish", ""]),
    st.sampled_from(
        [{"path": "a"}, {"path": "b"}, {"command": "c"}, "", "[]", '{"path": "a', {"x": 1}]
    ),
)
THOUGHTS = st.sampled_from([{}, {"reasoning": "Hm."}, {"reasoning": "", "reasoning_details": [1]}])
ANSWERS: st.SearchStrategy[Any] = st.one_of(
    st.builds(says, TEXTS, REASONS),
    st.builds(lambda more, reason: {**says("", reason), **more}, THOUGHTS, REASONS),
    st.builds(
        lambda wanted, text, reason: calls(*wanted, text=text, finish_reason=reason),
        st.lists(CALLS, min_size=1, max_size=4),
        TEXTS,
        st.sampled_from(["tool_calls", "tool_calls", "tool_calls", "length", "content_filter"]),
    ),
    st.sampled_from([ServerError("down"), ContextOverflow("too long"), Refused("no")]),
)


class Endless(ScriptedModel):
    """Shows what it says, and begins its script anew when that is over."""

    def respond(
        self, messages: Any, schemas: Any, emit: Any, interrupt: Any, **more: Any
    ) -> Message:
        entry = self.script[0]
        self.script.append(entry)
        answer = super().respond(messages, schemas, emit, interrupt, **more)
        if text_of(answer):
            emit(TextDelta(text_of(answer), f"m{self.calls}"))
        return answer


@settings(deadline=None)
@given(st.lists(ANSWERS, min_size=1, max_size=8), st.booleans())
def test_a_turn_ends_in_order(script: list[Any], makes_room: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(
            Path(folder),
            look_tool(),
            change_tool(),
            act_tool(),
            broken_tool(ToolError("no luck"), in_prepare=True),
            answer=lambda event: event.reply.set_result("allow_once"),
        )
        budget = Budget(LIMIT)
        model: Any = Endless(*script)
        stage.conversation.begin("do it", "m")
        ending = None
        with suppress(ProviderError):
            ending = run_turn(
                stage.conversation,
                model,
                stage.tools,
                budget,
                Upkeep(
                    notes=[BudgetLayer(stage.screen, budget, lambda: "fake")],
                    overflow=[lambda _: makes_room],
                ),
                emit=stage.screen,
                interrupt=stage.interrupt,
            )
    assert model.calls <= LIMIT + 2
    started = [event.call_id for event in stage.screen.of(ToolCallStarted)]
    assert started == [event.call_id for event in stage.screen.of(ToolCallFinished)]
    assert "[Hermes: " not in str(stage.store.rows)
    if ending and not ending.error:
        last = stage.store.rows[-1]
        assert (last["role"], last["content"]) == ("assistant", ending.text)
        assert ending.text.strip()
        assert ending.text in "".join(event.text for event in stage.screen.of(TextDelta))
    again = stage.load()
    again.begin("next", "m")
    messages = again.request_messages()
    assert_alternating(messages)
    chat, turns, items = requests_of(messages)
    assert_chat_accepts(chat)
    assert_messages_accepts(turns)
    assert_responses_accepts(items)
