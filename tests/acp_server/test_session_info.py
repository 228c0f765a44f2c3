"""What is told of a session itself."""

from acp_server.mapping import to_updates
from acp_server.session_info import info_update, timestamp
from hermes_core.ground.events import TitleChanged


def test_a_moment_is_told_in_utc_and_milliseconds() -> None:
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1_780_000_000.12) == "2026-05-28T20:26:40.120Z"


def test_what_is_not_known_is_absent() -> None:
    kind = {"sessionUpdate": "session_info_update"}
    assert info_update("A title", 0) == {
        **kind,
        "title": "A title",
        "updatedAt": "1970-01-01T00:00:00.000Z",
    }
    assert info_update("", None) == info_update(None, None) == kind


def test_a_title_comes_with_its_moment() -> None:
    assert list(to_updates(TitleChanged("A", 1.5))) == [info_update("A", 1.5)]
    assert list(to_updates(TitleChanged("A"))) == [info_update("A", None)]
