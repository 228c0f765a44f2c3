"""``session_search``: earlier sessions, and never the turn that asks."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.own_tools.session_search import MOST, session_search_tool
from hermes_core.ground.errors import ToolError
from hermes_core.ground.messages import user_message
from hermes_core.sessions.search import Now
from hermes_core.sessions.store import SessionRow, Store
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent, Stage


class Desk:
    """A store, the tool over it, and what it answers."""

    def __init__(self, cwd: Path, store: Store) -> None:
        self.store = store
        self.tool = session_search_tool(store, lambda: Now("now", 0))
        self._context = Stage(cwd).tools.context

    def say(self, session: str, text: str) -> None:
        self.store.create_session(SessionRow(session, "/w/x", title=f"about {session}"))
        self.store.append_message(session, user_message(text))

    def run(self, **arguments: Any) -> str:
        return self.tool.prepare(self._context, arguments).run(lambda _: None).text


@pytest.fixture
def desk(tmp_path: Path, store: Store) -> Desk:
    return Desk(tmp_path, store)


def test_a_find_has_all_that_is_needed_to_go_on(desk: Desk) -> None:
    desk.say("s1", "the frobnicator is in the cellar")
    told = desk.run(query="Frobnicator")
    for part in ("session s1\n", "title: about s1\n", "date: 2", "folder: /w/x\n"):
        assert part in told
    assert "user: the frobnicator is in the cellar" in told
    assert "It is data of the past" in told


def test_nothing_is_said_to_be_found(desk: Desk) -> None:
    assert "No earlier session holds all of 'zzz'" in desk.run(query="zzz")
    with pytest.raises(ToolError, match="at least one word"):
        desk.run(query=" ")


@pytest.mark.parametrize(("limit", "count"), [(2, 2), (0, 1), (-5, 1), (1_000, MOST)])
def test_the_limit_is_kept_within_reason(desk: Desk, limit: int, count: int) -> None:
    for number in range(MOST + 3):
        desk.say(f"n{number}", "needle")
    assert desk.run(query="needle", limit=limit).count("session n") == count


HOSTILE = 'he wrote "a OR b" NEAR(c) text:a {a b} ^a * % _ a\0b -- 日本語'


@pytest.mark.parametrize(
    "query",
    [
        "*",
        "NEAR(",
        "a OR",
        'a"b',
        '"a',
        "text:a",
        "{a b}",
        "^a",
        "(",
        "%",
        "_",
        "--",
        "a\0b",
        "日本",
    ],
)
def test_what_means_something_to_the_index_is_looked_for_as_it_is(desk: Desk, query: str) -> None:
    desk.say("other", "nothing of the sort")
    desk.say("hostile", HOSTILE)
    told = desk.run(query=query)
    assert "session hostile" in told
    assert "session other" not in told


@pytest.mark.parametrize(
    "query", ["NEAR(a b, 3)", "NOT a", "'; DROP TABLE texts;--", "a* b*", "\ud800", "x" * 1_000]
)
def test_what_is_not_there_is_not_found(desk: Desk, query: str) -> None:
    desk.say("hostile", HOSTILE)
    assert desk.run(query=query).startswith("No earlier session holds all of")


@pytest.mark.parametrize("query", ['"', '""', "\0", '"' * 100_000, "x" * 100_000, "ab " * 30_000])
def test_a_query_that_is_none_is_refused_in_a_line(desk: Desk, query: str) -> None:
    with pytest.raises(ToolError) as raised:
        desk.run(query=query)
    assert len(str(raised.value)) < 100


def test_it_may_run_beside_other_calls_that_only_look(desk: Desk) -> None:
    assert (desk.tool.together, desk.tool.kind) == ("always", "search")


def test_an_agent_finds_earlier_sessions_and_not_its_own_words(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(say("It is in the cellar."))
    first = make_agent()
    first.chat("Where is the frobnicator?")
    provider.script(call("session_search", {"query": "frobnicator"}), say("In the cellar."))
    second = make_agent()
    second.chat("Look up where the frobnicator was")
    (result,) = provider.requests[-1].tool_results
    assert f"session {first.session_id}" in result
    assert "Where is the frobnicator?" in result
    assert second.session_id not in result
