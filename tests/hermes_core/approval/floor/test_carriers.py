import pytest

from hermes_core.approval.floor.carriers import (
    carried,
    filled,
    parallel_words,
    replaced_by_xargs,
    run_words,
)


@pytest.mark.parametrize(
    ("name", "words", "texts"),
    [
        ("git", ["-c", "alias.x=!do it", "x"], ["do it"]),
        ("git", ["submodule", "foreach", "--recursive", "do it"], ["do it"]),
        ("git", ["bisect", "run", "do", "a b"], ["do 'a b'"]),
        ("git", ["rebase", "--exec", "do it", "HEAD"], ["do it"]),
        ("git", ["rebase", "--exec=do it"], ["do it"]),
        ("git", ["filter-branch", "--tree-filter", "do it"], ["do it"]),
        ("git", ["commit", "-m", "do it"], []),
        ("tar", ["cf", "x", "--checkpoint-action=exec=do it"], ["do it"]),
        ("sed", ["1e do it", "README.md"], ["do it"]),
        ("sed", ["s/a/b/", "README.md"], []),
        ("vim", ["-c", ":!do it"], ["do it"]),
        ("vim", ["+!do it"], ["do it"]),
        ("gdb", ["-ex", "shell do it"], ["do it"]),
        ("expect", ["-c", "spawn do it"], ["do it"]),
        ("cat", ["-c", "do it"], []),
    ],
)
def test_texts_that_are_run_are_found(name: str, words: list[str], texts: list[str]) -> None:
    assert list(carried(name, words)) == texts


@pytest.mark.parametrize(
    ("name", "words", "command"),
    [
        ("poetry", ["run", "do", "it"], ["do", "it"]),
        ("uv", ["run", "--with", "x", "do"], ["do"]),
        ("npm", ["exec", "--", "do"], ["do"]),
        ("direnv", ["exec", ".", "do"], ["do"]),
        ("tmux", ["new", "-d", "do it"], ["sh", "-c", "do it"]),
        ("poetry", ["add", "do"], []),
        ("npm", ["run", "do"], []),
        ("cat", ["run", "do"], []),
        ("uv", [], []),
    ],
)
def test_commands_of_runners_are_found(name: str, words: list[str], command: list[str]) -> None:
    assert run_words(name, words) == command


@pytest.mark.parametrize(
    ("words", "token"),
    [
        (["-I", "%", "do"], "%"),
        (["-I%", "do"], "%"),
        (["-i", "do"], "{}"),
        (["--replace=@", "do"], "@"),
        (["do", "-I", "%"], ""),
        ([], ""),
    ],
)
def test_what_xargs_replaces_is_known(words: list[str], token: str) -> None:
    assert replaced_by_xargs(words) == token


def test_what_is_given_is_put_in_or_added() -> None:
    assert filled(["do", "%"], ["a", "b"], "%") == ["do", "a", "b"]
    assert filled(["sh", "-c", "do %"], ["a", "b"], "%") == ["sh", "-c", "do a b"]
    assert filled(["do"], ["a"], "") == ["do", "a"]
    assert filled(["do", "%"], [], "%") == ["do", "%"]
    assert parallel_words(["do", ":::", "a", "b"]) == ["do", "a", "b"]
    assert parallel_words(["do {}", ":::", "a"]) == ["do a"]
    assert parallel_words(["do", "it"]) == ["do", "it"]
