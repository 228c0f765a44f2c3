"""A session as JSON holds all of it; as Markdown it can be read."""

import json

import pytest

from hermes_core.ground.content import Diff, PlanEntry, Text
from hermes_core.ground.events import (
    PlanChanged,
    ReasoningDelta,
    StatusChanged,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnInterrupted,
    UserPrompted,
)
from hermes_core.ground.events_json import to_json
from hermes_core.ground.messages import user_message
from hermes_core.ground.usage import Usage
from hermes_core.sessions.export import exported
from hermes_core.sessions.lineage import create_child, replace_history
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.titling import set_title
from hermes_core.sessions.transcript import fenced, transcript
from hermes_core.sessions.usage import Used, add_usage

SHOWN = (
    UserPrompted("Fix it, `please`", "m0"),
    ReasoningDelta("I should\nlook.", "m1"),
    TextDelta("I ", "m2"),
    TextDelta("look.", "m2"),
    ToolCallStarted("c1", "patch", "Edit a.py", "edit", {"path": "a.py"}),
    ToolCallFinished(
        "c1",
        "patch",
        "completed",
        "ok ``` done",
        (Diff("/w/a.py", "x = 1\n", "x = 2\n"), Text("t")),
    ),
    PlanChanged((PlanEntry("edit", "completed"), PlanEntry("test"))),
    StatusChanged("warning", "slow\nnow"),
    TextDelta("Done.", "m3"),
    TurnInterrupted(),
)


@pytest.fixture
def full(store: Store) -> Store:
    """The session ``s`` with everything that a session may have."""
    store.append("s", [user_message("Fix it, \ud800")], [to_json(event) for event in SHOWN])
    set_title(store, "s", "Fix \ud800 it", "person")
    add_usage(store, "s", Used("openrouter", "m", Usage(1_200, 30, 1_000, 10), 2, 0.5))
    add_usage(store, "s", Used("custom", "n", Usage(1, 1), 1, 0.0, 1, "title_generation"))
    replace_history(store, "s", "s-2", [(user_message("Fix it, \ud800"), True)])
    create_child(store, SessionRow("sub", "/w"), "s", "delegated")
    return store


def test_json_holds_everything(full: Store) -> None:
    whole = json.loads(json.dumps(exported(full, "s-2")))
    assert (whole["format"], whole["version"], whole["history"]) == ("hermes-session", 1, "s-2")
    head, tip, child = whole["sessions"]
    assert (head["id"], head["title"], head["titled"]) == ("s", "Fix \ud800 it", "person")
    assert (head["cwd"], head["mode"], head["relation"]) == ("/w", "default", None)
    assert head["messages"][0]["message"] == user_message("Fix it, \ud800")
    assert [row["event"] for row in head["shown"]] == [to_json(event) for event in SHOWN]
    assert [(one["model"], one["input"], one["cost"]) for one in head["usage"]] == [
        ("m", 1_200, 0.5),
        ("n", 1, 0.0),
    ]
    assert (tip["id"], tip["parent"], tip["relation"]) == ("s-2", "s", "compressed")
    assert tip["messages"][0]["carried"] is True
    assert (child["id"], child["relation"]) == ("sub", "delegated")


def test_markdown_can_be_read(full: Store) -> None:
    text = transcript(full, "s-2")
    for part in (
        "# Fix \ud800 it\n",
        "- Session: `s`",
        "compressed from `s`",
        "`m` of openrouter: 1,200 tokens read (1,000 from a cache), 30 written (10 of them "
        "reasoning), 2 calls, $0.5000",
        "`n` of custom, title_generation: 1 tokens read, 1 written, 1 call, price not known",
        "## User\n\nFix it, `please`",
        "> I should\n> look.",
        "## Hermes\n\nI look.",
        '### Edit a.py\n\n```json\n{\n "path": "a.py"\n}\n```',
        "-x = 1\n+x = 2",
        "````\nok ``` done\n````",
        "- [x] edit\n- [ ] test",
        "*warning: slow now*",
        "*Interrupted by the user.*",
    ):
        assert part in text, part
    assert transcript(full, "missing") == ""


@pytest.mark.parametrize("text", ["plain", "```", "a ````` b", "``"])
def test_nothing_ends_a_block_of_code_early(text: str) -> None:
    first, *_, last = fenced(text, "x").splitlines()
    assert first == f"{last}x"
    assert last not in text
