"""Plans, and the histories that they make: held against rules, for generated histories."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hermes_core.agent.compression.groups import groups_of
from hermes_core.agent.compression.plan import (
    FRAME,
    Plan,
    Room,
    asked_length,
    latest_request,
    plan_for,
)
from hermes_core.agent.compression.pruning import shrunk
from hermes_core.agent.compression.rebuilding import rebuilt, summary_of
from hermes_core.agent.compression.tokens import message_tokens, total_tokens
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.messages import Message, text_of
from tests.hermes_core.agent.compression.histories import (
    assert_in_order,
    assistant,
    chat,
    histories,
    long_turn,
    step,
    user,
)

ROOM = Room(target=4_000, tail=500, summary=800)
SUMMARISED = replace(ROOM, always=True)
STEPS = (PlanEntry("look", "completed"), PlanEntry("mend", "in_progress"))

unhurried = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],  # explaining takes minutes
)
rooms = st.builds(
    Room,
    target=st.integers(300, 6_000),
    tail=st.integers(0, 1_500),
    summary=st.integers(100, 1_000),
    keep_first=st.integers(0, 4),
    keep_last=st.integers(1, 20),
    always=st.booleans(),
)


def made(plan: Plan, room: Room, steps: Sequence[PlanEntry] = ()) -> list[Message]:
    summary = "## Goal\n" + "s" * (4 * asked_length(plan, room) - 60)
    return [message for message, _ in rebuilt(plan, summary, steps)]


@unhurried
@given(histories(), rooms)
def test_roles_alternate_and_calls_keep_their_answers(history: list[Message], room: Room) -> None:
    assert_in_order(history)
    plan = plan_for(history, room)
    if plan is not None:
        shorter = made(plan, room, STEPS)
        assert_in_order(shorter)
        assert shorter[-1]["role"] == history[-1]["role"]
        assert shorter[-1].get("tool_call_id") == history[-1].get("tool_call_id")


@unhurried
@given(histories(), rooms)
def test_the_latest_request_is_kept_word_for_word_and_is_the_last(
    history: list[Message], room: Room
) -> None:
    plan = plan_for(history, room)
    if plan is not None:
        assert latest_request(made(plan, room)) == latest_request(history)


@unhurried
@given(histories(), rooms)
def test_a_history_gets_smaller_and_under_the_target_as_far_as_can_be(
    history: list[Message], room: Room
) -> None:
    plan = plan_for(history, room)
    if plan is None:
        return
    after = total_tokens(made(plan, room))
    assert after < total_tokens(history)
    request = latest_request(history)
    last = shrunk(groups_of(history)[-1], 0)
    fixed = total_tokens(last) + (message_tokens(request) if request else 0)
    earlier = message_tokens(plan.earlier) if plan.earlier else 0
    assert after <= max(room.target, fixed + FRAME + room.summary + earlier)


@unhurried
@given(histories(), rooms, rooms)
def test_it_is_done_once(history: list[Message], room: Room, other: Room) -> None:
    plan = plan_for(history, room)
    if plan is None:
        return
    shorter = made(plan, room, STEPS)
    once_more = plan_for(shorter, room)
    assert once_more is None or not once_more.middle
    again = plan_for(shorter, other)
    if again is not None:
        twice = made(again, other, STEPS)
        assert_in_order(twice)
        assert latest_request(twice) == latest_request(history)
        assert sum(m.get("made") == "summary" for m in twice) <= 1


@unhurried
@given(histories(), rooms)
def test_the_plan_changes_none_of_the_messages_it_was_given(
    history: list[Message], room: Room
) -> None:
    before = repr(history)
    plan_for(history, room)
    assert repr(history) == before


def test_old_outputs_are_made_smaller_before_anything_goes() -> None:
    history = [*long_turn(30), assistant("Done."), *chat(10, 100)]
    plan = plan_for(history, Room(target=6_000, tail=500, summary=800))
    assert plan
    assert plan.middle == ()
    shorter = [message for message, carried in rebuilt(plan) if carried]
    assert len(shorter) == len(history)
    assert text_of(shorter[2]).startswith("[Dropped to make room: read_file file-0.py answered")
    assert shorter[-20:] == history[-20:]


def test_head_summary_and_tail_stay_in_their_order() -> None:
    history = chat(60)
    plan = plan_for(history, ROOM)
    assert plan
    shorter = made(plan, ROOM)
    assert shorter[:2] == history[:2]
    assert [m.get("made") for m in shorter[4:7]] == ["summary", "bridge", None]
    assert shorter[-20:] == history[-20:]
    assert len(plan.head) + len(plan.middle) + len(plan.tail) == len(history)


def test_a_request_in_the_middle_of_a_long_turn_is_taken_out_of_what_goes() -> None:
    history = [*chat(5), *long_turn(40, 600, request="Do this exactly.")]
    plan = plan_for(history, SUMMARISED)
    assert plan
    assert plan.request == user("Do this exactly.")
    shorter = made(plan, SUMMARISED)
    place = shorter.index(user("Do this exactly."))
    assert [m.get("made") for m in shorter[place - 2 : place]] == ["summary", "bridge"]
    assert shorter[place + 1]["role"] == "assistant"


def test_a_request_in_the_head_is_pointed_at() -> None:
    history = long_turn(60, 600, request="Do this exactly.")
    plan = plan_for(history, SUMMARISED)
    assert plan
    assert plan.begun == history[0]
    shorter = made(plan, ROOM)
    assert shorter[0] == history[0]
    summary = next(m for m in shorter if m.get("made") == "summary")
    assert '"Do this exactly."' in text_of(summary)


def test_the_last_messages_are_made_smaller_only_where_they_do_not_fit() -> None:
    history = [*chat(30), *long_turn(10, 3_000, request="Go.")]
    plan = plan_for(history, ROOM)
    assert plan
    outputs = [text_of(m) for m in plan.tail if m["role"] == "tool"]
    assert len(outputs) == 10
    assert outputs[-1] == text_of(history[-1])
    assert outputs[0].startswith("[Dropped to make room:")


def test_an_output_too_large_for_the_room_is_cut_in_its_middle() -> None:
    history = [user("Read it."), *step(1, "begin " + "x" * 100_000 + " end")]
    plan = plan_for(history, ROOM)
    assert plan
    assert plan.middle == ()
    output = text_of(plan.tail[-1])
    assert output.startswith("begin xx")
    assert output.endswith(" end")
    assert "characters cut" in output
    assert len(output) < 16_000


def test_nothing_is_planned_where_there_is_room_or_nothing_to_gain() -> None:
    assert plan_for([], ROOM) is None
    assert plan_for(chat(3), ROOM) is None
    assert plan_for([user("q" * 100_000)], ROOM) is None
    assert plan_for(chat(2), Room(4_000, 500, 800, always=True)) is None


def test_asked_for_it_summarises_what_would_have_fitted() -> None:
    history = chat(60, 100)
    always = Room(100_000, 100, 800, always=True)
    assert plan_for(history, Room(100_000, 100, 800)) is None
    plan = plan_for(history, always)
    assert plan
    assert plan.middle


def test_a_second_plan_updates_the_first_summary() -> None:
    plan = plan_for(chat(60), ROOM)
    assert plan
    history = [m for m, _ in rebuilt(plan, "## Goal\nfirst summary")]
    plan = plan_for([*history, *chat(60)], ROOM)
    assert plan
    assert plan.earlier
    assert summary_of(plan.earlier) == "## Goal\nfirst summary"
    assert not any("made" in m for m in plan.middle)
    shorter = made(plan, ROOM)
    assert shorter[:2] == history[:2]
    assert "first summary" not in str(shorter)


def test_the_plan_of_the_work_is_told_behind_the_summary() -> None:
    plan = plan_for(long_turn(60, 600), SUMMARISED)
    assert plan
    shorter = [m for m, _ in rebuilt(plan, "## Goal", STEPS)]
    (call,) = [m for m in shorter if m.get("tool_calls", [{}])[0].get("id", "").startswith("call_")]
    assert '"content": "mend"' in call["tool_calls"][0]["function"]["arguments"]
    assert_in_order(shorter)
    done = [PlanEntry("look", "completed")]
    assert '"content": "look"' not in str(rebuilt(plan, "## Goal", done))


def test_a_plan_that_the_last_messages_set_is_not_told_again() -> None:
    history = [*long_turn(60, 600), *step(99, "ok", "todo", steps=[{"content": "newer"}])]
    plan = plan_for(history, SUMMARISED)
    assert plan
    assert "mend" not in str(rebuilt(plan, "## Goal", STEPS))


@pytest.mark.parametrize("keep", [0, 1, 3])
def test_as_many_first_messages_stay_as_are_wanted(keep: int) -> None:
    plan = plan_for(chat(60), Room(4_000, 500, 800, keep_first=keep))
    assert plan
    assert len(plan.head) == keep
