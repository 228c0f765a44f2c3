"""The help says what is in use and what can be typed."""

from hermes_core.commands.help import help_text


def test_the_help_names_folder_model_mode_tools_and_commands() -> None:
    text = help_text(
        cwd="/w/project",
        model="gpt-x through openrouter",
        mode="accept_edits",
        tools=["read_file", "patch"],
        commands=[("help", "this text"), ("mode NAME", "change the mode")],
    )
    for part in (
        "`/w/project`",
        "gpt-x through openrouter",
        "`accept_edits` (now)",
        "`read_file`, `patch`",
        "- `/mode NAME`: change the mode",
    ):
        assert part in text
