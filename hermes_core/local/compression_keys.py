"""The keys of ``compression``: when and how far a conversation is shortened."""

from hermes_core.local.setting import Key

COMPRESSION_KEYS: tuple[Key, ...] = (
    Key(
        "compression.enabled",
        "compression_enabled",
        "flag",
        True,
        "Whether a conversation that fills the model's window is summarised by itself. `/compress` "
        "works in any case.",
    ),
    Key(
        "compression.threshold",
        "compression_threshold",
        "number",
        0.5,
        "The part of the model's window above which that happens when a prompt comes. Within and "
        "after a turn it happens above 0.85, with a harder cut.",
        minimum=0.05,
        maximum=0.95,
    ),
    Key(
        "compression.target_ratio",
        "compression_target_ratio",
        "number",
        0.2,
        "The part of that threshold which the last messages may take beyond `protect_last_n` of "
        "them.",
        maximum=0.8,
    ),
    Key(
        "compression.protect_first_n",
        "compression_protect_first_n",
        "whole number",
        3,
        "How many messages stay at the beginning.",
        maximum=100,
    ),
    Key(
        "compression.protect_last_n",
        "compression_protect_last_n",
        "whole number",
        20,
        "How many messages stay at the end, as long as there is room for them.",
        minimum=1,
        maximum=1_000,
    ),
)
