"""The carrier for GitHub Copilot's own program, of which we are the ACP client.

A call is one session of one process: the conversation goes in as a single prompt, text and thoughts
come back as chunks of a chat completion. The agent works in an empty folder, is offered neither
files nor terminals, and whatever it asks leave for is refused: acting is for our own tools, whose
calls it writes as text (``transcript``). Who pays is the login of the program itself.
"""

import contextlib
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.environment import find_program
from hermes_core.local.pipes import talking
from hermes_core.transport.acp_client import AcpClient
from hermes_core.transport.network import Network
from hermes_core.transport.transcript import Sieve, to_prompt
from hermes_core.wire.sse import END

Answer = tuple[Iterator[dict[str, Any]], Callable[[], None]]

_DEFAULT_MODELS = ("", "copilot-acp")
_FINISHES = {"max_tokens": "length", "max_turn_requests": "length", "refusal": "content_filter"}


@contextlib.contextmanager
def converse(
    runtime: Runtime,
    request: dict[str, Any],
    network: Network,
    interrupt: Interrupt,
    before_wait: Callable[[], None] | None = None,
) -> Iterator[Answer]:
    """Start the program, send ``request`` and yield its answer and what aborts it.

    The program is the runtime's option ``command`` with ``args`` (default ``copilot --acp``).
    Raises ``ConfigError`` if it cannot be started, ``AuthFailed`` if it is not logged in, and
    what every carrier raises.
    """
    latch = interrupt.child()
    env = network.environment() if network.environment else {}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hermes-", ignore_cleanup_errors=True) as folder,
            talking(_command(runtime, env), Path(folder), env, latch) as pipe,
        ):
            client = AcpClient(runtime, pipe, network.idle_timeout, before_wait)
            client.initialize()
            session = client.new_session(folder)
            if runtime.model not in _DEFAULT_MODELS:
                client.choose_model(session, runtime.model)
            yield _chunks(client, session["sessionId"], to_prompt(request)), latch.set
    except ToolError as error:
        raise ConfigError(f"{_name(runtime)}: {error}") from None
    finally:
        latch.set()


def _chunks(client: AcpClient, session_id: str, prompt: str) -> Iterator[dict[str, Any]]:
    sieve = Sieve()
    reason = "end_turn"
    for kind, text in client.prompt(session_id, prompt):
        if kind == "text":
            yield from map(_chunk, sieve.feed(text))
        elif kind == "thought":
            yield _chunk({"reasoning_content": text})
        else:
            reason = text
    yield from map(_chunk, sieve.end())
    yield _chunk({}, "tool_calls" if sieve.calls else _FINISHES.get(reason, "stop"))
    yield END


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _command(runtime: Runtime, env: dict[str, str]) -> list[str]:
    name = _name(runtime)
    program = name if "/" in name else find_program(name, env.get("PATH", ""))
    if program is None:
        raise ConfigError(
            f"The program {name} was not found. Install GitHub Copilot's command line and log in "
            "with it, or choose another provider."
        )
    try:
        return [program, *shlex.split(runtime.option("args") or "--acp")]
    except ValueError:
        raise ConfigError(f"The arguments of {name} cannot be read: a quote is open.") from None


def _name(runtime: Runtime) -> str:
    return runtime.option("command") or "copilot"
