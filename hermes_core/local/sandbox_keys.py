"""Where commands run that somebody allowed, and what the second wall around commands is for."""

from hermes_core.local.setting import Key

SANDBOX_KEYS: tuple[Key, ...] = (
    Key(
        "terminal.in_editor",
        "terminal_in_editor",
        "flag",
        False,
        "Whether commands that you allowed run in terminals of the editor's own, if it has them. "
        "What runs without a question never does. `/sandbox` tells what holds.",
    ),
    Key(
        "sandbox.mode",
        "sandbox_mode",
        "choice",
        "auto",
        "What runs in the sandbox, where the system has one: every command (`auto`), those alone "
        "that run without a question (`unasked`), or none (`off`). `/sandbox` tells more.",
        choices=("auto", "unasked", "off"),
    ),
)
