"""A question to the user: asked at once, or as the last word of a turn."""

import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.own_tools.clarify import (
    ASKED,
    MOST_CHOICES,
    NOT_NOW,
    UNANSWERED,
    Clarify,
    question_text,
)
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.events import ClarifyRequested, Event, TextDelta
from hermes_core.tools.registry import Output
from tests.fakes.provider import Call, FakeProvider, call, calls, say
from tests.hermes_core.agent.doubles import (
    WATCHDOG,
    MakeAgent,
    Screen,
    Stage,
    assert_requests_alternate,
)

QUESTION = {"question": "Which colour?", "choices": ["red", "blue"]}


def answering(answer: str | None) -> Any:
    def emit(event: Event) -> None:
        if isinstance(event, ClarifyRequested):
            event.reply.set_result(answer)

    return emit


def run(clarify: Clarify, stage: Stage, **arguments: Any) -> Output:
    spec = clarify.tools()["clarify"]
    return spec.prepare(stage.tools.context, arguments).run(lambda _: None)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_it_is_not_offered_where_nobody_can_answer() -> None:
    assert Clarify(None, Screen()).tools() == {}


def test_it_stands_alone_in_its_segment() -> None:
    spec = Clarify("ask", Screen()).tools()["clarify"]
    assert spec.interactive
    assert spec.together == "never"


@pytest.mark.parametrize(
    ("answer", "text"),
    [(" red ", "The user answered: red"), (None, UNANSWERED), (" ", UNANSWERED)],
)
def test_the_answer_is_the_result(stage: Stage, answer: str | None, text: str) -> None:
    assert run(Clarify("ask", answering(answer)), stage, **QUESTION).text == text


def test_the_question_is_put_as_it_is(stage: Stage) -> None:
    asked: list[Any] = []

    def emit(event: Any) -> None:
        asked.append((event.question, event.choices))
        event.reply.set_result("x")

    run(Clarify("ask", emit), stage, question=" Why? ", choices=[" a\nb ", "", "c", "c"])
    assert asked == [("Why?", ("a b", "c"))]


def test_nothing_unseen_is_put_to_the_user(stage: Stage) -> None:
    asked: list[Any] = []

    def emit(event: Any) -> None:
        asked.append((event.question, event.choices))
        event.reply.set_result("x")

    choices = ["yes\u202e", "\u200byes", "\0", "\u200b", " \t", "\ud800", *["no"] * 1_000]
    run(Clarify("ask", emit), stage, question="Go\x1b[2J on?\ud800", choices=choices)
    assert asked == [("Go[2J on?", ("yes", "no"))]


def test_in_text_the_turn_ends_with_the_question(stage: Stage) -> None:
    clarify = Clarify("text", Screen())
    assert clarify.ending() is None
    assert run(clarify, stage, **QUESTION).text == ASKED
    ending = clarify.ending()
    assert ending
    assert (ending.text, ending.stop_reason) == (
        "Which colour?\n\n1. red\n2. blue",
        "end_turn",
    )
    clarify.begin()
    assert clarify.ending() is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": " "},
        {"question": "x" * 3_000},
        {"question": "\u200b\0"},
        {"question": "x" * 1_000_000},
        {"question": "x", "choices": [str(n) for n in range(MOST_CHOICES + 1)]},
        {"question": "x", "choices": [str(n) for n in range(1_000)]},
        {"question": "x", "choices": ["y" * 300]},
    ],
)
def test_what_nobody_could_read_is_refused(stage: Stage, arguments: Any) -> None:
    with pytest.raises(ToolError):
        run(Clarify("ask", answering("x")), stage, **arguments)


def test_a_failing_screen_is_an_error_of_the_tool(stage: Stage) -> None:
    def emit(_: Event) -> None:
        raise ValueError("broken")

    with pytest.raises(ToolError, match="could not be put"):
        run(Clarify("ask", emit), stage, **QUESTION)


def test_an_interrupt_withdraws_the_question(stage: Stage) -> None:
    asked: list[ClarifyRequested] = []

    def emit(event: Event) -> None:
        assert isinstance(event, ClarifyRequested)
        asked.append(event)
        threading.Thread(target=stage.interrupt.set).start()

    with pytest.raises(Interrupted):
        run(Clarify("ask", emit), stage, **QUESTION)
    assert asked[0].reply.cancelled()


def test_a_question_without_choices_is_just_that() -> None:
    assert question_text("Why?", ()) == "Why?"


class TestTurns:
    def test_a_program_answers_by_its_callback(
        self, provider: FakeProvider, make_agent: MakeAgent
    ) -> None:
        provider.script(call("clarify", QUESTION), say("Red then."))
        asked: list[Any] = []

        def answer(question: str, choices: list[str]) -> str:
            asked.append((question, choices))
            return "red"

        agent = make_agent(clarify_callback=answer)
        assert agent.chat("paint it") == "Red then."
        assert asked == [("Which colour?", ["red", "blue"])]
        assert provider.requests[1].messages[-1]["content"] == "The user answered: red"

    def test_a_callback_that_fails_does_not_end_the_turn(
        self, provider: FakeProvider, make_agent: MakeAgent
    ) -> None:
        provider.script(call("clarify", QUESTION), say("Then not."))

        def answer(question: str, choices: list[str]) -> str:
            raise ValueError("broken")

        assert make_agent(clarify_callback=answer).chat("paint it") == "Then not."

    def test_without_a_callback_the_model_is_not_offered_it(self, make_agent: MakeAgent) -> None:
        assert "clarify" not in make_agent().tool_names
        assert "clarify" not in make_agent(emit=Screen()).tool_names
        assert "clarify" in make_agent(clarify="text").tool_names

    def test_in_text_the_next_message_is_the_answer(
        self, provider: FakeProvider, make_agent: MakeAgent, project: Path
    ) -> None:
        provider.script(
            calls(
                Call("clarify", QUESTION, id="ask"),
                Call("write_file", {"path": "new.txt", "content": "x"}, id="then"),
            ),
            say("Blue then."),
        )
        screen = Screen()
        agent = make_agent(emit=screen, clarify="text", mode="accept_edits")
        first = agent.run_conversation("paint it")
        assert (first["stop_reason"], first["completed"]) == ("end_turn", True)
        assert first["final_response"] == "Which colour?\n\n1. red\n2. blue"
        assert "".join(e.text for e in screen.of(TextDelta)) == first["final_response"]
        assert not (project / "new.txt").exists()
        assert agent.chat("2") == "Blue then."
        roles = [(m["role"], m["content"]) for m in provider.requests[1].messages[2:]]
        assert roles[1:] == [
            ("tool", ASKED),
            ("tool", NOT_NOW),
            ("assistant", first["final_response"]),
            ("user", "2"),
        ]
        assert_requests_alternate(provider)

    def test_an_interrupt_ends_the_turn_while_the_question_waits(
        self, provider: FakeProvider, make_agent: MakeAgent
    ) -> None:
        provider.script(call("clarify", QUESTION), say("Later."))
        screen = Screen()
        agent = make_agent(emit=screen, clarify="ask")
        results: list[Any] = []
        thread = threading.Thread(target=lambda: results.append(agent.run_conversation("go")))
        thread.start()
        question = screen.wait_for(ClarifyRequested)
        agent.interrupt()
        thread.join(WATCHDOG)
        assert results[0]["stop_reason"] == "cancelled"
        assert question.reply.cancelled()
        assert agent.chat("go on") == "Later."
        assert_requests_alternate(provider)
