"""What ``initialize`` tells: what the client can do, what this agent can do, how to log in."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.ground.version import __version__

PROTOCOL_VERSION = 1
"""The answer to ``initialize`` whatever version was asked for; an unknown one is never echoed."""

AUTH_METHOD = "provider"
"""Id of the method that every client gets: keys are configured outside of the protocol."""

LOGIN_METHOD = "login"
"""Id of the method that leads to the provider's page, where the client shows pages."""

SETUP_METHOD = "setup"
SETUP_ARGUMENT = "--setup"


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """What the client announced; all that it did not is absent, and must not be asked of it.

    terminal_auth: it can rerun the agent's command in a terminal for logging in;
        terminal_auth_meta: the same, told by the ``_meta`` that came before that was laid down.
    terminal_output: it shows output of commands that the agent runs from ``_meta``.
    boolean_options: it knows session options that are on or off.
    """

    read_text: bool = False
    write_text: bool = False
    terminal: bool = False
    terminal_auth: bool = False
    terminal_auth_meta: bool = False
    terminal_output: bool = False
    boolean_options: bool = False
    elicitation_form: bool = False
    elicitation_url: bool = False
    notices: bool = False
    compaction: bool = False
    subagents: bool = False
    plan_operations: bool = False
    client_name: str = ""
    client_version: str = ""

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> "ClientCapabilities":
        """Read the params of ``initialize``; what has another shape than expected is absent."""
        told = _object(params, "clientCapabilities")
        files, session = _object(told, "fs"), _object(told, "session")
        elicitation, info = _object(told, "elicitation"), _object(params, "clientInfo")
        return cls(
            read_text=files.get("readTextFile") is True,
            write_text=files.get("writeTextFile") is True,
            terminal=told.get("terminal") is True,
            terminal_auth=_object(told, "auth").get("terminal") is True,
            terminal_auth_meta=_object(told, "_meta").get("terminal-auth") is True,
            terminal_output=_object(told, "_meta").get("terminal_output") is True,
            boolean_options=_announced(_object(session, "configOptions"), "boolean"),
            elicitation_form=_announced(elicitation, "form"),
            elicitation_url=_announced(elicitation, "url"),
            notices=_announced(session, "notices"),
            compaction=_announced(session, "compaction"),
            subagents=_announced(told, "subagents"),
            plan_operations=_announced(told, "plan"),
            client_name=_text(info, "name"),
            client_version=_text(info, "version"),
        )


def agent_capabilities() -> dict[str, Any]:
    """Return what this agent can do."""
    return {
        "loadSession": True,
        "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
        "mcpCapabilities": {"http": True, "sse": True, "acp": True},
        "auth": {"logout": {}, "status": {}},
        "providers": {},
        "sessionCapabilities": {
            name: {}
            for name in (
                "list",
                "additionalDirectories",
                "resume",
                "close",
                "delete",
                "fork",
                "archive",
                "status",
                "title",
            )
        }
        | {"systemPrompt": {"mode": {"override": {}}}},
    }


def agent_info() -> dict[str, str]:
    """Return this program's name and version."""
    return {"name": "hermes", "title": "Hermes", "version": __version__}


def auth_methods(client: ClientCapabilities) -> list[dict[str, Any]]:
    """Return the ways to authenticate: one for every client, more if it shows pages or a terminal.

    The client runs the agent's own command with ``args`` appended, in a terminal.
    """
    methods: list[dict[str, Any]] = [
        {
            "id": AUTH_METHOD,
            "name": "Model provider",
            "description": (
                "Hermes uses the provider and key in its configuration (~/.hermes/config.yaml "
                "and .env, or the environment). Run `hermes doctor` to see what is missing."
            ),
        }
    ]
    if client.elicitation_url:
        methods.append(
            {
                "id": LOGIN_METHOD,
                "name": "Log in on a web page",
                "description": "Agree on the page of the provider that is set up for a login.",
            }
        )
    setup = {
        "id": SETUP_METHOD,
        "name": "Set up in a terminal",
        "description": "Choose a model provider and enter its key.",
    }
    if client.terminal_auth:
        methods.append({"type": "terminal", **setup, "args": [SETUP_ARGUMENT]})
    elif client.terminal_auth_meta:
        command = {"label": setup["name"], **_own_command(), "env": {}}
        methods.append({**setup, "_meta": {"terminal-auth": command}})
    return methods


def _own_command() -> dict[str, Any]:
    """Return the program and arguments that ask for a provider in a terminal.

    The folder that it is run in lends it no code.
    """
    arguments = ["-P", "-m", "acp_server.cli.main", "acp", SETUP_ARGUMENT]
    return {"command": sys.executable, "args": arguments}


def _object(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = parent.get(key)
    return value if isinstance(value, Mapping) else {}


def _announced(parent: Mapping[str, Any], key: str) -> bool:
    """Return whether a capability that is announced by an object is."""
    return isinstance(parent.get(key), Mapping)


def _text(parent: Mapping[str, Any], key: str) -> str:
    value = parent.get(key)
    return value if isinstance(value, str) else ""
