"""The keys of ``config.yaml`` about children that work for an agent."""

from hermes_core.local.setting import Key

DELEGATION_KEYS: tuple[Key, ...] = (
    Key(
        "delegation.max_iterations",
        "delegation_max_iterations",
        "whole number",
        50,
        "How many model calls a child of `delegate_task` may take for its task.",
        minimum=1,
    ),
    Key(
        "delegation.max_concurrent_children",
        "delegation_max_children",
        "whole number",
        3,
        "How many children of one call run side by side; more wait for their turn.",
        minimum=1,
        maximum=16,
    ),
    Key(
        "delegation.max_spawn_depth",
        "delegation_max_depth",
        "whole number",
        1,
        "How deep children may be nested: at 1 they have none of their own, at 0 there are none.",
        minimum=0,
        maximum=3,
    ),
    Key(
        "delegation.provider",
        "delegation_provider",
        "text",
        None,
        "Which provider children ask; that of the session if unset. They have no fallbacks.",
    ),
    Key(
        "delegation.model",
        "delegation_model",
        "text",
        None,
        "Which model children ask, of `delegation.provider` or else of the session's provider.",
    ),
)
