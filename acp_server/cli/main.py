"""The program ``hermes``: reads the command line and hands over to one command."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from acp_server.cli.approvals import add_approvals_parser, run_approvals
from acp_server.cli.auth import add_auth_parser, run_auth
from acp_server.cli.console import Failure, Quit, explain, say
from acp_server.cli.editor import add_editor_parser, run_editor
from acp_server.cli.fallback import add_fallback_parser, run_fallback
from acp_server.cli.memory import add_memory_parser, run_memory
from acp_server.cli.models import add_model_parser, run_model
from acp_server.cli.printable import visible_line
from acp_server.cli.prompt import add_prompt_parser, run_prompt
from acp_server.cli.providers import run_providers
from acp_server.cli.sessions import add_sessions_parser, run_sessions
from hermes_core.ground.advice import parts_of

MODES = ("default", "accept_edits", "plan", "bypass")
INTERRUPTED = 130
USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``hermes`` with ``argv`` (without the program's name); return the exit code.

    0 went well, 1 an error (told in two lines on stderr), 130 interrupted. A wrong command line
    exits with 2, as argparse does.
    """
    refusal = platform_refusal(sys.platform)
    if refusal is not None:
        explain(*refusal)
        return 1
    try:
        return _dispatch(_parser().parse_args(argv))
    except (KeyboardInterrupt, Quit):
        return INTERRUPTED
    except Failure as failure:
        explain(failure.what, failure.next_step)
    except BrokenPipeError:
        _forget_stdout()
    except Exception as error:
        explain(*_two_lines(error))
    return 1


def platform_refusal(platform: str) -> tuple[str, str] | None:
    """Return why Hermes does not run on ``platform``, and what to do; None where it does."""
    if platform not in ("win32", "cygwin", "msys"):
        return None
    return (
        "Hermes does not run on Windows itself: it needs Linux or macOS.",
        "Install it inside WSL (https://learn.microsoft.com/windows/wsl) and start it there.",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hermes",
        description="A coding agent that lives in your editor.",
        epilog="`hermes COMMAND --help` tells the options of a command.",
        usage="hermes [-h] [--version] COMMAND ...",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(
        title="commands", prog="hermes", dest="command", metavar="COMMAND OPTIONS"
    )

    def command(name: str, words: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=words, description=words, allow_abbrev=False)

    acp = command("acp", "serve an editor over stdin and stdout (editors start this)")
    _add_model_options(acp)
    acp.add_argument("--debug", action="store_true", help="write the log to stderr as well")
    acp.add_argument("--setup", action="store_true", help="choose a provider in this terminal")

    chat = command("chat", "talk to the agent in this terminal")
    chat.add_argument(
        "prompt", nargs="*", action=OnePrompt, metavar="PROMPT", help="run one turn, then exit"
    )
    chat.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="SESSION",
        help="go on with the session of that id, its beginning, or title; else the folder's last",
    )
    chat.add_argument(
        "--continue", dest="last", action="store_true", help="go on with this folder's last session"
    )
    _add_model_options(chat)
    chat.add_argument("--cwd", metavar="DIR", help="work in DIR instead of here")
    chat.add_argument("--mode", choices=MODES, help="what runs without being asked for")

    demo = command("demo", "watch a whole session with a scripted model; needs no key")
    demo.add_argument("--keep", action="store_true", help="leave the scratch repository behind")

    command("doctor", "tell what is configured, what is missing, what to do next")
    add_editor_parser(command("editor", "put Hermes into an editor's settings, or take it out"))
    command("providers", "list the providers: what each needs and what is set up")
    add_model_parser(command("model", "search and pick provider and model, and save them"))
    add_fallback_parser(command("fallback", "list or change the providers that stand in"))
    add_sessions_parser(command("sessions", "list, search, move and delete stored sessions"))
    add_memory_parser(command("memory", "show or change what is kept for later sessions"))
    add_prompt_parser(command("prompt", "show what a new session here would send, and its cost"))
    add_approvals_parser(command("approvals", "tell what would run unasked"))
    add_auth_parser(command("auth", "log in with a provider, or store its key"))
    return parser


class OnePrompt(argparse.Action):
    """Takes the prompt as one word of the command line; several are refused with a hint."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        """Set the prompt."""
        words = list(values or ())
        if len(words) > 1:
            whole = visible_line(" ".join(words)).replace('"', "'")
            parser.error(f'put the prompt in quotes: hermes chat "{whole}"')
        setattr(namespace, self.dest, words[0] if words else None)


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--provider", metavar="P", help="the provider to use, whatever is set")
    parser.add_argument("--model", metavar="M", help="the model to use, whatever is set")


def _dispatch(arguments: argparse.Namespace) -> int:
    if arguments.version:
        from hermes_core.ground.version import __version__

        say(f"hermes {__version__}")
        return 0
    if arguments.command is None:
        _parser().print_help(sys.stderr)
        return USAGE
    return COMMANDS[arguments.command](arguments)


def _acp(arguments: argparse.Namespace) -> int:
    if arguments.setup:
        from acp_server.cli.setup import run_setup

        return run_setup(arguments.provider, arguments.model)
    from acp_server.cli.acp import run_acp

    return run_acp(arguments.provider, arguments.model, debug=arguments.debug)


def _chat(arguments: argparse.Namespace) -> int:
    from acp_server.cli.chat import ChatOptions, run_chat
    from acp_server.cli.client import agent_command

    prompt, resume = _prompt_and_session(arguments)
    chosen: list[str] = []
    for name in ("provider", "model"):
        value = getattr(arguments, name)
        if value is not None:
            chosen.append(f"--{name}={value}")
    return run_chat(
        ChatOptions(
            cwd=_folder(arguments.cwd),
            command=agent_command(*chosen),
            prompt=prompt,
            resume=resume,
            mode=arguments.mode,
        )
    )


def _prompt_and_session(arguments: argparse.Namespace) -> tuple[str | None, str | None]:
    """Return the prompt, and the session to go on with: None for a new one, empty for the last."""
    prompt, resume = arguments.prompt, arguments.resume
    if prompt is not None and not prompt.strip():
        raise Failure(
            "The prompt is empty.",
            'Ask with `hermes chat "your question"`, or run `hermes chat` for a conversation.',
        )
    if arguments.last:
        if resume:
            raise Failure(
                "--continue is this folder's last session, --resume names another one.",
                "Use one of them.",
            )
        resume = ""
    return prompt, resume


def _demo(arguments: argparse.Namespace) -> int:
    from acp_server.cli.demo import run_demo

    return run_demo(keep=arguments.keep)


def _doctor(_arguments: argparse.Namespace) -> int:
    from acp_server.cli.doctor import run_doctor

    return run_doctor()


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "acp": _acp,
    "approvals": run_approvals,
    "auth": run_auth,
    "chat": _chat,
    "demo": _demo,
    "doctor": _doctor,
    "editor": run_editor,
    "fallback": run_fallback,
    "memory": run_memory,
    "model": run_model,
    "prompt": run_prompt,
    "providers": run_providers,
    "sessions": run_sessions,
}


def _folder(chosen: str | None) -> Path:
    """Return the folder to work in, as an absolute real path."""
    try:
        folder = Path(chosen or ".").expanduser().resolve(strict=True)
    except (OSError, RuntimeError):
        folder = None
    if folder is None or not folder.is_dir():
        raise Failure(
            f"There is no folder {chosen or 'here any more'}.",
            "Name one that exists: `hermes chat --cwd DIR`.",
        )
    return folder


def _two_lines(error: Exception) -> tuple[str, str]:
    """Return an error as what happened and what to do next."""
    from hermes_core.ground.errors import HermesError
    from hermes_core.ground.secrets import REDACTOR

    text = REDACTOR.redact(str(error)).strip()
    if not isinstance(error, HermesError):
        what = f"Hermes failed ({type(error).__name__}): {text or 'no reason given'}"
        return what, "This is a fault of Hermes. Please report it with what you did before it."
    what, next_step = parts_of(text)
    return what, next_step or "`hermes doctor` tells what is configured and what is missing."


def _forget_stdout() -> None:
    """Point stdout away from a reader that is gone, so that the exit flushes into nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
