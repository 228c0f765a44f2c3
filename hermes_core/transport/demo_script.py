"""What the scripted model says: a pure function of the conversation that it is sent.

It finds a bug in ``stats.py``, fixes it and runs the tests. Asked in a place where there is no
such file, it proposes to write one into ``hermes-demo/`` first. All that it knows it has from
the results of its own tool calls, as a real model would.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FOLDER = "hermes-demo"
GOODBYE = "This was the scripted demo."

STATS = '''\
"""Averages of a list of numbers."""


def median(values):
    """Return the middle value; of an even number of values, the mean of the two in the middle."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
'''

TESTS = '''\
"""Run with: python3 test_stats.py"""

from stats import median

assert median([3, 1, 2]) == 2
assert median([4, 1, 3, 2]) == 2.5, f"median([4, 1, 3, 2]) is {median([4, 1, 3, 2])}, not 2.5"
print("all tests passed")
'''

_BUG = re.compile(r"^( *)return (\w+)\[len\(\2\) // 2\]", re.MULTILINE)
_FOUND = re.compile(r"(?:^|[\s`(])(?:\./)?((?:hermes-demo/)?)stats\.py\b", re.MULTILINE)
_REJECTED = ("rejected", "declined", "denied", "refused", "approval")
_PLAN = ("Find the bug", "Fix it", "Run the tests")


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call of the scripted model."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One answer: reasoning, then text, then calls; each may be empty."""

    reasoning: str = ""
    text: str = ""
    calls: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class _Turn:
    """What happened since the newest user message."""

    prompt: str = ""
    again: bool = False
    done: list[tuple[Use, str]] = field(default_factory=list)
    last: tuple[str, ...] = ()

    def results(self, name: str) -> list[tuple[Use, str]]:
        return [(use, result) for use, result in self.done if use.name == name]

    @property
    def rejected(self) -> bool:
        """Whether the newest calls include one that was not allowed."""
        newest = self.done[len(self.done) - len(self.last) :]
        return any(
            word in result.lower()
            for use, result in newest
            if use.name in ("patch", "write_file", "terminal")
            for word in _REJECTED
        )


def answer(messages: Sequence[Mapping[str, Any]]) -> Part:
    """Return the next answer to ``messages``, which are in the chat completions form."""
    turn = _read(messages)
    if turn.again:
        return _encore()
    if not turn.last:
        return _open(turn)
    if turn.rejected:
        return _after_rejection(turn)
    for name, following in _FOLLOWING.items():
        if name in turn.last:
            return following(turn)
    return Part(text=f"That is all I was written to do. {GOODBYE}")


def _read(messages: Sequence[Mapping[str, Any]]) -> _Turn:
    newest = max((i for i, m in enumerate(messages) if m.get("role") == "user"), default=-1)
    again = any(GOODBYE in _text(m) for m in messages[:newest] if m.get("role") == "assistant")
    results = {m.get("tool_call_id"): _text(m) for m in messages if m.get("role") == "tool"}
    done: list[tuple[Use, str]] = []
    last: tuple[str, ...] = ()
    for message in messages[newest + 1 :]:
        calls = message.get("tool_calls") or []
        uses = [(_use(call), results.get(call.get("id"), "")) for call in calls]
        if uses:
            done.extend(uses)
            last = tuple(use.name for use, _ in uses)
    prompt = _text(messages[newest]) if newest >= 0 else ""
    return _Turn(prompt, again, done, last)


def _use(call: Mapping[str, Any]) -> Use:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = {}
    return Use(str(function.get("name")), arguments if isinstance(arguments, dict) else {})


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _open(turn: _Turn) -> Part:
    hello = (
        "I am a **scripted model**: my words were written beforehand, so that you can see how "
        "Hermes works without a key. The tools and what they do are real.\n\n"
    )
    if "median" in turn.prompt or "stats.py" in turn.prompt:
        looking = _look("", hello + "I read the code and its tests first.")
        plan = _plan("in_progress", "pending", "pending")
        return Part(looking.reasoning, looking.text, (plan, *looking.calls))
    return Part(
        "There may be no bug for me here. I look whether the file I know is in this project, "
        "before I propose anything.",
        hello + "I look for the one file I know how to mend.",
        (
            _plan("in_progress", "pending", "pending"),
            Use("search_files", {"pattern": "def median", "glob": "stats.py"}),
        ),
    )


def _look(folder: str, text: str) -> Part:
    return Part(
        "A median is the middle of the sorted values. With an even number of them there is no "
        "single middle, so that is where I would expect the mistake. The tests tell what is "
        "wanted, so I read both files at once.",
        text,
        (
            Use("read_file", {"path": f"{folder}stats.py"}),
            Use("read_file", {"path": f"{folder}test_stats.py"}),
        ),
    )


def _after_search(turn: _Turn) -> Part:
    result = turn.results("search_files")[-1][1]
    found = _FOUND.search(result) if "def median(" in result else None
    if found:
        return _look(found[1], "Here it is.")
    return _propose()


def _propose() -> Part:
    return Part(
        "The file is not here. I can bring my own, in a folder that is easy to delete. That "
        "changes this project, so the user decides.",
        f"There is no such file here, so I propose to write a small one with a bug, and its "
        f"tests, into `{FOLDER}/`. You are asked before anything is written.",
        (
            Use("write_file", {"path": f"{FOLDER}/stats.py", "content": STATS}),
            Use("write_file", {"path": f"{FOLDER}/test_stats.py", "content": TESTS}),
        ),
    )


def _fix(turn: _Turn) -> Part:
    use, source = next(
        (
            (use, result)
            for use, result in reversed(turn.results("read_file"))
            if _BUG.search(result)
        ),
        (None, ""),
    )
    if use is None:
        return _nothing_to_fix(turn)
    path = str(use.arguments.get("path", "stats.py"))
    old, new = _change(source)
    return Part(
        "The last line always takes one element. For four values that is the third of them, but "
        "the mean of the second and the third is wanted.",
        "Found it: for an even number of values, `median` returns the upper one of the two in the "
        "middle, not their mean. This change mends it:",
        (Use("patch", {"path": path, "edits": [{"old": old, "new": new}]}),),
    )


def _change(source: str) -> tuple[str, str]:
    found = _BUG.search(source)
    indent, name = (found[1], found[2]) if found else ("    ", "ordered")
    lines = (
        f"middle = len({name}) // 2",
        f"if len({name}) % 2:",
        f"    return {name}[middle]",
        f"return ({name}[middle - 1] + {name}[middle]) / 2",
    )
    old = f"{indent}return {name}[len({name}) // 2]"
    return old, "\n".join(indent + line for line in lines)


def _nothing_to_fix(turn: _Turn) -> Part:
    if any("middle - 1" in result for _, result in turn.results("read_file")):
        return Part(text=f"The bug I know is mended here already. {GOODBYE}{_next_steps()}")
    if turn.results("write_file"):
        return Part(text=f"I could not write my files, so I end here. {GOODBYE}{_next_steps()}")
    return _propose()


def _run_tests(turn: _Turn) -> Part:
    use, result = turn.results("patch")[-1]
    path = str(use.arguments.get("path", "stats.py"))
    if not result.lower().startswith("edited"):
        return Part(text=f"The change could not be made:\n\n> {result[:300]}\n\n{GOODBYE}")
    tests = path.removesuffix("stats.py") + "test_stats.py"
    return Part(
        "The edit is in place. Whether it is right, the tests have to say.",
        "Now the tests. A command is shown to you as it will run.",
        (
            _plan("completed", "completed", "in_progress"),
            Use("terminal", {"command": f"python3 {tests}"}),
        ),
    )


def _after_tests(turn: _Turn) -> Part:
    if _passed(turn):
        plan = _plan("completed", "completed", "completed")
        return Part("The tests pass, so the plan is done.", "", (plan,))
    return _sum_up(turn)


def _passed(turn: _Turn) -> bool:
    return any("exit code 0" in result for _, result in turn.results("terminal"))


def _sum_up(turn: _Turn) -> Part:
    verdict = "pass" if _passed(turn) else "do **not** pass yet; their output is above"
    return Part(
        text="### Done\n\n"
        "- `median` took one of the two middle values; now it takes their mean.\n"
        f"- The tests {verdict}.\n\n"
        f"{GOODBYE}{_next_steps()}"
    )


def _after_rejection(turn: _Turn) -> Part:
    name = turn.last[-1]
    what = {
        "patch": "Then I leave the file as it is. The bug stays: `median` of an even number of "
        "values returns the upper one of the two in the middle.",
        "write_file": "Then I write nothing.",
        "terminal": "Then I do not run the tests. The change itself is made.",
    }.get(name, "Then I leave it at that.")
    return Part("", f"Understood. {what} {GOODBYE}{_next_steps()}")


def _encore() -> Part:
    return Part(
        text=f"I have only this one piece to play, and you have seen it.{_next_steps()} A new "
        "session plays it again."
    )


def _next_steps() -> str:
    return " To talk to a real model, run `hermes doctor`: it tells what to set, and where."


def _plan(*states: str) -> Use:
    steps = [{"content": text, "status": state} for text, state in zip(_PLAN, states, strict=True)]
    return Use("todo", {"steps": steps})


def _look_at_own(_: _Turn) -> Part:
    return _look(f"{FOLDER}/", "Written. From here on it goes as in any project: I read the code.")


_FOLLOWING: dict[str, Callable[[_Turn], Part]] = {
    "terminal": _after_tests,
    "patch": _run_tests,
    "write_file": _look_at_own,
    "read_file": _fix,
    "search_files": _after_search,
    "todo": _sum_up,
}
"""What comes after which call; of calls made together, the first one listed counts."""
