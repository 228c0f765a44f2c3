"""``/plan``, ``/init`` and ``/new``: commands that send a prompt, or say why not."""

from pathlib import Path

from hermes_core.commands.seat import Prompt, Prompts
from hermes_core.ground.actions import Mode
from tests.hermes_core.commands.seats import run, said, seat_in


def test_plan_changes_the_mode_and_sends_the_text(tmp_path: Path) -> None:
    modes: list[Mode] = []
    seat = seat_in(tmp_path, set_mode=modes.append)
    assert run(seat, "/plan how to\ndo it") == Prompts((Prompt("how to\ndo it"),))
    assert modes == ["plan"]
    assert "/mode default" in said(seat, "/plan")
    assert modes == ["plan", "plan"]


def test_init_has_the_model_write_the_file(tmp_path: Path) -> None:
    reply = run(seat_in(tmp_path), "/init in French")
    assert isinstance(reply, Prompts)
    (prompt,) = reply.prompts
    assert "AGENTS.md" in str(prompt.content)
    assert str(prompt.content).endswith("in French")
    plain = run(seat_in(tmp_path), "/init")
    assert isinstance(plain, Prompts)
    assert "wishes" not in str(plain.prompts[0].content)


def test_init_needs_a_mode_that_writes(tmp_path: Path) -> None:
    assert "cannot be written in plan mode" in said(seat_in(tmp_path, mode="plan"), "/init")


def test_new_says_whose_part_that_is(tmp_path: Path) -> None:
    assert "Only your editor" in said(seat_in(tmp_path), "/new")
