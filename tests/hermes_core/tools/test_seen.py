from pathlib import Path

from hermes_core.tools.seen import Seen

PATH = Path("/a")


def test_a_file_that_was_never_seen_has_not_changed() -> None:
    seen = Seen()
    assert not seen.knows(PATH)
    assert not seen.changed(PATH, b"x")


def test_another_content_than_the_last_one_seen_is_a_change() -> None:
    seen = Seen()
    seen.record(PATH, b"x")
    seen.record(PATH, b"y")
    assert seen.knows(PATH)
    assert seen.changed(PATH, b"x")
    assert not seen.changed(PATH, b"y")
