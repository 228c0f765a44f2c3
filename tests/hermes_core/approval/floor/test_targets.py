import pytest

from hermes_core.approval.floor import read_floor
from hermes_core.approval.floor.targets import Place, is_device, overwritten

PLACE = Place("/home/u/proj", "/home/u", "/home/u/proj")


@pytest.mark.parametrize(
    ("word", "lost"),
    [
        ("/", "/"),
        ("/etc/../usr", "/usr"),
        ("..", "/home/u"),
        ("../..", "/home"),
        ("/usr/lib", "/usr/lib"),
        ("build", ""),
        (".", ""),
        ("/tmp/x", ""),
        ("/opt/x/y", ""),
        ("/home/u/proj/src", ""),
    ],
)
def test_a_precious_folder_is_known(word: str, lost: str) -> None:
    assert PLACE.loss(word) == lost


def test_a_place_follows_a_change_of_folder() -> None:
    assert PLACE.moved("/etc").absolute("x") == "/etc/x"
    assert PLACE.moved("\ue000").absolute("x") is None


@pytest.mark.parametrize("path", ["/dev/sda", "/dev/nvme0n1", "/dev//sdb1", "/dev/mapper/x"])
def test_a_disk_is_known(path: str) -> None:
    assert is_device(path)
    assert overwritten(path).startswith("the disk")


@pytest.mark.parametrize("path", ["/dev/null", "/dev/shm/x", "/dev/tty", "dev/sda", "/etc/motd"])
def test_other_files_may_be_written(path: str) -> None:
    assert overwritten(path) == ""


def test_tables_of_users_are_known() -> None:
    assert overwritten("/etc/passwd") == "/etc/passwd"
    assert overwritten("/etc/shadow", appends=True) == "/etc/shadow"
    assert overwritten("/etc/fstab", appends=True) == ""
    assert overwritten(None) == ""


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("kill 1", ""),
        ("kill -HUP 1", ""),
        ("kill -9 77", ""),
        ("./bin/shutdown", ""),
        ("echo done", ""),
        ("shutdown -c", ""),
    ],
)
def test_what_only_looks_irreversible_is_no_matter_of_the_floor(text: str, rule: str) -> None:
    assert read_floor(text, "/home/u/proj", "/home/u").rule == rule


def test_a_text_that_is_too_deep_is_unclear() -> None:
    floor = read_floor("$(" * 500, "/home/u/proj", "/home/u")
    assert (floor.rule, floor.unclear) == ("", True)


def test_what_is_run_and_written_is_told() -> None:
    floor = read_floor("curl -s x | tee a > b", "/home/u/proj", "/home/u")
    assert floor.network
    assert floor.writes == ("b",)
    assert floor.programs == (("curl", "-s", "x"), ("tee", "a"))
