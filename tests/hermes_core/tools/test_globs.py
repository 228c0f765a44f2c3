import pytest

from hermes_core.tools.globs import alternatives, base_names, name_filter, path_filter

PATHS = [
    "a.py",
    "a.PY",
    "src/b.py",
    "src/deep/c.py",
    "src/deep/c.js",
    "src/deep/c.min.js",
    "src[1]/d.py",
    "tests/src",
]


@pytest.mark.parametrize(
    ("glob", "wanted"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py", "src[1]/d.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/deep/c.py", "src[1]/d.py"]),
        ("src/*.py", ["src/b.py"]),
        ("./src/*.py", ["src/b.py"]),
        ("/src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/b.py", "src/deep/c.py"]),
        ("src/**", ["src/b.py", "src/deep/c.py", "src/deep/c.js", "src/deep/c.min.js"]),
        ("src/deep", ["src/deep/c.py", "src/deep/c.js", "src/deep/c.min.js"]),
        ("deep/", ["src/deep/c.py", "src/deep/c.js", "src/deep/c.min.js"]),
        ("src", ["src/b.py", "src/deep/c.py", "src/deep/c.js", "src/deep/c.min.js", "tests/src"]),
        ("c.{js,py}", ["src/deep/c.py", "src/deep/c.js"]),
        ("?.py", ["a.py", "src/b.py", "src/deep/c.py", "src[1]/d.py"]),
        ("[ab].py", ["a.py", "src/b.py"]),
        ("[!a-c].py", ["src[1]/d.py"]),
        ("!*.py", ["a.PY", "src/deep/c.js", "src/deep/c.min.js", "tests/src"]),
        ("!src/**", ["a.py", "a.PY", "src[1]/d.py", "tests/src"]),
        (".", PATHS),
        ("[", []),
        ("a.py{", []),
    ],
)
def test_a_glob_over_paths(glob: str, wanted: list[str]) -> None:
    assert list(filter(path_filter(glob), PATHS)) == wanted


@pytest.mark.parametrize(
    ("glob", "path", "wanted"),
    [
        ("a/**/b/**/c", "a/b/x/b/y/c", True),
        ("a/**/b/**/c", "a/b/x/y/d", False),
        ("**/x/*/x/y", "x/x/x/x/y", True),
        ("a*b*ab", "aXbabXab", True),
        ("a*b*ab", "aXbXb", False),
        ("*ab*", "aab", True),
        ("a**b.py", "axxb.py", True),
        ("src/**", "src", False),
        ("src/**/", "src/a/b", True),
    ],
)
def test_stars_take_as_much_as_they_must(glob: str, path: str, wanted: bool) -> None:
    assert path_filter(glob)(path) is wanted


@pytest.mark.parametrize(
    "glob", ["*a" * 200 + "b", "**/" * 200 + "b", "a/**/" * 50 + "b", "{*a,?a}" * 5 + "*b"]
)
def test_no_glob_takes_for_ever(glob: str) -> None:
    path = "/".join(["a" * 100] * 30)
    assert not path_filter(glob)(path)


def test_a_name_without_wildcards_is_a_part_of_the_path() -> None:
    assert list(filter(name_filter("deep/c.m"), PATHS)) == ["src/deep/c.min.js"]
    assert list(filter(name_filter("*.min.*"), PATHS)) == ["src/deep/c.min.js"]


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("*.py", ("*.py",)),
        ("**/*.py", ("*.py",)),
        ("*.{ts,tsx}", ("*.ts", "*.tsx")),
        ("src/*.py", ()),
        ("src", ()),
        ("!*.py", ()),
        (None, ()),
    ],
)
def test_the_names_that_an_engine_can_look_for(glob: str | None, names: tuple[str, ...]) -> None:
    assert base_names(glob) == names


def test_braces_are_written_out_within_reason() -> None:
    assert alternatives("{a,b}{1,2}") == ["a1", "a2", "b1", "b2"]
    assert alternatives("{a,{b,c}}") == ["a", "b", "c"]
    with pytest.raises(ValueError, match="too many"):
        alternatives("{a,b}" * 20)
