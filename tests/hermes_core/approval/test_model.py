import pytest

from hermes_core.approval.model import Family, Model, Unmodelled, parse_arguments
from hermes_core.approval.programs import PROGRAMS

MODEL = Model(
    "-a -b -# -n: -e:any -f:path -w? -L~ --all --lines: --color? --unified=", "text path*"
)


@pytest.mark.parametrize(
    ("argv", "options", "operands"),
    [
        ("-ab x", ["-a", "-b"], ["x"]),
        ("-an5 x y", ["-a", "-n"], ["x", "y"]),
        ("-n 5 x", ["-n"], ["x"]),
        ("-e -x y", ["-e"], ["y"]),
        ("-20", ["-#"], []),
        ("--lines 5 --all", ["--lines", "--all"], []),
        ("--lines=5 --color --color=never", ["--lines", "--color", "--color"], []),
        ("-w5 -w --unified=3", ["-w", "-w", "--unified"], []),
        ("-aL 2 x", ["-a", "-L"], ["x"]),
        ("x -a -- -b", ["-a"], ["x", "-b"]),
        ("-", [], ["-"]),
    ],
)
def test_arguments_are_read(argv: str, options: list[str], operands: list[str]) -> None:
    parsed = parse_arguments(MODEL, tuple(argv.split()))
    assert [name for name, _ in parsed.options] == options
    assert [text for _, text in parsed.operands] == operands


@pytest.mark.parametrize(
    "argv",
    ["-x", "-ax", "--al", "--all=1", "-n", "-n -a", "--lines", "--unified 3", "-L2", "--lines -a"],
)
def test_what_is_not_known_is_refused(argv: str) -> None:
    with pytest.raises(Unmodelled):
        parse_arguments(MODEL, tuple(argv.split()))


def test_values_that_are_paths_are_told() -> None:
    parsed = parse_arguments(MODEL, ("-f", "a", "-fb", "x", "c"))
    assert parsed.values == (("path", "a"), ("path", "b"))
    assert parsed.operands == (("text", "x"), ("path", "c"))


def test_options_of_an_odd_parser_stand_alone() -> None:
    odd = Model("-p -l:", "path", single=True)
    assert parse_arguments(odd, ("-p", "-l", "5", "-l6")).options
    for argv in (("-pl", "x"), ("-lx",), ("a", "--")):
        with pytest.raises(Unmodelled):
            parse_arguments(odd, argv)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_every_model_can_be_read(name: str) -> None:
    model = PROGRAMS[name]
    if isinstance(model, Family):
        return
    roles = {role.removesuffix("*") for role in model.operands.split()}
    assert roles <= {"text", "path", "meta", "file", "write", "pattern", "rev"}
    assert model.raw or parse_arguments(model, ("x",) * model.least)
