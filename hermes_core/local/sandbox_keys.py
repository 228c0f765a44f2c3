"""The key of ``sandbox``: what the second wall around commands is for."""

from hermes_core.local.setting import Key

SANDBOX_KEYS: tuple[Key, ...] = (
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
