"""Puts a session together: the agent, what it is shown through, and how it asks."""

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_server.capabilities import ClientCapabilities
from acp_server.client_files import ClientFiles
from acp_server.client_terminals import ClientTerminals
from acp_server.elicitation import ClientQuestions, Elicitation
from acp_server.emitter import Emitter
from acp_server.methods.connection import Connection
from acp_server.methods.instructions import instructions_of
from acp_server.methods.mcp_messages import Line, on_line
from acp_server.options import Options
from acp_server.permissions import Permissions
from acp_server.rpc.errors import RpcError, invalid_params
from acp_server.session import AcpSession, Ask
from acp_server.slash import Commands
from acp_server.subagents import View
from hermes_core.local.config import hermes_home
from hermes_core.local.files import LocalFiles
from hermes_core.local.homes import lies_inside, planted_home
from hermes_core.local.mcp_settings import McpServer

if TYPE_CHECKING:
    from hermes_core.agent.prompt.given import Instructions


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of a session, absolute and existing, and what the client says of the work there.

    Folders are as the client spells them. instructions: None where it says nothing.
    """

    cwd: Path
    additional: tuple[Path, ...] = ()
    instructions: "Instructions | None" = None

    @property
    def roots(self) -> tuple[Path, ...]:
        """All of them."""
        return (self.cwd, *self.additional)


def place_of(params: Mapping[str, Any], environ: Mapping[str, str]) -> Place:
    """Return the folders that ``session/new`` or ``session/load`` names, and the instructions.

    Raises ``RpcError`` (-32602) for one that is relative or missing, for instructions that cannot
    be applied, and for a ``$HERMES_HOME`` in the project of a folder: a repository could have set
    it, and with it what runs unasked.
    """
    cwd = _folder(params["cwd"], "cwd")
    further = params.get("additionalDirectories") or []
    additional = tuple(
        _folder(path, f"additionalDirectories[{index}]") for index, path in enumerate(further)
    )
    place = Place(cwd, additional, instructions_of(params))
    refuse_home_inside(place.roots, environ)
    return place


def view_of(client: ClientCapabilities) -> View:
    """Return what a client is shown."""
    return View(
        client.notices,
        client.subagents,
        compaction=client.compaction,
        terminals=client.terminal_output,
        plan_operations=client.plan_operations,
    )


def open_session(
    connection: Connection,
    place: Place,
    session_id: str | None = None,
    servers: Sequence[McpServer] = (),
) -> AcpSession:
    """Return a session, made new or read from the store; call it on a worker thread.

    servers: the client's MCP servers; they start in the background.

    Raises ``ConfigError`` or ``StoreError``. A missing key is no reason to fail.
    """
    from hermes_core.agent.agent import AIAgent

    server, client = connection.server, connection.capabilities
    config, store = connection.config(), connection.store()
    new_id = session_id or str(uuid.uuid4())
    told = client.subagents
    screen = Emitter(server.notify, new_id, view_of(client), lambda: session.trace)
    session = AcpSession(new_id, place.cwd, screen)
    ask = traced(server.request_from_thread, lambda: session.trace)
    files = ClientFiles(
        ask,
        new_id,
        reads=client.read_text,
        writes=client.write_text,
        roots=place.roots,
        local=LocalFiles(),
        interrupt=lambda: session.interrupt,
    )
    session.options = options = Options(
        lambda: session.agent, connection.offers, screen.tell, booleans=client.boolean_options
    )
    session.commands = Commands(lambda: config.home, screen.tell)
    permissions = Permissions(ask, new_id, screen, subagents=told, forms=client.elicitation_form)
    session.agent = AIAgent(
        cwd=place.cwd,
        additional_directories=place.additional,
        provider=connection.options.provider,
        model=connection.options.model,
        session_id=new_id,
        config=config,
        store=store,
        files=files,
        terminals=ClientTerminals(ask, new_id) if client.terminal else None,
        questions=questions_of(connection, ask, {"sessionId": new_id}),
        emit=options.watching(Elicitation(ask, new_id, permissions)),
        clarify="ask" if client.elicitation_form else "text",
        instructions=place.instructions,
        mcp_servers=on_line(servers, Line(ask, connection.listeners)),
    )
    session.agent.records.titles.enabled = True
    return session


def questions_of(
    connection: Connection, ask: Ask, scope: Mapping[str, Any]
) -> ClientQuestions | None:
    """Return what shows forms and pages to the person; None where the client shows neither."""
    forms, pages = connection.capabilities.elicitation_form, connection.capabilities.elicitation_url
    if not forms and not pages:
        return None
    return ClientQuestions(ask, connection.server.notify, scope, forms=forms, pages=pages)


def traced(ask: Ask, trace: Callable[[], Mapping[str, str]]) -> Ask:
    """Return ``ask`` with the trace context of the running turn in every request."""

    def traced_ask(
        method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "Future[dict[str, Any]]":
        meta = dict(trace())
        return ask(method, {**params, "_meta": meta} if meta else params, timeout=timeout)

    return traced_ask


def _folder(path: str, field: str) -> Path:
    try:
        usable = os.path.isabs(path) and os.path.isdir(path)
    except ValueError:  # a NUL or a lone surrogate in it
        usable = False
    if not usable:
        raise invalid_params(f"{field}: the absolute path of an existing folder is needed.", field)
    return Path(os.path.normpath(path))


def refuse_home_inside(roots: Sequence[Path], environ: Mapping[str, str]) -> None:
    """Raise ``RpcError`` for a home that a project of ``roots`` could have set.

    Of our home as of the user's: ``$HERMES_HOME`` and ``$HOME``.
    """
    planted = planted_home(environ)
    if planted and any(root.resolve().is_relative_to(planted) for root in roots):
        raise _inside(f"HOME ({environ['HOME']})", "what programs obey")
    if environ.get("HERMES_HOME", "").strip():
        home = hermes_home(environ).resolve()
        if lies_inside(home, roots, environ):
            raise _inside(f"HERMES_HOME ({home})", "Hermes's own settings")


def _inside(what: str, changed: str) -> RpcError:
    text = (
        f"{what} lies inside the workspace, so the workspace could change {changed}."
        " Set it to a folder elsewhere, or unset it."
    )
    return invalid_params(f"cwd: {text}", "cwd")
