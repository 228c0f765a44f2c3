"""The card of a command that plainly deletes or moves."""

import pytest

from hermes_core.tools.command_kind import LONGEST, command_kind


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("rm old.txt", "delete"),
        ("rm -r 'build dir'", "delete"),
        ("rmdir empty", "delete"),
        ("git rm --cached old.txt", "delete"),
        ("mv a b", "move"),
        ("git mv a b", "move"),
        ("mv a b # as it was said", "move"),
        ("ls", "execute"),
        ("git status", "execute"),
        ("mv a b && make", "execute"),
        ("rm $(cat list)", "execute"),
        ("sudo rm x", "execute"),
        ("A=1 rm x", "execute"),
        ("rm 'unclosed", "execute"),
        ("git", "execute"),
        ("", "execute"),
        ("# rm x", "execute"),
    ],
)
def test_a_plain_command_has_its_kind(command: str, kind: str) -> None:
    assert command_kind(command) == kind


def test_a_very_long_one_is_not_looked_at() -> None:
    assert command_kind("rm ".ljust(LONGEST, "a")) == "delete"
    assert command_kind("rm ".ljust(LONGEST + 1, "a")) == "execute"
