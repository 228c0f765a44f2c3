"""What the first prompt will need, loaded in the background while the person still types."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from acp_server.methods.connection import Connection
from hermes_core.ground.errors import HermesError

_log = logging.getLogger(__name__)


Step = Callable[[Connection], None]


def warm(connection: Connection, steps: Sequence[Step] | None = None) -> None:
    """Begin to load, once for a connection; whatever fails here is told by the prompt itself."""
    if not connection.warmed:
        connection.warmed = True
        chosen = (
            (_tools, _transport, _model, _environment, _sandbox, _prices, _models)
            if steps is None
            else steps
        )
        threading.Thread(target=_run, args=(connection, chosen), name="warm", daemon=True).start()


def _run(connection: Connection, steps: Sequence[Step]) -> None:
    for step in steps:
        try:
            step(connection)
        except Exception as error:
            _log.info("warming up %s failed: %s", step.__name__, error)


def _tools(_connection: Connection) -> None:
    from hermes_core.tools.registry import bundled_tools

    bundled_tools()


def _transport(connection: Connection) -> None:
    from hermes_core.transport.carrier import warm as warm_transport

    warm_transport(connection.runtime())


def _model(_connection: Connection) -> None:
    from hermes_core.model import assembly, facts

    del assembly
    facts.known_fact("", "")


def _environment(connection: Connection) -> None:
    from hermes_core.local.processes import child_environment

    child_environment(connection.config())


def _sandbox(connection: Connection) -> None:
    from hermes_core.commands.sandbox import notice_once

    notice = notice_once(connection.config())
    if notice:
        connection.tell(notice)


def _prices(connection: Connection) -> None:
    from hermes_core.model.prices import warm as warm_prices

    if connection.runtime().base_url.startswith("https:"):
        warm_prices()


def _models(connection: Connection) -> None:
    """Ask for the lists of models that are due, and tell open sessions what that changed."""
    runtime = None
    with suppress(HermesError):
        runtime = connection.runtime()
    connection.offers.refresh(runtime)
    for session in list(connection.sessions.values()):
        session.options.tell_changes()
