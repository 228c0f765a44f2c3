"""The scripted model's words, as a function of the conversation."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hermes_core.transport import demo_script
from hermes_core.transport.demo_script import FOLDER, GOODBYE, STATS, Part, Use, answer

Tool = Callable[[Mapping[str, Any]], str]
ASKED = "The median of an even number of values comes out wrong. Find the bug and fix it."


class Workshop:
    """Files and tools in memory, in the manner of the real ones."""

    def __init__(self, files: dict[str, str], rejects: tuple[str, ...] = ()) -> None:
        self.files = files
        self.rejects = rejects
        self.commands: list[str] = []

    def run(self, use: Use) -> str:
        if use.name in self.rejects:
            return "The user rejected this call. Nothing was run or changed."
        return str(getattr(self, use.name)(**use.arguments))

    def todo(self, steps: list[dict[str, str]]) -> str:
        return f"{len(steps)} steps"

    def read_file(self, path: str) -> str:
        return self.files.get(path) or f"There is no file {path}."

    def write_file(self, path: str, content: str) -> str:
        self.files[path] = content
        return f"Wrote {path}."

    def search_files(self, pattern: str, glob: str) -> str:
        lines = [
            f"{path}:{number}:{line}"
            for path, text in self.files.items()
            for number, line in enumerate(text.splitlines(), 1)
            if path.endswith(glob) and pattern in line
        ]
        return "\n".join(lines) or f"Nothing matches {pattern} in {glob}."

    def patch(self, path: str, edits: list[dict[str, str]]) -> str:
        for edit in edits:
            if self.files[path].count(edit["old"]) != 1:
                return "The old text is not in the file."
            self.files[path] = self.files[path].replace(edit["old"], edit["new"])
        return f"Edited {path} (1 edit)."

    def terminal(self, command: str) -> str:
        self.commands.append(command)
        folder = command.split()[1].removesuffix("test_stats.py")
        scope: dict[str, Any] = {}
        exec(self.files[f"{folder}stats.py"], scope)
        right = scope["median"]([4, 1, 3, 2]) == 2.5 and scope["median"]([3, 1, 2]) == 2
        return "all tests passed\n[exit code 0]" if right else "AssertionError\n[exit code 1]"


def talk(
    workshop: Workshop, prompt: str, messages: list[dict[str, Any]] | None = None
) -> tuple[list[Part], list[dict[str, Any]]]:
    """Play one turn to its end; return the answers and the conversation."""
    messages = [*(messages or []), {"role": "user", "content": prompt}]
    parts: list[Part] = []
    while not parts or parts[-1].calls:
        assert len(parts) < 10, "the script does not end"
        part = answer(messages)
        parts.append(part)
        calls = [
            {
                "id": f"c{len(parts)}-{n}",
                "function": {"name": use.name, "arguments": json.dumps(use.arguments)},
            }
            for n, use in enumerate(part.calls)
        ]
        messages.append({"role": "assistant", "content": part.text, "tool_calls": calls})
        messages.extend(
            {"role": "tool", "tool_call_id": call["id"], "content": workshop.run(use)}
            for call, use in zip(calls, part.calls, strict=True)
        )
    return parts, messages


def names(parts: list[Part]) -> list[list[str]]:
    return [[use.name for use in part.calls] for part in parts]


def test_in_the_scratch_project_it_mends_the_bug() -> None:
    workshop = Workshop({"stats.py": STATS, "test_stats.py": demo_script.TESTS})
    parts, _ = talk(workshop, ASKED)
    assert names(parts) == [
        ["todo", "read_file", "read_file"],
        ["patch"],
        ["todo", "terminal"],
        ["todo"],
        [],
    ]
    assert workshop.commands == ["python3 test_stats.py"]
    assert "scripted model" in parts[0].text
    assert all(part.reasoning for part in parts[:-1])
    assert "The tests pass" in parts[-1].text
    plan = [use for part in parts for use in part.calls if use.name == "todo"]
    assert all(len(use.arguments["steps"]) == 3 for use in plan)
    assert {step["status"] for step in plan[-1].arguments["steps"]} == {"completed"}


def test_elsewhere_it_proposes_files_of_its_own_first() -> None:
    workshop = Workshop({"README.md": "hello"})
    parts, _ = talk(workshop, "hello there")
    assert names(parts) == [
        ["todo", "search_files"],
        ["write_file", "write_file"],
        ["read_file", "read_file"],
        ["patch"],
        ["todo", "terminal"],
        ["todo"],
        [],
    ]
    assert "scripted model" in parts[0].text
    assert workshop.commands == [f"python3 {FOLDER}/test_stats.py"]
    assert set(workshop.files) == {"README.md", f"{FOLDER}/stats.py", f"{FOLDER}/test_stats.py"}


def test_asked_for_the_bug_where_there_is_no_such_file_it_proposes_too() -> None:
    workshop = Workshop({})
    parts, _ = talk(workshop, ASKED)
    assert names(parts)[1] == ["write_file", "write_file"]
    assert "The tests pass" in parts[-1].text


@pytest.mark.parametrize("folder", ["", f"{FOLDER}/"])
def test_elsewhere_it_finds_the_file_if_it_is_there(folder: str) -> None:
    files = {f"{folder}stats.py": STATS, f"{folder}test_stats.py": demo_script.TESTS}
    parts, _ = talk(Workshop(files), "hello")
    assert ["write_file", "write_file"] not in names(parts)
    assert "The tests pass" in parts[-1].text


def test_a_strangers_file_of_that_name_is_not_touched() -> None:
    theirs = "def median(numbers):\n    return 0\n"
    workshop = Workshop({"stats.py": theirs, "src/stats.py": theirs})
    talk(workshop, ASKED)
    assert workshop.files["stats.py"] == theirs
    assert f"{FOLDER}/stats.py" in workshop.files


def test_a_bug_that_is_mended_already_is_left_alone() -> None:
    workshop = Workshop({"stats.py": STATS, "test_stats.py": demo_script.TESTS})
    talk(workshop, ASKED)
    before = dict(workshop.files)
    parts, _ = talk(workshop, ASKED)
    assert workshop.files == before
    assert "mended here already" in parts[-1].text


@pytest.mark.parametrize("tool", ["patch", "terminal", "write_file"])
def test_a_rejection_is_taken_politely_and_ends_it(tool: str) -> None:
    files = {} if tool == "write_file" else {"stats.py": STATS, "test_stats.py": "x"}
    workshop = Workshop(files, rejects=(tool,))
    parts, _ = talk(workshop, ASKED)
    assert parts[-1].text.startswith("Understood.")
    assert workshop.commands == []
    if tool == "patch":
        assert workshop.files["stats.py"] == STATS


class BrokenPython(Workshop):
    def terminal(self, command: str) -> str:
        return f"{command}: command not found\n[exit code 127]"


def test_tests_that_fail_are_not_said_to_pass() -> None:
    parts, _ = talk(BrokenPython({"stats.py": STATS, "test_stats.py": "x"}), ASKED)
    assert "do **not** pass" in parts[-1].text


def test_asked_again_it_says_that_it_knows_only_this() -> None:
    workshop = Workshop({"stats.py": STATS, "test_stats.py": "x"})
    _, messages = talk(workshop, ASKED)
    parts, _ = talk(workshop, "and now?", messages)
    assert names(parts) == [[]]
    assert GOODBYE not in parts[0].text


def test_a_prompt_may_come_in_parts() -> None:
    content = [{"type": "text", "text": "look at the "}, {"type": "text", "text": "median"}]
    assert answer([{"role": "user", "content": content}]).calls[1].name == "read_file"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system", "content": "x"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [{"id": "1"}]}],
        [
            {"role": "user", "content": "a"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": "{"}}]},
        ],
    ],
)
def test_whatever_it_is_sent_it_answers(messages: list[dict[str, Any]]) -> None:
    part = answer(messages)
    assert part.text or part.calls
