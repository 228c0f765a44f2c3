"""``hermes auth``: a key or a login for a provider. No key is ever an argument, or shown."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_server.cli.console import Failure, is_terminal, say
from acp_server.cli.printable import visible_line
from acp_server.cli.providers import settings

if TYPE_CHECKING:
    from hermes_core.local.config import Config

MAX_KEY = 20_000


def add_auth_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes auth`` its verbs and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, words: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=words, description=words, allow_abbrev=False)
        if name != "status":
            made.add_argument("provider", metavar="PROVIDER")
        return made

    login = verb("login", "log in with a code, or paste an API key")
    ways = login.add_mutually_exclusive_group()
    ways.add_argument("--key", action="store_true", help="paste a key (it is asked for, hidden)")
    ways.add_argument("--key-stdin", action="store_true", help="read a key from stdin")
    ways.add_argument("--device", action="store_true", help="log in with a code on a web page")
    login.add_argument("--label", metavar="NAME", default="", help="what to call a pasted key")
    verb("logout", "forget what is stored for a provider")
    verb("import", "use a login that Claude Code, Codex, Qwen Code or GitHub's `gh` has made")
    verb("status", "tell what is stored, where it is from and when it expires")


def run_auth(arguments: argparse.Namespace) -> int:
    """Run one verb; return the exit code. Raises ``Failure`` and ``HermesError``."""

    return VERBS[arguments.verb](settings(), arguments)


def _login(config: "Config", arguments: argparse.Namespace) -> int:
    from hermes_core.commands import auth

    provider = auth.provider_named(config, arguments.provider)
    login = auth.way_in(config, provider)
    pasted = arguments.key or arguments.key_stdin
    if arguments.device or (login is not None and not pasted):
        return _device_login(config, provider)
    refusal = auth.key_refusal(config, provider)
    if refusal:
        raise Failure(refusal, "`hermes providers` tells what each provider needs.")
    key = _key_from_stdin() if arguments.key_stdin else _typed_key(provider)
    say(auth.store_key(config, provider, key, arguments.label))
    _say_next(config, provider)
    return 0


def _device_login(config: "Config", provider: str) -> int:
    from hermes_core.commands import auth
    from hermes_core.ground.interrupt import Interrupt
    from hermes_core.providers.device_flow import DeviceLogin
    from hermes_core.providers.logins import login_of

    login = login_of(config, provider)
    if login is None:
        raise Failure(
            f"{provider} has no login with a code.",
            f"Paste a key: `hermes auth login {provider} --key`.",
        )
    flow = DeviceLogin(config, login, interrupt=Interrupt())
    invitation = flow.begin()
    say(f"Open   {invitation.direct_url or invitation.url}")
    say(f"Code   {visible_line(invitation.code)}")
    say("Waiting for you to agree there. Ctrl-C gives up.")
    say(auth.store_login(config, provider, flow.finish(invitation)))
    _say_next(config, provider)
    return 0


def _import(config: "Config", arguments: argparse.Namespace) -> int:
    from hermes_core.commands.auth import provider_named
    from hermes_core.commands.auth_imports import import_login
    from hermes_core.ground.interrupt import Interrupt

    provider = provider_named(config, arguments.provider)
    say(import_login(config, provider, Interrupt()))
    _say_next(config, provider)
    return 0


def _logout(config: "Config", arguments: argparse.Namespace) -> int:
    from hermes_core.commands import auth

    for line in auth.log_out(config, auth.provider_named(config, arguments.provider)):
        say(_safe(line))
    return 0


def _status(config: "Config", _arguments: argparse.Namespace) -> int:
    from hermes_core.commands import auth

    rows, notices = auth.status(config)
    for notice in notices:
        say(f"! {_safe(notice)}")
    if not rows:
        say("Nothing is stored. `hermes auth login PROVIDER` stores a key or a login.")
        return 0
    width = max(len(row.name) for row in rows)
    for row in rows:
        mark = "✓" if row.usable else "!"
        say(f"{mark} {row.name.ljust(width)}  {_safe(row.source)}; {_safe(row.state)}")
    return 0


VERBS: dict[str, Callable[["Config", argparse.Namespace], int]] = {
    "login": _login,
    "logout": _logout,
    "import": _import,
    "status": _status,
}


def _typed_key(provider: str) -> str:
    if not is_terminal(sys.stdin):
        raise Failure(
            "There is no terminal to type a key on.",
            f"Hand it on: `hermes auth login {provider} --key-stdin < FILE`.",
        )
    from getpass import getpass

    try:
        key = getpass(f"Key for {provider} (not shown): ").strip()
    except EOFError:
        key = ""
    if not key:
        raise Failure("No key was given; nothing is changed.", "Run the command again.")
    return key


def _key_from_stdin() -> str:
    key = sys.stdin.read(MAX_KEY).strip()
    if not key:
        raise Failure("stdin held no key; nothing is changed.", "Write the key to it, and no more.")
    return key


def _say_next(config: "Config", provider: str) -> None:
    from hermes_core.providers.named import find_provider

    profile = find_provider(provider, config)
    has_model = profile is None or profile.default_model is not None
    verb = "chat" if has_model or config.provider == provider else "model"
    say(f"Next: `hermes {verb} --provider {provider}`.")


def _safe(words: str) -> str:
    from hermes_core.ground.secrets import REDACTOR

    return visible_line(REDACTOR.redact(words))
