"""Every slash command, in the order in which people are told of them.

A verb's own file holds what it does; what it shares with ``hermes x`` stands there too.
"""

from collections.abc import Mapping

from hermes_core.commands.help import help_text
from hermes_core.commands.mode import describe_modes, find_mode
from hermes_core.commands.seat import Command, Prompts, Remark, Seat
from hermes_core.ground.errors import HermesError


def _help(seat: Seat, _argument: str) -> str:
    return help_text(
        cwd=seat.cwd,
        model=seat.model(),
        mode=seat.mode,
        tools=seat.tools(),
        commands=[(command.usage, command.description) for command in COMMANDS.values()],
        more=_own_prompts(seat),
    )


def _own_prompts(seat: Seat) -> str:
    from hermes_core.commands.templates import templates_text
    from hermes_core.local.templates import read_templates

    try:
        home = seat.config().home
    except HermesError:  # said under "Model" already
        return ""
    return templates_text(read_templates(home, frozenset(COMMANDS)))


def _mode(seat: Seat, argument: str) -> str:
    if not argument:
        return describe_modes(seat.mode)
    mode = find_mode(argument)
    seat.set_mode(mode)
    return describe_modes(mode)


LOGIN = "login"
"""The command that people may type a key with."""

_MODEL_HELP = (
    "`/model NAME` uses another model in this session, `/model NAME --provider P` another provider "
    "too; `/model list WORD` searches the provider's models."
)


def _model(seat: Seat, argument: str) -> str:
    from hermes_core.commands.model import model_text, named_model, offer, offer_text, read_words

    words, provider = read_words(argument.split())
    if words and words[0] == "list":
        name = provider or seat.runtime().provider
        query = " ".join(words[1:])
        return offer_text(offer(seat.config(), name, query, interrupt=seat.interrupt))
    if not words and provider is None:
        return f"{model_text(seat.runtime())}\n\n{_MODEL_HELP}"
    runtime = seat.choose(provider, named_model(words))
    return f"This session goes on with {model_text(runtime)}"


def _provider(seat: Seat, argument: str) -> str:
    from hermes_core.commands.fallback import chain_names
    from hermes_core.commands.providers import provider_text

    if len(argument.split()) > 1:
        raise HermesError(
            "A provider's name has no spaces. Type `/provider NAME`; `/model NAME --provider P` "
            "takes a model too."
        )
    if argument:
        return _model(seat, f"--provider={argument}")
    return provider_text(seat.runtime(), chain_names(seat.config()))


def _providers(seat: Seat, _argument: str) -> str:
    from hermes_core.commands.providers import providers_text

    return providers_text(seat.config())


def _login(seat: Seat, argument: str) -> Remark:
    from hermes_core.commands.login import run_login

    return run_login(seat, argument)


def _fallback(seat: Seat, argument: str) -> str:
    from hermes_core.commands.fallback import run_fallback

    said, changed = run_fallback(seat.config(), argument.split())
    if changed:
        seat.configure(seat.config())
    return said


def _queue(seat: Seat, argument: str) -> str | Prompts:
    from hermes_core.commands.queue import run_queue

    return run_queue(seat, argument)


def _steer(seat: Seat, argument: str) -> Remark | Prompts:
    from hermes_core.commands.steer import run_steer

    return run_steer(seat, argument)


def _stop(seat: Seat, _argument: str) -> Remark:
    from hermes_core.commands.stop import run_stop

    return run_stop(seat)


def _retry(seat: Seat, _argument: str) -> Prompts:
    from hermes_core.commands.retry import run_retry

    return run_retry(seat)


def _memory(seat: Seat, argument: str) -> str:
    from hermes_core.commands.memory import run_memory

    return run_memory(seat.config(), argument)


def _prompt(seat: Seat, argument: str) -> str:
    from hermes_core.commands.prompt import run_prompt

    return run_prompt(seat.agent.system_prompt, seat.agent.tool_schemas, argument)


def _approvals(seat: Seat, argument: str) -> str:
    from pathlib import Path

    from hermes_core.commands.approvals import choose_opinion, run_approvals

    verb, _, word = argument.strip().partition(" ")
    if verb == "second-opinion":
        return choose_opinion(seat.agent, word.strip().lower())
    agent = seat.agent
    looked_at = agent.second_opinion
    return run_approvals(agent.rules, argument, Path(seat.cwd), looked_at=looked_at)


def _sandbox(seat: Seat, _argument: str) -> str:
    from hermes_core.commands.sandbox import sandbox_text, terminals_text

    config = seat.config()
    there = seat.agent.terminals is not None
    texts = (sandbox_text(config.sandbox_mode), terminals_text(config, there=there))
    return "\n".join(filter(None, texts))


def _mcp(seat: Seat, argument: str) -> str:
    from hermes_core.commands.mcp import run_mcp

    return run_mcp(seat, argument)


def _skills(seat: Seat, _argument: str) -> str:
    from hermes_core.commands.skills import skills_text

    return skills_text(seat.config())


def _sessions(seat: Seat, argument: str) -> str:
    from hermes_core.commands.sessions import run_sessions

    return run_sessions(seat, argument)


def _resume(seat: Seat, argument: str) -> str:
    from hermes_core.commands.resume import run_resume

    return run_resume(seat, argument)


def _title(seat: Seat, argument: str) -> str:
    from hermes_core.commands.title import run_title

    return run_title(seat, argument)


def _usage(seat: Seat, argument: str) -> str:
    from hermes_core.commands.usage import run_usage

    return run_usage(seat, argument)


def _undo(seat: Seat, argument: str) -> str:
    from hermes_core.commands.undo import run_undo

    return run_undo(seat, argument)


def _rewind(seat: Seat, argument: str) -> str:
    from hermes_core.commands.undo import run_rewind

    return run_rewind(seat, argument)


def _redo(seat: Seat, argument: str) -> str:
    from hermes_core.commands.undo import run_redo

    return run_redo(seat, argument)


def _checkpoints(seat: Seat, argument: str) -> str:
    from hermes_core.commands.undo import run_checkpoints

    return run_checkpoints(seat, argument)


def _plan(seat: Seat, argument: str) -> str | Prompts:
    from hermes_core.commands.plan import run_plan

    return run_plan(seat, argument)


def _init(seat: Seat, argument: str) -> Prompts:
    from hermes_core.commands.init import run_init

    return run_init(seat, argument)


def _new(seat: Seat, argument: str) -> str:
    from hermes_core.commands.new import run_new

    return run_new(seat, argument)


def _context(seat: Seat, argument: str) -> str:
    from hermes_core.commands.context import run_context

    return run_context(seat, argument)


def _tools(seat: Seat, argument: str) -> str:
    from hermes_core.commands.tools import run_tools

    return run_tools(seat, argument)


def _diff(seat: Seat, argument: str) -> str:
    from hermes_core.commands.diff import run_diff

    return run_diff(seat, argument)


def _doctor(seat: Seat, argument: str) -> str:
    from hermes_core.commands.doctor import run_doctor

    return run_doctor(seat, argument)


def _logout(seat: Seat, argument: str) -> str:
    from hermes_core.commands.logout import run_logout

    return run_logout(seat, argument)


def _compress(seat: Seat, argument: str) -> str:
    from hermes_core.commands.compress import compress_text

    return compress_text(seat.agent, argument, seat.interrupt)


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "help", "What Hermes works with here, and what can be typed", "", _help, at_once=True
        ),
        Command("steer", "Tell the running turn something", "TEXT", _steer, at_once=True),
        Command("stop", "Interrupt what runs; what waits goes on", "", _stop, at_once=True),
        Command("retry", "Send the last message again", "", _retry),
        Command(
            "queue",
            "Show the messages that wait, forget them, or send those left over",
            "drop N | clear | run",
            _queue,
            at_once=True,
        ),
        Command(
            "compress",
            "Summarise the conversation now, to make room in the model's window",
            "what matters most",
            _compress,
        ),
        Command("context", "Show what fills the model's window", "", _context, at_once=True),
        Command(
            "approvals",
            "List what is always allowed or rejected, take a rule out, judge a command, or have a "
            "model look too",
            "revoke NUMBER | check COMMAND | second-opinion on|off",
            _approvals,
            at_once=True,
        ),
        Command("sandbox", "Tell what commands are held by", "", _sandbox),
        Command("mode", "Show the modes, or change to one", "NAME", _mode, at_once=True),
        Command("plan", "Change to plan mode, and send a text there", "TEXT", _plan),
        Command("init", "Have an AGENTS.md written from this repository", "WISHES", _init),
        Command(
            "model",
            "Show the model, or use another one in this session",
            "NAME --provider P",
            _model,
        ),
        Command(
            "provider",
            "Show the provider and why it is used, or use another one",
            "NAME",
            _provider,
        ),
        Command(
            "providers",
            "List the providers, and what each needs",
            "",
            _providers,
            at_once=True,
        ),
        Command(LOGIN, "Log in with a provider, or tell how to", "PROVIDER", _login, at_once=True),
        Command(
            "logout",
            "Forget what is stored for a provider; list it without a name",
            "PROVIDER",
            _logout,
        ),
        Command(
            "fallback",
            "List the fallbacks, or change them",
            "add PROVIDER MODEL",
            _fallback,
        ),
        Command(
            "memory",
            "Show what is remembered, add to it, or forget an entry",
            "add TEXT | forget NUMBER",
            _memory,
            at_once=True,
        ),
        Command(
            "mcp",
            "Show the MCP servers and their tools, or start one anew",
            "NAME | restart NAME",
            _mcp,
            at_once=True,
        ),
        Command("skills", "List your notes on how tasks are done", "", _skills, at_once=True),
        Command("tools", "List what the model is offered", "NAME", _tools, at_once=True),
        Command("prompt", "Show what each part of the prompt takes", "full", _prompt),
        Command("new", "Tell how a new session is opened", "", _new, at_once=True),
        Command(
            "sessions",
            "List this folder's sessions, or search all of them",
            "WORD",
            _sessions,
            at_once=True,
        ),
        Command(
            "resume",
            "Go on with a copy of another session, where this one is still empty",
            "SESSION",
            _resume,
        ),
        Command("title", "Show the session's title, or change it", "TEXT", _title, at_once=True),
        Command("usage", "Tokens, calls and cost of this session", "", _usage, at_once=True),
        Command("diff", "Show what this session has changed in files", "PATH", _diff),
        Command("undo", "Take the last turn back, files included", "NUMBER OF TURNS", _undo),
        Command("rewind", "Go back to before any message, files included", "NUMBER", _rewind),
        Command("redo", "Take the last undoing back", "", _redo),
        Command("doctor", "Check the settings, as `hermes doctor` does", "", _doctor, at_once=True),
        Command("checkpoints", "List what can be gone back to", "", _checkpoints, at_once=True),
    )
}
