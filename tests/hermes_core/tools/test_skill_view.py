"""Skills come from the user's home alone."""

from pathlib import Path

import pytest

from hermes_core.ground.actions import NOTHING
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.files import LocalFiles
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.seen import Seen
from hermes_core.tools.skill_view import skill_view


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    folder = tmp_path / "home/skills/release"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: release\ndescription: >\n  How a\n  release is made\n---\nTag it.\n"
    )
    (folder / "steps.md").write_text("one, two")
    return ToolContext(
        Workspace(tmp_path),
        LocalFiles(),
        Config(home=tmp_path / "home"),
        Interrupt(),
        Seen(),
        "task",
        tmp_path / "home",
    )


def view(ctx: ToolContext, **arguments: str) -> str:
    prepared = skill_view.prepare(ctx, arguments)
    assert prepared.action == NOTHING
    return prepared.run(lambda _: None).text


def test_a_skill_is_read_and_its_files_too(ctx: ToolContext) -> None:
    assert view(ctx, name="release").endswith("Tag it.\n")
    assert view(ctx, name="release", file="steps.md") == "one, two"
    assert view(ctx) == "release: How a release is made"


@pytest.mark.parametrize("name", ["../release", "missing", "", ".", "release/"])
def test_an_unknown_skill_names_those_there_are(ctx: ToolContext, name: str) -> None:
    if not name:
        return
    with pytest.raises(ToolError, match="There are: release"):
        view(ctx, name=name)


@pytest.mark.parametrize(
    "file", ["../../config.yaml", "/etc/passwd", "link.md", "a\0b", "none.md", "."]
)
def test_nothing_else_is_read(ctx: ToolContext, file: str) -> None:
    (ctx.home / "config.yaml").write_text("key: secret")
    (ctx.home / "skills/release/link.md").symlink_to(ctx.home / "config.yaml")
    with pytest.raises(ToolError):
        view(ctx, name="release", file=file)


def test_a_link_is_no_skill(ctx: ToolContext, tmp_path: Path) -> None:
    foreign = tmp_path / "project/skills/evil"
    foreign.mkdir(parents=True)
    (foreign / "SKILL.md").write_text("---\ndescription: x\n---\n")
    (ctx.home / "skills/evil").symlink_to(foreign)
    assert view(ctx) == "release: How a release is made"


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("no front matter", ""),
        ("---\ndescription: [broken\n---\n", "(cannot be read: "),
        ("---\n- a list\n---\n", "(cannot be read: "),
        ("---\nname: x\n---\n", ""),
        ('---\r\ndescription: "a: b"\r\n---\r\n', "a: b"),
    ],
)
def test_front_matter_that_says_little(ctx: ToolContext, text: str, description: str) -> None:
    (ctx.home / "skills/release/SKILL.md").write_text(text, newline="")
    assert view(ctx).startswith(f"release: {description}")
