import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.content import Location
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.tools import search_files as module
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.search_files import search_files
from tests.hermes_core.tools.conftest import ignore

Search = Callable[..., list[str]]


@pytest.fixture(params=["ripgrep", "walk"])
def engine(request: pytest.FixtureRequest, ctx: ToolContext, tmp_path: Path) -> ToolContext:
    """A context whose PATH has ripgrep, or nothing at all."""
    programs = tmp_path / "programs"
    programs.mkdir()
    if request.param == "ripgrep":
        (programs / "rg").symlink_to(request.getfixturevalue("ripgrep"))
    return on_path(ctx, programs)


@pytest.fixture
def search(engine: ToolContext) -> Search:
    """Run a search and return the lines of its answer."""

    def run(pattern: str, **arguments: Any) -> list[str]:
        prepared = search_files.prepare(engine, {"pattern": pattern, **arguments})
        return prepared.run(ignore).text.split("\n")

    return run


def on_path(ctx: ToolContext, folder: Path) -> ToolContext:
    return replace(ctx, config=replace(ctx.config, env={"PATH": str(folder)}))


def make(folder: Path, files: dict[str, bytes | str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_lines_are_found_in_the_order_of_their_paths(search: Search, project: Path) -> None:
    make(
        project,
        {
            "b.py": "x = 1\n  def find():\n",
            "a/z.py": "def find(x):  # twice: def find\n",
            "a.py": "def found():\r\ndef find():\r\n",
            "B.py": "def find():",
            "\xe9.py": "def find():\n",
        },
    )
    assert search(r"def find\b") == [
        "B.py:1:def find():",
        "a/z.py:1:def find(x):  # twice: def find",
        "a.py:2:def find():",
        "b.py:2:  def find():",
        "\xe9.py:1:def find():",
    ]


def test_the_editor_is_told_the_places_of_the_first_results(
    engine: ToolContext, project: Path
) -> None:
    make(project, {"a.py": "x\nfind me\n", "b.py": "find me\n" * 30})
    found = search_files.prepare(engine, {"pattern": "find"}).run(ignore).locations
    assert found[:2] == (Location(str(project / "a.py"), 2), Location(str(project / "b.py"), 1))
    assert len(found) == module.MAX_PLACES
    arguments = {"pattern": "*.py", "mode": "files"}
    listed = search_files.prepare(engine, arguments).run(ignore).locations
    assert listed == (Location(str(project / "a.py")), Location(str(project / "b.py")))


def test_what_is_not_the_projects_text_is_left_out(
    search: Search, project: Path, tmp_path: Path
) -> None:
    make(
        project,
        {
            "kept.txt": "word\n",
            ".hidden/kept.txt": "word\n",
            ".git/config": "word\n",
            "sub/.git": "word\n",
            "binary.bin": b"word\nmore\0word\n",
            "late.bin": b"word\n" + b"x\n" * 100_000 + b"\0",
            "wide.txt": "word\n".encode("utf-16"),
        },
    )
    make(tmp_path, {"outside/secret.txt": "word\n"})
    (project / "link").symlink_to(tmp_path / "outside")
    (project / "link.txt").symlink_to(tmp_path / "outside/secret.txt")
    os.mkfifo(project / "pipe")
    assert search("word") == [".hidden/kept.txt:1:word", "kept.txt:1:word"]
    assert search("*.txt", mode="files") == [".hidden/kept.txt", "kept.txt", "wide.txt"]


def test_ignore_files_count(search: Search, project: Path) -> None:
    make(
        project,
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n\\\n[z-a]\ntmp/*\n!tmp/b\n# c\n",
            "a.log": "word\n",
            "keep.log": "word\n",
            "build/a": "word\n",
            "sub/build/a": "word\n",
            "tmp/a": "word\n",
            "tmp/b": "word\n",
            "sub/.gitignore": "local\n!a.log\n",
            "sub/local": "word\n",
            "sub/a.log": "word\n",
            "local": "word\n",
            ".ignore": "local\n",
        },
    )
    found = ["keep.log", "local", "sub/a.log", "sub/build/a", "tmp/b"]
    assert search("word") == [f"{path}:1:word" for path in found]
    assert search("*", mode="files") == sorted([".gitignore", ".ignore", "sub/.gitignore", *found])


def test_ignore_files_above_the_searched_folder_count(
    search: Search, project: Path, tmp_path: Path
) -> None:
    make(tmp_path, {".gitignore": "a.txt\n"})
    make(
        project,
        {
            ".git/HEAD": "x",
            ".gitignore": "*.log\nbuild/\n/sub/no\n",
            "sub/a.txt": "word\n",
            "sub/a.log": "word\n",
            "sub/no": "word\n",
            "sub/deep/no": "word\n",
            "build/a": "word\n",
            "build/a.log": "word\n",
        },
    )
    assert search("word", path="sub") == ["sub/a.txt:1:word", "sub/deep/no:1:word"]
    # Whoever names an ignored folder wants to look into it.
    assert search("word", path="build") == ["build/a:1:word"]


def test_without_a_repository_ignore_files_above_do_not_count(
    search: Search, project: Path
) -> None:
    make(project, {".gitignore": "*.txt\n", "sub/.gitignore": "b\n", "sub/a.txt": "word\n"})
    make(project, {"sub/b": "word\n", "sub/inner/.git/HEAD": "x", "sub/inner/b": "word\n"})
    assert search("word", path="sub") == ["sub/a.txt:1:word"]


def test_globs_choose_files(search: Search, project: Path) -> None:
    make(
        project,
        {
            ".gitignore": "*.min.js\n",
            "a.py": "word\n",
            "a.js": "word\n",
            "a.min.js": "word\n",
            "src/b.py": "word\n",
            "src/b.ts": "word\n",
            "src/b.tsx": "word\n",
        },
    )

    def paths(glob: str, **arguments: Any) -> list[str]:
        return [line.partition(":")[0] for line in search("word", glob=glob, **arguments)]

    assert paths("*.py") == ["a.py", "src/b.py"]
    assert paths("*.js") == ["a.js"]
    assert paths("*.{ts,tsx}") == ["src/b.ts", "src/b.tsx"]
    assert paths("src/**/*.py") == ["src/b.py"]
    assert paths("src/*.py", path="src") == ["src/b.py"]
    assert paths("src") == ["src/b.py", "src/b.ts", "src/b.tsx"]
    assert paths("!*.py") == ["a.js", "src/b.ts", "src/b.tsx"]
    assert paths("*.py", path="a.js") == ["a.js"]
    assert search("word", glob="*.rb") == ["No matches for word in . in files *.rb"]


def test_files_are_found_by_name(search: Search, project: Path) -> None:
    make(project, {"src/App.tsx": "", "src/app_test.py": "", "lib/app.py": "", "README": ""})
    assert search("app", mode="files") == ["lib/app.py", "src/app_test.py"]
    assert search("APP", mode="files", ignore_case=True) == [
        "lib/app.py",
        "src/App.tsx",
        "src/app_test.py",
    ]
    assert search("*.py", mode="files", path="src") == ["src/app_test.py"]
    assert search("src/**", mode="files", glob="*.tsx") == ["src/App.tsx"]
    assert search("zzz", mode="files") == ["No files zzz in ."]


def test_odd_names_and_bytes_are_readable(search: Search, project: Path) -> None:
    make(project, {"a\nb:1:.txt": "word\n", "-e": "word\n", "z.txt": b"caf\xe9 word\n"})
    assert search("word") == [
        "-e:1:word",
        "a \u21b5 b:1:.txt:1:word",
        "z.txt:1:caf\ufffd word",
    ]
    assert search("word", path="-e") == ["-e:1:word"]


def test_a_single_file_may_be_searched(search: Search, project: Path) -> None:
    make(project, {".gitignore": "*.log\n", "a.log": "one\ntwo word\n", "b.txt": "word\n"})
    assert search("word", path="a.log") == ["a.log:2:two word"]


def test_case_is_overlooked_on_request(search: Search, project: Path) -> None:
    make(project, {"a": "WORD\n\xc9T\xc9\n"})
    assert search("word") == ["No matches for word in ."]
    assert search("word", ignore_case=True) == ["a:1:WORD"]
    assert search("\xe9t\xe9", ignore_case=True) == ["a:2:\xc9T\xc9"]


def test_long_lines_are_shown_around_the_match(search: Search, project: Path) -> None:
    make(project, {"a": "\xe9" * 5_000 + "word" + "x" * 5_000 + "\n"})
    (line,) = search("word")
    assert line == "a:1:…" + "\xe9" * 100 + "word" + "x" * 196 + "…"


def test_results_are_bounded_in_number(search: Search, project: Path) -> None:
    make(project, {f"{name}.txt": "word\n" * 60 for name in "abc"})
    lines = search("word")
    assert lines[:100] == [f"a.txt:{n}:word" for n in range(1, 61)] + [
        f"b.txt:{n}:word" for n in range(1, 41)
    ]
    assert lines[100:] == ["[the first 100 results; there are more, so narrow the search]"]
    assert len(search("word", limit=1_000)) == 180
    assert len(search("word", limit=0)) == 2
    assert search("*", mode="files", limit=2)[2:] == [
        "[the first 2 results; there are more, so narrow the search]"
    ]


def test_results_are_bounded_in_size(
    search: Search, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_TOTAL", 100)
    make(project, {"a": ("word " * 8 + "\n") * 50})
    assert len(search("word")) == 3


def test_patterns_of_the_other_dialect_work(search: Search, project: Path) -> None:
    make(project, {"a": "foobar\nfoobaz\nabab\n"})
    assert search("foo(?!bar)") == ["a:2:foobaz"]
    assert search(r"(ab)\1") == ["a:3:abab"]


def test_a_wrong_pattern_is_explained(search: Search) -> None:
    with pytest.raises(ToolError, match=r"not a regular expression: .*Put \\ before"):
        search("find(")
    with pytest.raises(ToolError, match="each line is searched alone"):
        search("a\\nb")
    with pytest.raises(ToolError, match="each line is searched alone"):
        search("a\nb")
    with pytest.raises(ToolError, match="empty"):
        search("")
    with pytest.raises(ToolError, match="not a glob"):
        search("a", glob="{a,b}" * 20)


def test_a_missing_folder_is_told(search: Search, project: Path) -> None:
    (project / "source").mkdir()
    with pytest.raises(ToolError, match=r"sourc does not exist\. Did you mean source\?"):
        search("a", path="sourc")


def test_an_interrupt_ends_a_search(engine: ToolContext, project: Path) -> None:
    make(project, {"a": "word\n"})
    prepared = search_files.prepare(engine, {"pattern": "word"})
    engine.interrupt.set()
    with pytest.raises(Interrupted):
        prepared.run(ignore)


def test_a_pattern_that_never_ends_is_ended(
    ctx: ToolContext, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIME_LIMIT", 1.5)
    make(project, {"a": "found ab\n", "b": "a" * 40 + "\n"})
    (tmp_path / "programs").mkdir()
    alone = on_path(ctx, tmp_path / "programs")
    text = search_files.prepare(alone, {"pattern": "(a+)+b"}).run(ignore).text
    assert "[incomplete: ended after 2 s; narrow path or glob]" in text


def test_a_program_that_came_with_the_project_is_not_run(ctx: ToolContext, project: Path) -> None:
    make(project, {"bin/rg": "#!/bin/sh\ntouch ran\n", "a.txt": "word\n"})
    (project / "bin/rg").chmod(0o755)
    text = search_files.prepare(on_path(ctx, project / "bin"), {"pattern": "word"}).run(ignore).text
    assert text == "a.txt:1:word"
    assert not (project / "ran").exists()


def test_a_ripgrep_that_fails_is_replaced(ctx: ToolContext, project: Path, tmp_path: Path) -> None:
    make(tmp_path, {"programs/rg": "#!/bin/sh\necho 'rg: unrecognized flag' >&2\nexit 2\n"})
    (tmp_path / "programs/rg").chmod(0o755)
    make(project, {"a.txt": "word\n"})
    broken = on_path(ctx, tmp_path / "programs")
    assert search_files.prepare(broken, {"pattern": "word"}).run(ignore).text == "a.txt:1:word"


def test_titles_and_action(ctx: ToolContext, project: Path) -> None:
    prepared = search_files.prepare(ctx, {"pattern": "a\tb", "glob": "*.py", "path": "src"})
    assert prepared.title == r"Search for a\tb in src (*.py)"
    assert prepared.action.kind == "read"
    assert prepared.action.paths == (project / "src",)
    prepared = search_files.prepare(ctx, {"pattern": "*.py", "mode": "files"})
    assert prepared.title == "Find files *.py in ."


def test_both_engines_agree_on_a_real_repository(
    ctx: ToolContext, ripgrep: str, tmp_path: Path
) -> None:
    root = Path(__file__).parents[3]
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    (tmp_path / "with/rg").symlink_to(ripgrep)
    for arguments in (
        {"pattern": r"def \w+_file\(", "limit": 1000},
        {"pattern": "IMPORT", "ignore_case": True, "glob": "*.toml"},
        {"pattern": r"^\s+return$", "glob": "hermes_core/**/*.py", "limit": 1000},
        {"pattern": "*", "mode": "files", "limit": 1000},
    ):
        answers = [
            search_files.prepare(on_path(ctx, tmp_path / name), {**arguments, "path": str(root)})
            .run(ignore)
            .text
            for name in ("with", "without")
        ]
        assert answers[0] == answers[1]
        assert len(answers[0]) > 200


def test_a_repository_in_a_repository_has_its_own_ignore_files(
    search: Search, project: Path
) -> None:
    make(project, {".git/HEAD": "x", ".gitignore": "*.log\n", "a.log": "word\n"})
    make(project, {"inner/.git/HEAD": "x", "inner/.gitignore": "*.txt\n"})
    make(project, {"inner/sub/a.txt": "word\n", "inner/sub/a.log": "word\n"})
    assert search("word") == ["inner/sub/a.log:1:word"]
    assert search("word", path="inner/sub") == ["inner/sub/a.log:1:word"]


def test_what_secret_files_hold_is_shown_only_where_the_path_names_them(
    ctx: ToolContext, project: Path
) -> None:
    for name in (".env", "a.txt", "keys/prod.pem"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("token = 1\n")
    careful = replace(ctx, is_secret=lambda path: path.name in (".env", "prod.pem"))

    def search(**arguments: Any) -> str:
        return search_files.prepare(careful, {"pattern": "token", **arguments}).run(ignore).text

    assert search() == "a.txt:1:token = 1"
    assert search(path="keys") == search(path="keys", pattern="other").replace("other", "token")
    assert search(path=".env") == ".env:1:token = 1"
    assert ".env" in search(pattern="*", mode="files")


def test_a_root_swapped_for_a_link_is_not_searched(
    ctx: ToolContext, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("token\n")
    (project / "src").mkdir()
    prepared = search_files.prepare(ctx, {"pattern": "token", "path": "src"})
    (project / "src").rmdir()
    (project / "src").symlink_to(outside)
    with pytest.raises(ToolError, match="no longer where the path leads"):
        prepared.run(ignore)
