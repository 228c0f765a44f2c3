"""The page of commands."""

from pathlib import Path

from hermes_core.commands.page import page
from hermes_core.commands.table import COMMANDS

PAGE = Path(__file__).parents[3] / "docs" / "commands.md"


def test_the_page_is_what_the_table_gives() -> None:
    again = (
        "write it anew: python -c 'from hermes_core.commands import page, table; "
        'open("docs/commands.md", "w").write(page.page(table.COMMANDS.values()))\''
    )
    assert PAGE.read_text(encoding="utf-8") == page(COMMANDS.values()), again


def test_every_command_says_what_it_does_and_what_may_follow() -> None:
    for command in COMMANDS.values():
        assert command.description[0].isupper()
        assert not command.description.endswith(".")
        assert command.name.isidentifier()
        assert "\n" not in command.usage + command.description
