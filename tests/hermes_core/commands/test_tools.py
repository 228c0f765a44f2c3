"""``/tools``: what the model is offered."""

from pathlib import Path
from typing import Any, cast

from hermes_core.commands.tools import tools_text
from tests.hermes_core.commands.seats import said, seat_in


def schema(name: str, description: str) -> dict[str, Any]:
    about = {"name": name, "description": description, "parameters": {"type": "object"}}
    return {"type": "function", "function": about}


class Agent:
    """An agent with two tools, one of them with a name that somebody else gave."""

    tool_schemas = (
        schema("read_file", "Read a file. More of it."),
        schema("odd|\x1bname", "A | b ``` " + "long " * 50),
    )


def test_tools_are_listed_with_their_sizes() -> None:
    lines = tools_text(Agent.tool_schemas).splitlines()
    assert lines[2].startswith("| `read_file` | ")
    assert lines[2].endswith(" | Read a file |")
    assert "\x1b" not in "\n".join(lines)
    assert "A \\| b" in lines[3]
    assert "…" in lines[3]
    assert "**2 together**" in lines[4]


def test_there_may_be_none() -> None:
    assert tools_text([]) == "The model is offered no tools."


def test_one_is_shown_whole(tmp_path: Path) -> None:
    seat = seat_in(tmp_path, cast("Any", Agent()))
    assert "More of it." in said(seat, "/tools read_file")
    assert '"type": "object"' in said(seat, "/tools `read_file`")
    wrong = said(seat, "/tools raed")
    assert "no tool 'raed'" in wrong
    assert "`read_file`" in wrong
