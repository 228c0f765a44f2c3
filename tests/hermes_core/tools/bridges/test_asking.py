"""What MCP servers ask the person: passed on, answered, withdrawn, or declined."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from mcp_types import ElicitRequestURLParams

from hermes_core.ground.asking import Action, Answer, Form, Page
from hermes_core.ground.content import Text
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.mcp_line import Heard, McpAnswer
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.asking import LONGEST_MESSAGE, MOST_QUESTIONS, Asking, Caller
from tests.fakes import mcp_server
from tests.fakes.mcp_line import NEW, FakeLine
from tests.fakes.mcp_scene import Scene
from tests.fakes.questions import FakeQuestions

SCRIPT = Path(mcp_server.__file__)
FORM = {
    "message": "Which colour?",
    "requestedSchema": {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
        "required": ["colour"],
    },
}
PAGE = {
    "mode": "url",
    "message": "Agree there.",
    "url": "https://login.example/agree?x=1",
    "elicitationId": "their-own-1",
}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    for servers in made.opened:
        servers.close()


def until(condition: Callable[[], Any]) -> None:
    """Wait until something holds; nothing should ever come near the end of that."""
    for _ in range(3_000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came to hold")


def server(timeout: float = 60.0, **plan: Any) -> McpServer:
    usual = {"tools": mcp_server.ASKING, "version": "2025-11-25"}
    arguments = (str(SCRIPT), json.dumps({**usual, **plan}))
    return McpServer("shop\u202e", "stdio", sys.executable, arguments, timeout=timeout)


def told(output: Any) -> Any:
    """Return what the client answered, as the server saw it."""
    line = next(line for line in output.text.splitlines() if line.startswith("["))
    return json.loads(line)


def asked(
    scene: Scene, ask: Any, answer: Callable[[Any], Answer | None], **more: Any
) -> tuple[FakeQuestions, Any]:
    """Call the tool that asks; return the person and what was answered."""
    scene.questions = questions = FakeQuestions(answer, **more)
    servers = scene.open(server())
    (name,) = [one for one in servers.tools() if one.endswith("__ask")]
    return questions, told(scene.call(servers, name, ask=ask))


def test_a_form_is_passed_on_with_the_servers_name(scene: Scene) -> None:
    questions, answers = asked(scene, FORM, lambda _: Answer("accept", {"colour": "red"}))
    assert answers == [{"action": "accept", "content": {"colour": "red"}}]
    (form,) = questions.asked
    assert isinstance(form, Form)
    assert form.message.startswith("The MCP server shop\\u202e asks (it is the server that asks")
    assert form.message.endswith("Which colour?")
    assert form.call_id == "call-1"
    assert form.schema["properties"]["colour"]["enum"] == ["red", "blue"]


def test_a_page_is_passed_on_whole_and_completed_when_the_server_says_so(scene: Scene) -> None:
    scene.questions = questions = FakeQuestions(lambda _: Answer("accept", {"odd": 1}))
    servers = scene.open(server())
    ask, done = (next(n for n in servers.tools() if n.endswith(end)) for end in ("__ask", "__done"))
    assert told(scene.call(servers, ask, ask=PAGE)) == [{"action": "accept"}]
    (page,) = questions.asked
    assert isinstance(page, Page)
    assert page.url == PAGE["url"]
    assert "a page on login.example" in page.message
    assert page.id != PAGE["elicitationId"]
    assert questions.done == []
    scene.call(servers, done, id="another")
    scene.call(servers, done, id=PAGE["elicitationId"])
    scene.call(servers, done, id=PAGE["elicitationId"])
    until(lambda: questions.done)
    assert questions.done == [page]


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("ask", [FORM, PAGE], ids=["form", "page"])
def test_a_no_is_told_to_the_server(scene: Scene, ask: Any, action: Action) -> None:
    questions, answers = asked(scene, ask, lambda _: Answer(action, {"colour": "red"}))
    assert answers == [{"action": action}]
    assert questions.done == []


@pytest.mark.parametrize("content", [{}, {"colour": "green"}, {"colour": ["red"]}, {"colour": 1}])
def test_an_answer_that_the_form_does_not_take_is_none(
    scene: Scene, content: dict[str, Any]
) -> None:
    _, answers = asked(scene, FORM, lambda _: Answer("accept", content))
    assert answers == [{"action": "cancel"}]


def test_what_the_form_did_not_ask_for_is_not_passed_on(scene: Scene) -> None:
    _, answers = asked(scene, FORM, lambda _: Answer("accept", {"colour": "red", "more": "x"}))
    assert answers == [{"action": "accept", "content": {"colour": "red"}}]


@pytest.mark.parametrize(
    "ask",
    [
        {**PAGE, "url": "http://login.example/agree"},
        {**PAGE, "url": "https://me:pw@login.example/"},
        {**PAGE, "url": "https://login.example/\u202e"},
        {**FORM, "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
        | {"message": "Enter your password"},
        {
            "message": "m",
            "requestedSchema": {
                "type": "object",
                "properties": {"apiKey": {"type": "string"}},
            },
        },
    ],
)
def test_what_nobody_should_be_asked_is_declined_and_told(scene: Scene, ask: Any) -> None:
    scene.questions = questions = FakeQuestions(lambda _: Answer("accept"))
    servers = scene.open(server())
    (name,) = [one for one in servers.tools() if one.endswith("__ask")]
    output = scene.call(servers, name, ask=ask)
    assert told(output) == [{"action": "decline"}]
    assert questions.asked == []
    remark = output.content[-1]
    assert isinstance(remark, Text)
    assert remark.text.startswith("A question of shop\\u202e was declined: ")


@pytest.mark.parametrize(("ask", "can"), [(FORM, "pages"), (PAGE, "forms")])
def test_what_the_client_cannot_show_is_declined(scene: Scene, ask: Any, can: str) -> None:
    shows = {"forms": False, "pages": False, can: True}
    questions, answers = asked(scene, ask, lambda _: Answer("accept"), **shows)
    assert answers == [{"action": "decline"}]
    assert questions.asked == []


def test_without_anybody_to_ask_nothing_is_announced(scene: Scene, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = scene.open(server(log=str(log)))
    (name,) = [one for one in servers.tools() if one.endswith("__ask")]
    answer = told(scene.call(servers, name, ask=FORM))
    assert "code" in answer[0]
    assert "elicitation" not in log.read_text().splitlines()[0]


def test_who_may_be_asked_is_announced(scene: Scene, tmp_path: Path) -> None:
    scene.questions = FakeQuestions()
    log = tmp_path / "log"
    scene.open(server(log=str(log)))
    assert '"elicitation"' in log.read_text()


def test_long_messages_are_cut_and_hide_nothing(scene: Scene) -> None:
    ask = {**FORM, "message": "a\u202e\x1b[2J\nb" + "x" * 9_000}
    questions, _ = asked(scene, ask, lambda _: Answer("decline"))
    message = questions.asked[0].message
    assert "a\\u202e\\x1b[2J\nb" in message
    assert message.endswith("…")
    assert len(message) < LONGEST_MESSAGE + 200


def test_questions_come_one_at_a_time_and_not_without_end(scene: Scene) -> None:
    open_at_once: list[int] = []

    def answer(_: object) -> Answer:
        still = [one for one in questions.replies if not one.done()]
        open_at_once.append(len(still))
        return Answer("decline")

    scene.questions = questions = FakeQuestions(answer)
    servers = scene.open(server())
    (name,) = [one for one in servers.tools() if one.endswith("__ask")]
    output = scene.call(servers, name, ask=[FORM] * (MOST_QUESTIONS + 3))
    assert len(told(output)) == MOST_QUESTIONS + 3
    assert len(questions.asked) == MOST_QUESTIONS
    assert set(open_at_once) == {1}


def test_an_interrupt_withdraws_the_question_and_the_server_is_told(
    scene: Scene, tmp_path: Path
) -> None:
    interrupt, log = Interrupt(), tmp_path / "log"

    def stop(_: object) -> None:
        threading.Thread(target=interrupt.set).start()

    scene.questions = questions = FakeQuestions(stop)
    servers = scene.open(server(log=str(log)))
    (name,) = [one for one in servers.tools() if one.endswith("__ask")]
    with pytest.raises(Interrupted):
        scene.call(servers, name, interrupt, ask=FORM)
    until(questions.replies[0].done)
    assert questions.replies[0].cancelled()
    until(lambda: '"cancel"' in log.read_text() or "notifications/cancelled" in log.read_text())
    scene.questions.answer = lambda _: Answer("decline")
    assert told(scene.call(servers, name, ask=FORM)) == [{"action": "decline"}]


class Clock:
    """The limit of a call, as ``asyncio.timeout`` has it."""

    def __init__(self, end: float | None) -> None:
        self.end = end

    def when(self) -> float | None:
        return self.end

    def reschedule(self, end: float | None) -> None:
        self.end = end


async def test_the_time_that_a_person_takes_is_not_the_calls() -> None:
    now = asyncio.get_running_loop().time
    questions = FakeQuestions()
    asking, clock, other = Asking("s"), Clock(now() + 1000), Clock(None)
    params = ElicitRequestURLParams(**{**PAGE, "elicitation_id": PAGE["elicitationId"]})
    context = cast("Any", None)
    with (
        asking.during(Caller(), cast("Any", other)),
        asking.during(Caller(questions), cast("Any", clock)),
    ):
        first = asyncio.ensure_future(asking.answer(context, params))
        second = asyncio.ensure_future(asking.answer(context, params))
        for reply in range(2):
            while len(questions.replies) <= reply:
                await asyncio.sleep(0)
            for _ in range(50):  # the other one waits for its turn
                await asyncio.sleep(0)
            assert len(questions.replies) == reply + 1
            assert clock.end is None
            questions.replies[reply].set_result(Answer("decline"))
        await asyncio.gather(first, second)
        assert clock.end is not None
        assert clock.end >= now() + 900
        assert other.end is None
        third = asyncio.ensure_future(asking.answer(context, params))
        while len(questions.replies) < 3:
            await asyncio.sleep(0)
    assert (await third).action == "cancel"
    assert questions.replies[2].cancelled()
    assert clock.end is None
    assert (await asking.answer(context, params)).action == "decline"


def test_a_call_that_is_silent_ends_all_the_same(scene: Scene) -> None:
    scene.questions = FakeQuestions()
    tools = [{"name": "hang", "inputSchema": {"type": "object"}}]
    servers = scene.open(server(timeout=0.3, tools=tools))
    (name,) = servers.tools()
    with pytest.raises(ToolError, match=r"did not answer within 0\.3 s"):
        scene.call(servers, name)


def test_a_call_that_wants_a_page_first_shows_it_and_says_to_call_again(scene: Scene) -> None:
    scene.questions = questions = FakeQuestions(lambda _: Answer("accept"))
    servers = scene.open(server())
    (name,) = [one for one in servers.tools() if one.endswith("__need")]
    with pytest.raises(ToolError, match="call the tool again"):
        scene.call(servers, name, pages=[PAGE])
    (page,) = questions.asked
    assert page.url == PAGE["url"]
    questions.answer = lambda _: Answer("decline")
    with pytest.raises(ToolError, match="it was not opened"):
        scene.call(servers, name, pages=[PAGE, PAGE])
    assert len(questions.asked) == 2
    questions.pages = False
    with pytest.raises(ToolError, match="no way to show it") as failed:
        scene.call(servers, name, pages=[PAGE])
    assert "login.example" not in str(failed.value)


@pytest.mark.parametrize("pages", [[], [{"url": 5}], [{**PAGE, "url": "http://a.example/"}], "x"])
def test_odd_wishes_for_a_page_end_the_call(scene: Scene, pages: Any) -> None:
    scene.questions = questions = FakeQuestions(lambda _: Answer("accept"))
    servers = scene.open(server())
    (name,) = [one for one in servers.tools() if one.endswith("__need")]
    with pytest.raises(ToolError):
        scene.call(servers, name, pages=pages)
    assert questions.asked == []


def newest(ask: Any, *, ends: bool = True) -> FakeLine:
    """Return a server of MCP 2026-07-28 whose tool asks by its result, maybe for ever."""
    more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    def serve(method: str, params: dict[str, Any], heard: Heard) -> McpAnswer | None:
        del heard
        if method == "server/discover":
            return McpAnswer("result", NEW)
        if method == "tools/list":
            return McpAnswer("result", {"tools": mcp_server.ASKING, **more})
        given = params.get("inputResponses")
        if given is None or not ends:
            wanted = {"one": {"method": "elicitation/create", "params": ask}}
            asking = {"resultType": "input_required", "inputRequests": wanted}
            return McpAnswer("result", {**asking, "requestState": "s"})
        said = mcp_server.text(json.dumps([given["one"]]))
        return McpAnswer("result", {**said, "resultType": "complete"})

    return FakeLine(serve)


def test_servers_of_the_newest_kind_ask_by_their_result(scene: Scene) -> None:
    page = {name: value for name, value in PAGE.items() if name != "elicitationId"}
    scene.questions = questions = FakeQuestions(lambda _: Answer("accept", {"colour": "red"}))
    for ask, answer in ((FORM, {"content": {"colour": "red"}}), (page, {})):
        servers = scene.open(McpServer("s", "acp", server_id="i", line=newest(ask)))
        output = scene.call(servers, "s__ask")
        assert told(output) == [{"action": "accept", **answer}]
    assert questions.done == [questions.asked[1]]


def test_one_that_asks_for_ever_is_given_up(scene: Scene) -> None:
    scene.questions = questions = FakeQuestions(lambda _: Answer("decline"))
    servers = scene.open(McpServer("s", "acp", server_id="i", line=newest(FORM, ends=False)))
    with pytest.raises(ToolError, match="it asked again and again"):
        scene.call(servers, "s__ask")
    assert len(questions.asked) == MOST_QUESTIONS


def test_what_a_sub_agent_calls_asks_nobody(scene: Scene) -> None:
    scene.questions = FakeQuestions(lambda _: Answer("accept"))
    servers = scene.open(McpServer("s", "acp", server_id="i", line=newest(FORM)))
    context = replace(scene.context(), questions=None)
    output = servers.tools()["s__ask"].prepare(context, {}).run(lambda _: None)
    assert told(output) == [{"action": "decline"}]
    assert scene.questions.asked == []


def test_an_interrupt_withdraws_it_there_too(scene: Scene) -> None:
    interrupt = Interrupt()

    def stop(_: object) -> None:
        threading.Thread(target=interrupt.set).start()

    scene.questions = questions = FakeQuestions(stop)
    servers = scene.open(McpServer("s", "acp", server_id="i", line=newest(FORM)))
    with pytest.raises(Interrupted):
        scene.call(servers, "s__ask", interrupt)
    until(questions.replies[0].done)
    assert questions.replies[0].cancelled()
