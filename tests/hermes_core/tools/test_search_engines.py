import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_core.tools.search_engines import (
    Hit,
    Query,
    parse_files,
    parse_hits,
    ripgrep_command,
    shorten,
    walk_command,
)


def begin(path: str) -> dict[str, Any]:
    return {"type": "begin", "data": {"path": {"text": path}}}


def match(path: str, number: int, line: str, start: int = 0) -> dict[str, Any]:
    data = {
        "path": {"text": path},
        "lines": {"text": line},
        "line_number": number,
        "absolute_offset": 0,
        "submatches": [{"match": {"text": "x"}, "start": start, "end": start + 1}],
    }
    return {"type": "match", "data": data}


def end(path: str, binary_offset: int | None = None) -> dict[str, Any]:
    return {"type": "end", "data": {"path": {"text": path}, "binary_offset": binary_offset}}


def answer(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def test_matches_are_read_in_order() -> None:
    output = answer(
        begin("./a"),
        match("./a", 2, "x\n"),
        match("./a", 5, "\tx\r\n"),
        end("./a"),
        begin("./b/c"),
        match("./b/c", 1, "x"),
        end("./b/c"),
        {"type": "summary", "data": {}},
    )
    assert list(parse_hits(output)) == [Hit("a", 2, "x"), Hit("a", 5, "\tx"), Hit("b/c", 1, "x")]


def test_matches_in_a_file_that_proves_binary_are_dropped() -> None:
    output = answer(match("./a", 1, "x\n"), end("./a", 9), match("./b", 1, "x\n"), end("./b"))
    assert [hit.path for hit in parse_hits(output)] == ["b"]


def test_an_answer_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    output = answer(match("./a", 1, "x\n"), match("./a", 2, "x\n"))
    assert [hit.line for hit in parse_hits(output[:-10])] == [1]
    assert list(parse_files(b"./a\0./b\0./c")) == ["a", "b"]
    assert list(parse_files(b"")) == []


def test_bytes_that_are_no_text_are_read() -> None:
    record = match("./a", 1, "")
    record["data"]["path"] = {"bytes": base64.b64encode(b"./\xe9.txt").decode()}
    record["data"]["lines"] = {"bytes": base64.b64encode(b"caf\xe9 x\n").decode()}
    assert list(parse_hits(answer(record))) == [Hit("\udce9.txt", 1, "caf\ufffd x")]


@pytest.mark.parametrize("start", [0, 50, 150, 500, 880, 999])
def test_a_long_line_is_shown_around_its_match(start: int) -> None:
    line = "." * start + "x" + "." * (999 - start)
    shown = shorten(line, start)
    assert "x" in shown
    assert 300 <= len(shown) <= 302
    assert shown.startswith("…") == (start > 100)
    assert shown.endswith("…") == (start < 800)


def test_a_short_line_is_shown_whole() -> None:
    assert shorten("  x", 2) == "  x"


def test_the_call_of_ripgrep(tmp_path: Path) -> None:
    query = Query(tmp_path, "-x", names=("*.py",), ignore_case=True, limit=7)
    command = ripgrep_command("/bin/rg", query)
    assert command[0] == "/bin/rg"
    # The pattern is the value of an option, and the place begins with a dot.
    assert command[-3:] == ["--regexp", "-x", "./"]
    assert "--no-config" in command
    assert "--follow" not in command
    for option, value in (
        ("--glob", "!.git"),
        ("--type-add", "wanted:*.py"),
        ("--type", "wanted"),
        ("--max-count", "7"),
        ("--encoding", "none"),
    ):
        assert command[command.index(option) + 1] == value
    assert "--ignore-case" in command
    assert "--no-ignore-parent" in command


def test_the_call_of_ripgrep_in_a_repository_and_for_a_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "-a").touch()
    command = ripgrep_command("rg", Query(tmp_path / "-a", None))
    assert command[-3:] == ["--files", "--null", "./-a"]
    assert "--no-require-git" not in command


def run_walk(query: Query) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(walk_command(query), capture_output=True, check=False, env={})


def test_our_own_search_answers_as_ripgrep_does(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ncaf\xc3\xa9 x caf\xe9\n")
    done = run_walk(Query(tmp_path, "x", limit=5))
    assert (done.returncode, done.stderr) == (0, b"")
    first, last = (json.loads(line) for line in done.stdout.splitlines())
    assert first["type"] == "match"
    assert first["data"]["line_number"] == 2
    assert first["data"]["submatches"] == [{"start": 6, "end": 7}]
    assert last == {"type": "end", "data": {"path": {"text": "a"}, "binary_offset": None}}
    assert list(parse_hits(done.stdout)) == [Hit("a", 2, "caf\xe9 x caf\ufffd")]


def test_our_own_search_refuses_a_wrong_pattern(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    done = run_walk(Query(tmp_path, "x("))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"unterminated" in done.stderr


def test_our_own_search_loads_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n!\n")
    (tmp_path / "a.log").write_text("x")
    (tmp_path / "a.txt").write_text("x")
    command = walk_command(Query(tmp_path, None))
    assert command[:2] == [sys.executable, "-I"]
    done = subprocess.run(
        [command[0], "-I", "-X", "importtime", *command[2:]], capture_output=True, check=True
    )
    assert done.stdout == b".gitignore\0a.txt\0"
    assert b"hermes" not in done.stderr
    assert b"pathspec" in done.stderr


def test_our_own_search_hands_over_each_file_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("aab\n")
    (tmp_path / "b").write_text("a" * 60 + "\n")
    with subprocess.Popen(
        walk_command(Query(tmp_path, "(a+)+b")), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.kill()
    assert [hit.path for hit in parse_hits(first)] == ["a"]
