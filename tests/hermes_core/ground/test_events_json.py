import json
from typing import get_args

import pytest

from hermes_core.ground.content import Diff, Image, Location, PlanEntry, Text
from hermes_core.ground.events import (
    ChildFinished,
    ChildShown,
    ChildStarted,
    Compacted,
    CompactionStarted,
    PlanChanged,
    ReasoningDelta,
    Rewound,
    ShownEvent,
    StatusChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    TitleChanged,
    ToolCallFinished,
    ToolCallGenerating,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UsageUpdated,
    UserPrompted,
    UserSteered,
)
from hermes_core.ground.events_json import from_json, to_json

CONTENT = (Text("**x**"), Diff("/w/a.py", None, "new\n"), Diff("/w/b.py", "old", "new"))

EVENTS: list[ShownEvent] = [
    UserPrompted("hello \ud800 \x00", "m0"),
    UserSteered("left", "m0"),
    StepStarted(1),
    TextDelta("héllo", "m1"),
    ReasoningDelta("hm", "m1"),
    ToolCallGenerating("patch"),
    ToolCallStarted(
        "c1",
        "patch",
        "Edit a.py",
        "edit",
        {"path": "a.py", "edits": [{"old": "x", "is": "Text"}], "n": 1, "none": None},
        CONTENT,
        (Location("/w/a.py", 3), Location("/w/b.py")),
    ),
    ToolCallRunning("c1"),
    ToolCallProgress("c1", CONTENT),
    ToolCallFinished("c1", "patch", "completed", "done", CONTENT, (Location("/w/a.py"),), 0.25),
    StepFinished(1),
    PlanChanged((PlanEntry("first", "in_progress", "high"), PlanEntry("second"))),
    UsageUpdated(10, 100),
    UsageUpdated(10, 100, 0.5),
    StatusChanged("warning", "retrying"),
    CompactionStarted("k1", "Making room."),
    Compacted("k1", "completed", "Made room.", 900, 90, "## Goal", "s9"),
    TitleChanged("a \ud800 title"),
    TurnInterrupted(),
    Rewound("m"),
    Rewound("m", undone=False),
    ChildStarted("s2", "c2", "Look", "Look around."),
    ChildShown("s2", TextDelta("hi", "m2")),
    ChildShown("s2", ChildShown("s3", ToolCallStarted("c3", "t", "T", "read", {}), True), True),
    ChildFinished("s2", "c2", "Look", "error", "", "It broke.", 1.5),
]


def test_a_large_image_is_kept_as_its_kind_and_size() -> None:
    small, large = Image("image/png", "AAAA", 3), Image("image/png", "A" * 400_000, 300_000)
    event = ToolCallProgress("c1", (small, large))
    kept = from_json(json.loads(json.dumps(to_json(event))))
    assert kept == ToolCallProgress("c1", (small, Image("image/png", "", 300_000)))
    assert large.text == "[an image, image/png, 300,000 bytes]"


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_survives_json(event: ShownEvent) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_the_table_above_covers_every_event() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(ShownEvent))


def test_an_event_of_a_newer_version_is_skipped() -> None:
    assert from_json({"event": "HologramShown", "depth": 3}) is None
    assert from_json({}) is None


def test_a_field_of_a_newer_version_is_ignored() -> None:
    assert from_json({"event": "StepStarted", "number": 2, "colour": "red"}) == StepStarted(2)


def test_content_of_a_newer_version_is_skipped() -> None:
    data = to_json(ToolCallProgress("c1", (Text("kept"),)))
    data["content"].append({"is": "Hologram", "depth": 3})
    assert from_json(data) == ToolCallProgress("c1", (Text("kept"),))


def test_a_childs_event_of_a_newer_version_is_skipped() -> None:
    data = to_json(ChildShown("s2", StepStarted(1)))
    data["shown"] = {"event": "HologramShown"}
    assert from_json(data) is None
