"""Subcommands of git that change the repository or reach a remote: they ask, by their effect.

Only what is written here can be allowed for good as "the same thing again".
"""

from hermes_core.approval.model import Model

_HOOKS = "changes the repository and may run its hooks"
_INDEX = "changes what is staged"
_REMOTE = "reaches a remote repository"


def _change(options: str, operands: str, effect: str, *, network: bool = False) -> Model:
    return Model(options, operands, effect=effect, git=True, worktree=True, network=network)


GIT_CHANGES: dict[str, Model] = {
    "add": _change("-A -u -n -v -N --all --update --dry-run --verbose", "rev*", _INDEX),
    "commit": _change(
        "-a -m:any -q -v -s --all --message:any --quiet --verbose --signoff --allow-empty",
        "rev*",
        _HOOKS,
    ),
    "fetch": _change("-p -q -v --all --prune --tags --quiet --verbose", "", _REMOTE, network=True),
    "pull": _change(
        "-q -v --ff-only --rebase --quiet --verbose", "", f"{_REMOTE} and {_HOOKS}", network=True
    ),
    "push": _change("-q -v --quiet --verbose", "", f"{_REMOTE} and sends to it", network=True),
    "switch": _change("-c: -q --create: --quiet", "rev", _HOOKS),
}
