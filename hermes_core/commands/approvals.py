"""``approvals``: the rules that last, and what the engine says of a command. Nothing is run."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.approval.commands import DEFAULT_PATH, CommandVerdict, judge_command
from hermes_core.approval.rules import Rule, Rules
from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.local.config import hermes_home
from hermes_core.local.workspace import Workspace
from hermes_core.tools.visible import code, one_line

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent

_WORDS = {
    "safe": "It runs without a question.",
    "ask": "A person has to see it first.",
    "forbid": "It is refused in every mode.",
}
USAGE = "`list`, `revoke NUMBER`, `check COMMAND` and `second-opinion on|off`"
LOOKED_AT = "A model looks at what would run without a question, and may have you asked."
_WIDEST = 500
"""Characters of one program's words that are shown."""

_NONE = (
    "There are no rules: nobody has answered a question with always. Harmless commands, and reads"
    " inside the workspace, run without one."
)


def run_approvals(rules: Rules, argument: str, cwd: Path, *, looked_at: bool = False) -> str:
    """Run ``approvals ARGUMENT`` and return what to say. Raises ``HermesError``.

    looked_at: whether a second opinion is asked for.
    """
    verb, _, rest = argument.strip().partition(" ")
    rest = rest.strip()
    match verb:
        case "" | "list":
            return rules_text(rules, looked_at=looked_at)
        case "revoke":
            return revoke_rule(rules, rest)
        case "check" if rest:
            return verdict_text(check_command(rest, cwd), looked_at=looked_at)
        case _:
            raise HermesError(f"That is not understood. There are: {USAGE}.")


def choose_opinion(agent: "AIAgent", word: str) -> str:
    """Switch the second opinion of a session on or off, or tell how it stands."""
    if word not in ("", "on", "off"):
        raise HermesError("A second opinion is `on` or `off`: `second-opinion on`.")
    if word:
        agent.choose_second_opinion(word == "on")
    if agent.second_opinion:
        return LOOKED_AT
    return "No model looks at what would run without a question: `second-opinion on`."


def rules_text(rules: Rules, *, looked_at: bool = False) -> str:
    """Return all rules as Markdown, with their numbers, and what of the files is no rule.

    looked_at: whether a second opinion is asked for.
    """
    listed = [f"{number}. {rule_text(rule)}" for number, rule in enumerate(rules.all(), 1)]
    problems = [f"- {one_line(problem)}" for problem in rules.problems()]
    parts = ["\n".join(listed) or _NONE]
    if listed:
        parts.append("`revoke NUMBER` takes one out; then it asks again.")
    if looked_at:
        parts.append(LOOKED_AT)
    if problems:
        parts.append("\n".join(["These do not count:", "", *problems]))
    return "\n\n".join(parts)


def rule_text(rule: Rule) -> str:
    """Return a rule in words, as Markdown on one line."""
    what = code(one_line(rule.what))
    effect = one_line(rule.effect)
    subject = {
        "command": f"the command {what}, while it {effect}" if effect else f"the command {what}",
        "program": f"{what} where it {effect}" if effect else what,
        "edit": f"edits of {what}",
        "read": f"reading {what}",
        "host": f"reading pages of {what}",
    }.get(rule.kind, effect or what)
    since = f" (since {one_line(rule.since)})" if rule.since else ""
    verb = "allow" if rule.answer == "allow" else "reject"
    return f"always {verb} {subject}, in {code(one_line(rule.workspace))}{since}"


def revoke_rule(rules: Rules, number: str) -> str:
    """Forget the rule of this number; return what to say. Raises ``HermesError``."""
    if not (number.isascii() and number.isdigit()):
        given = f"{one_line(number)[:40]!r} is no number. " if number else ""
        raise HermesError(f"{given}Name a rule by its number: `revoke 1`. `list` numbers them.")
    return f"Revoked: {rule_text(rules.revoke(int(number[:9])))}"


def check_command(command: str, cwd: Path) -> CommandVerdict:
    """Judge a command as a session in the folder ``cwd`` would, with this process's PATH."""
    try:
        own = hermes_home()
    except ConfigError:
        own = None
    path = os.environ.get("PATH") or DEFAULT_PATH
    return judge_command(command, Workspace(cwd), own=own, path=path)


def check_lines(lines: Iterable[str], cwd: Path) -> Iterator[str]:
    """Judge one JSON object a line, with ``cmd`` and perhaps ``cwd``; yield one JSON object each.

    Lone surrogates in ``cmd`` stand for raw bytes. A line that is no such object asks.
    """
    for line in lines:
        if line.strip():
            yield json.dumps(_answer(line, cwd))


def verdict_object(verdict: CommandVerdict) -> dict[str, Any]:
    """Return a verdict as an object for JSON."""
    return {
        "verdict": verdict.verdict,
        "reasons": list(verdict.reasons),
        "programs": [list(argv) for argv in verdict.programs],
        "rule": verdict.rule,
        "writes": list(verdict.writes),
        "network": verdict.network,
        "scope": str(verdict.scope) if verdict.scope else "",
    }


def verdict_text(verdict: CommandVerdict, *, looked_at: bool = False) -> str:
    """Return a verdict in words. looked_at: whether a second opinion is asked for."""
    rule = f" ({verdict.rule})" if verdict.rule else ""
    lines = [f"{verdict.verdict}{rule}: {_WORDS[verdict.verdict]}"]
    if verdict.verdict == "safe" and not verdict.plain:
        lines.append("Where no sandbox holds commands (see `/sandbox`), it asks.")
    if verdict.verdict == "safe" and looked_at:
        lines.append(LOOKED_AT)
    lines += [f"- {reason}" for reason in verdict.reasons]
    if verdict.programs:
        lines.append("It would run:")
        lines += [f"  {_shown(argv)}" for argv in verdict.programs]
    if verdict.network:
        lines.append("It reaches the network.")
    return "\n".join(lines)


def _shown(argv: Sequence[str]) -> str:
    words = one_line(shlex.join(argv))
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 1]}…"


def _answer(line: str, cwd: Path) -> dict[str, Any]:
    try:
        given = json.loads(line)
        command, folder = given["cmd"], given.get("cwd") or ""
        if not isinstance(command, str) or not isinstance(folder, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = "The line is no JSON object whose `cmd` is a text."
        return verdict_object(CommandVerdict("ask", (reason,), unclear=True))
    return verdict_object(check_command(command, cwd / folder))
