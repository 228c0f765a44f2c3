import pytest

from hermes_core.approval.floor.marks import UNKNOWN
from hermes_core.approval.floor.recipes import recipe_texts


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("all:\n\tdo it\n", ["do it"]),
        ("all: x ; do it", ["do it"]),
        ("all:\n\t@-do it\n", ["do it"]),
        ("all:\n\tdo \\\n it\n", ["do   it"]),
        ("X = it\nall:\n\tdo $(X) $$Y\n", ["do it $Y"]),
        ("all:\n\tdo ${Z}\n", ["do $Z"]),
        ("X := $(shell do it)", ["do it"]),
        ("X != do it", ["do it"]),
        ("# all: ; do it\nX = do it\n", []),
        ("rule x\n  command = do it\n", ["do it"]),
    ],
)
def test_the_commands_of_a_makefile_are_found(text: str, commands: list[str]) -> None:
    assert list(recipe_texts("make", ["-f", "-"], text)) == commands


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["-f", UNKNOWN], True),
        (["-f-"], True),
        ([f"--file={UNKNOWN}"], True),
        (["--makefile", "/dev/stdin"], True),
        (["-f", "Makefile"], False),
        ([], False),
    ],
)
def test_only_a_makefile_that_stands_in_the_text_is_read(words: list[str], found: bool) -> None:
    assert bool(list(recipe_texts("make", words, "a: ; do it"))) is found


def test_scripts_of_other_programs_are_read() -> None:
    assert list(recipe_texts("make", ["--eval=a: ; do it"], None)) == ["do it"]
    assert list(recipe_texts("gdb", ["-x", UNKNOWN], "shell do it\nrun")) == ["do it"]
    assert list(recipe_texts("vim", ["-S", UNKNOWN], "!do it\nset x")) == ["do it"]
    assert list(recipe_texts("sed", ["-f", "-"], "1e do it")) == ["do it"]
    assert list(recipe_texts("sed", ["-f", "a.sed"], "1e do it")) == []
    assert list(recipe_texts("cat", ["-"], "!do it")) == []
