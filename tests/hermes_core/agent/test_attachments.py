"""What a message points at: read within bounds, and as far as it is allowed."""

from pathlib import Path

import pytest

from hermes_core import AIAgent
from hermes_core.agent.attachments import ALL_TOGETHER, LONGEST, MOST_NAMES
from hermes_core.ground.actions import Answer
from hermes_core.ground.content import Attached, Link
from hermes_core.ground.errors import Interrupted
from hermes_core.ground.events import (
    ApprovalRequested,
    Event,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt
from tests.hermes_core.agent.doubles import MakeAgent


class Person:
    """Answers questions, and sees all."""

    def __init__(self, answer: Answer = "allow_once") -> None:
        self.answer: Answer = answer
        self.seen: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.seen.append(event)
        if isinstance(event, ApprovalRequested):
            event.reply.set_result(self.answer)


def read(agent: AIAgent, *links: Link) -> list[Attached]:
    return agent.attach(links, Interrupt())


def test_files_are_read_in_the_order_of_the_links(make_agent: MakeAgent, project: Path) -> None:
    (project / "b.txt").write_text("one\ntwo\nthree\n")
    links = (Link("b.txt", 2, 2), Link(str(project / "main.py"), priority=1.0))
    first, second = read(make_agent(emit=Person()), *links)
    assert first.text.startswith("two\n")
    assert "[lines 2-2 of 3" in first.text
    assert second.text == "def add(a, b):\n    return a - b"
    assert [one.link for one in (first, second)] == list(links)


def test_what_cannot_be_read_says_why(make_agent: MakeAgent, project: Path) -> None:
    (project / "b.bin").write_bytes(b"\0\0")
    agent = make_agent(emit=Person())
    found = read(agent, Link("gone.py"), Link("b.bin"), Link("main.py", 99, 100), Link("a\0b"))
    assert all(one.failed for one in found)
    assert [one.text.partition(":")[0] for one in found] == ["not read"] * 4


def test_what_lies_outside_asks_on_a_card_of_its_own(make_agent: MakeAgent, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("elsewhere\n")
    person = Person()
    (found,) = read(make_agent(emit=person), Link(str(tmp_path / "outside.txt")))
    assert (found.text, found.failed) == ("elsewhere", False)
    kinds = [type(event) for event in person.seen]
    assert kinds == [ToolCallStarted, ApprovalRequested, ToolCallRunning, ToolCallFinished]
    person = Person("reject_once")
    (found,) = read(make_agent(emit=person), Link(str(tmp_path / "outside.txt")))
    assert found.failed
    assert "elsewhere" not in found.text
    assert isinstance(person.seen[-1], ToolCallFinished)
    assert person.seen[-1].status == "failed"


def test_with_nobody_to_ask_it_is_left_out(make_agent: MakeAgent, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("elsewhere\n")
    (found,) = read(make_agent(), Link(str(tmp_path / "outside.txt")))
    assert found.failed


def test_nothing_grows_without_bounds(make_agent: MakeAgent, project: Path) -> None:
    for number in range(8):
        (project / f"{number}.txt").write_text("a line of text\n" * 1_990 * 3)
    (project / "many").mkdir()
    for number in range(MOST_NAMES + 5):
        (project / "many" / f"{number:04}").touch()
    links = [Link(f"{number}.txt") for number in range(8)]
    found = read(make_agent(emit=Person()), *links, Link("many", priority=1.0))
    assert all(len(one.text) <= LONGEST + 100 for one in found)
    assert sum(len(one.text) for one in found) <= ALL_TOGETHER + 8 * 100
    assert found[8].text.endswith("[and 5 more]")


@pytest.mark.parametrize(
    ("symbol", "first"),
    [
        ("wanted", "def wanted(x):"),
        ("Thing.wanted", "def wanted(x):"),
        ("Thing", "class Thing:"),
        ("ns::Thing", "class Thing:"),
    ],
)
def test_a_symbol_is_where_it_is_defined(
    make_agent: MakeAgent, project: Path, symbol: str, first: str
) -> None:
    text = "wanted(Thing)\n" + "pass\n" * 40 + "def wanted(x):\n    pass\n" + "pass\n" * 40
    (project / "c.py").write_text(text + "class Thing:\n    pass\n")
    (found,) = read(make_agent(emit=Person()), Link("c.py", symbol=symbol))
    assert found.text.split("\n")[2] == first


def test_a_symbol_that_is_nowhere_gives_the_file(make_agent: MakeAgent) -> None:
    (found,) = read(make_agent(emit=Person()), Link("main.py", symbol="nothing"))
    assert found.text == "def add(a, b):\n    return a - b"


def test_a_turn_that_ends_reads_nothing_more(make_agent: MakeAgent) -> None:
    stop = Interrupt()
    stop.set()
    with pytest.raises(Interrupted):
        make_agent(emit=Person()).attach([Link("main.py")], stop)
