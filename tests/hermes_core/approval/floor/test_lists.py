import pytest

from hermes_core.approval.floor.lists import all_found, finds_all, fits_every_process, listed
from hermes_core.approval.floor.marks import BELOW, EVERY, STAR
from hermes_core.approval.floor.targets import Place

PLACE = Place("/home/u/proj", "/home/u", "/home/u/proj")


@pytest.mark.parametrize(
    ("name", "words", "paths"),
    [
        ("find", ["/etc", "-type", "f"], [f"/etc/{BELOW}"]),
        ("find", ["/", "-name", "*.o"], []),
        ("find", ["-L", "/etc", "src"], [f"/etc/{BELOW}"]),
        ("find", [".", "-type", "f"], []),
        ("fd", [".", "/etc", "-x", "ls"], [f"/etc/{BELOW}"]),
        ("fd", ["x", "/etc"], []),
        ("fd", ["-C", "/", "."], [f"/{BELOW}"]),
        ("fd", ["--search-path", "/usr"], [f"/usr/{BELOW}"]),
        ("fd", ["-e", "o", ".", "/"], []),
        ("fd", ["-HI", "-t", "f", "", "/"], [f"/{BELOW}"]),
        ("fd", ["."], []),
    ],
)
def test_all_that_lies_below_a_precious_folder_is_known(
    name: str, words: list[str], paths: list[str]
) -> None:
    assert all_found(name, words, PLACE) == paths


def test_a_find_that_chooses_does_not_find_all() -> None:
    assert finds_all(["/", "-type", "f", "-print0"])
    assert finds_all(["/", "!", "-name", "x"])
    assert not finds_all(["/", "-newer", "x"])


@pytest.mark.parametrize(
    ("name", "words", "lines"),
    [
        ("ls", ["/"], [STAR]),
        ("ls", ["-d", "/etc"], ["/etc"]),
        ("ls", ["build"], None),
        ("ls", ["/proc"], [STAR, EVERY]),
        ("ps", ["aux"], [EVERY]),
        ("ps", ["-eo", "pid="], [EVERY]),
        ("ps", ["-u", "root", "-o", "pid="], [EVERY]),
        ("ps", ["-o", "pid="], None),
        ("ps", ["-p", "7"], None),
        ("pidof", ["systemd"], ["1"]),
        ("seq", ["2"], ["1", "2"]),
        ("seq", ["1", "65535"], [EVERY]),
        ("seq", ["4000", "65535"], None),
        ("cat", ["x"], None),
    ],
)
def test_what_a_program_lists_is_known(
    name: str, words: list[str], lines: list[str] | None
) -> None:
    text = listed(name, words, PLACE)
    assert (text and text.splitlines()) == lines


@pytest.mark.parametrize(
    ("words", "every"),
    [
        (["."], True),
        (["-f", ".*"], True),
        (["-v", "x"], True),
        (["-u", "root"], True),
        (["init"], True),
        (["node"], False),
        (["-u", "me", "node"], False),
        (["-P", "7", "."], False),
        ([], False),
    ],
)
def test_a_pattern_of_every_process_is_known(words: list[str], every: bool) -> None:
    assert fits_every_process(words) is every


def test_a_dash_v_of_killall_inverts_nothing() -> None:
    assert not fits_every_process(["-v", "node"], inverts=False)
