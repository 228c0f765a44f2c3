"""One MCP server and one session: from its start to its end, and once more if it broke.

Everything here runs on the bridges' loop. ``life`` is one connection from its opening to its end;
calls go beside it. A connection that broke is opened anew by the next call, once; if that one
breaks too before a call has succeeded, the server counts as failed.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Literal

from hermes_core.ground.errors import ToolError
from hermes_core.ground.secrets import REDACTOR
from hermes_core.ground.version import __version__
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.asking import URL_REQUIRED, Asking, Caller
from hermes_core.tools.bridges.reasons import is_nonsense, reason_of, silence_sdk
from hermes_core.tools.bridges.stdio import LastWords

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client._transport import TransportStreams
    from mcp_types import CallToolResult, ElicitRequestURLParams, ReadResourceResult, Tool

State = Literal["starting", "asks", "ready", "broken", "failed", "off", "closed"]

MOST_TOOLS = 100
"""Tools of one server that are offered; providers take some 128 in all."""

CLOSE_SECONDS = 3.0
"""How long the end of a connection is waited for."""

_PAGES = 20

OpenStreams = Callable[
    [LastWords, Callable[[], None]], "AbstractAsyncContextManager[TransportStreams]"
]
"""Opens the streams of a server; what it is given tells of its end."""

_log = logging.getLogger(__name__)

silence_sdk()


class Connection:
    """One server. ``state``, ``problem`` and ``tools`` may be read from any thread.

    open_streams: None for a server that is not to be started now. roots: addresses of the folders
    that the server is told of. changed: called whenever state or tools are others. asks: whether
    the server may ask the person something.
    """

    def __init__(
        self,
        server: McpServer,
        roots: tuple[str, ...],
        changed: Callable[[], None],
        *,
        asks: bool = False,
    ) -> None:
        self.server = server
        self.state: State = "starting" if server.enabled else "off"
        self.problem = ""
        self.tools: tuple[Tool, ...] = ()
        self.left_out = 0
        self.has_resources = False
        self.open_streams: OpenStreams | None = None
        self.asks = asks
        self._asking = Asking(server.name)
        self._roots = roots
        self._changed = changed
        self._client: Client | None = None
        self._life: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._opened = asyncio.Event()
        self._words = LastWords()
        self._lock = asyncio.Lock()
        self._proven = True
        self._refreshing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, and learn the server's tools; whatever happens is told by ``state``."""
        async with self._lock:
            await self._open()

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        show: Callable[[str], None],
        caller: Caller | None = None,
    ) -> "CallToolResult":
        """Call a tool. Raises ``ToolError`` for a server that cannot be reached or breaks."""

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            part = f"{progress:g} of {total:g}" if total else f"{progress:g}"
            show(f"{message or 'Working'} ({part})")

        client = await self._ready()
        async with (
            _Told(self, "during the call: it may have run"),
            asyncio.timeout(self.server.timeout) as limit,
        ):
            with self._asking.during(caller := caller or Caller(), limit):
                meta: Any = dict(caller.trace) or None
                try:
                    result = await client.call_tool(
                        tool, arguments, progress_callback=tell, meta=meta
                    )
                except Exception as error:
                    if _code(error) != URL_REQUIRED:
                        raise
                    raise ToolError(await self._asking.require(_pages_in(error))) from error
        self._proven = True
        return result

    async def resources(self) -> list[Any]:
        """Return the server's resources; raises ``ToolError``."""
        client = await self._ready()
        found: list[Any] = []
        async with (
            _Told(self, "before it had told its resources"),
            asyncio.timeout(self.server.timeout),
        ):
            cursor: str | None = None
            for _ in range(_PAGES):
                page = await client.list_resources(cursor=cursor)
                found += page.resources
                cursor = page.next_cursor
                if not cursor:
                    break
        self._proven = True
        return found

    async def read(self, uri: str) -> "ReadResourceResult":
        """Return what a resource holds; raises ``ToolError``."""
        client = await self._ready()
        async with (
            _Told(self, "before it had told the resource"),
            asyncio.timeout(self.server.timeout),
        ):
            result = await client.read_resource(uri)
        self._proven = True
        return result

    async def close(self) -> None:
        """End the connection, and the program behind it."""
        self._set("closed" if self.server.enabled else "off")
        await self._end()

    def broke(self, why: str) -> None:
        """Note that the connection is of no more use."""
        self._client = None
        self._stop.set()
        if self.state == "ready":
            self._set("broken", why)

    async def _ready(self) -> "Client":
        async with self._lock:
            if self._client is None and self.state == "broken":
                if not self._proven:
                    self._set("failed", self.problem)
                else:
                    self._proven = False
                    await self._end()
                    await self._open()
        if self._client is None:
            raise ToolError(
                f"The MCP server {self.server.name} cannot be used: {self.problem or self.state}. "
                "Go on without it, or ask the user to see `/mcp`."
            )
        return self._client

    async def _open(self) -> None:
        await self._attempt("auto")
        if self.state == "broken" and self.server.carrier == "stdio":
            await self._attempt("legacy")  # the newer greeting is too much for some
        if self.state == "broken":
            self._set("failed", self.problem)

    async def _attempt(self, mode: str) -> None:
        self._stop, self._opened, self._words = asyncio.Event(), asyncio.Event(), LastWords()
        self._set("starting")
        self._life = life = asyncio.create_task(self._live(mode))
        opened = asyncio.create_task(self._opened.wait())
        limit = self.server.connect_timeout
        try:
            await asyncio.wait({life, opened}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self._end()
            self._proven = True
            self._set("broken", "its start was interrupted")
            raise
        finally:
            opened.cancel()
        if self.state == "starting":
            if not life.done():
                await self._end()
            self._words.returncode = None  # it is we who ended it
            self._set("failed", f"it did not answer within {limit:g} s{self._said()}")

    async def _live(self, mode: str) -> None:
        try:
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(self._make(mode))
                await self._learn(client)
                self._client = client
                self._set("ready")
                self._opened.set()
                await self._stop.wait()
        except BaseException as error:
            self._client = None
            if isinstance(error, asyncio.CancelledError):
                raise
            if self.state in ("starting", "ready"):
                self._set("broken", self._why(error))
            else:
                _log.debug("an MCP connection ended with %s", type(error).__name__)

    def _make(self, mode: str) -> "Client":
        from mcp import Client
        from mcp_types import (
            ElicitCompleteNotification,
            Implementation,
            ListRootsResult,
            Root,
            ToolListChangedNotification,
        )

        async def roots(context: object) -> ListRootsResult:
            del context
            return ListRootsResult(roots=[Root.model_validate({"uri": u}) for u in self._roots])

        async def heard(message: object) -> None:
            if isinstance(message, ToolListChangedNotification) and self._client is not None:
                self._refreshing = asyncio.create_task(self._refresh(self._client))
            elif isinstance(message, ElicitCompleteNotification):
                self._asking.completed(message.params.elicitation_id)

        if self.open_streams is None:
            raise ToolError("it is not to be started.")
        return Client(
            self.open_streams(self._words, self._lost),
            mode=mode,
            cache=None,
            client_info=Implementation(name="hermes", version=__version__),
            list_roots_callback=roots,
            elicitation_callback=self._asking.answer if self.asks else None,
            message_handler=heard,
        )

    def _lost(self) -> None:
        """Called when the server's program has ended by itself."""
        if self.state in ("ready", "broken"):
            self.broke("")
            self._set("broken", f"it ended{self._said()}")

    async def _learn(self, client: "Client") -> None:
        capabilities = client.server_capabilities
        self.has_resources = capabilities.resources is not None
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_PAGES if capabilities.tools is not None else 0):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        unique = {tool.name: tool for tool in reversed(tools)}
        kept = [unique[name] for name in reversed(unique)]
        self.left_out = max(0, len(kept) - MOST_TOOLS)
        self.tools = tuple(kept[:MOST_TOOLS])

    async def _refresh(self, client: "Client") -> None:
        with suppress(Exception):
            await self._learn(client)
            self._changed()

    async def _end(self) -> None:
        self._client = None
        self._stop.set()
        life, self._life = self._life, None
        if life is None or life.done():
            return
        if not self._opened.is_set():
            life.cancel()
        done, _ = await asyncio.wait({life}, timeout=CLOSE_SECONDS)
        if not done:
            life.cancel()
            await asyncio.wait({life}, timeout=CLOSE_SECONDS)

    def _set(self, state: State, problem: str = "") -> None:
        self.state = state
        self.problem = problem
        self._changed()

    def refuse(self, state: State, problem: str) -> None:
        """Note why the server is not started."""
        self._set(state, problem)

    def _why(self, error: BaseException) -> str:
        reason = reason_of(error)
        if is_nonsense(error):
            return reason
        if "connection closed" in reason.lower():
            reason = "it ended before it had told its tools"
        return f"{reason}{self._said()}"

    def _said(self) -> str:
        """Return how the program ended and what it said last, in brackets."""
        code, words = self._words.returncode, REDACTOR.redact(str(self._words))[:300]
        ended = f"exit code {code}" if code is not None and code >= 0 else ""
        odd = "what it wrote was no message of the protocol" if self._words.odd else ""
        told = "; ".join(filter(None, (ended, f"it said: {words}" if words else "", odd)))
        return f" ({told})" if told else ""


class _Told:
    """Turns what goes wrong within a call into a ``ToolError``, and notes a broken connection."""

    def __init__(self, connection: Connection, when: str) -> None:
        self._connection = connection
        self._when = when

    async def __aenter__(self) -> None:
        """Begin."""

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Raise ``ToolError`` in the place of any error."""
        if not isinstance(error, Exception) or isinstance(error, ToolError):
            return
        name = self._connection.server.name
        if isinstance(error, TimeoutError) or _code(error) == _TIMED_OUT:
            seconds = self._connection.server.timeout
            text = f"The MCP server {name} did not answer within {seconds:g} s."
            raise ToolError(f"{text} The call may have run.") from error
        if is_broken(error):
            program = self._connection.server.carrier == "stdio"
            self._connection.broke("it ended" if program else reason_of(error))
            raise ToolError(
                f"The connection to the MCP server {name} broke {self._when}. "
                "It is opened anew by the next call."
            ) from error
        if is_nonsense(error):
            text = f"The MCP server {name} failed: {reason_of(error)}."
            raise ToolError(f"{text} The call may have run.") from error
        raise ToolError(f"The MCP server {name} refused: {reason_of(error)}") from error


_TIMED_OUT = -32001
_CLOSED = -32000
_UNKNOWN_SESSION = (-32600, -32603)


def _code(error: BaseException) -> int | None:
    inner = getattr(error, "error", None)
    code = getattr(inner, "code", None)
    return code if isinstance(code, int) else None


def _pages_in(error: Any) -> "Sequence[ElicitRequestURLParams]":
    from mcp.shared.exceptions import UrlElicitationRequiredError

    return UrlElicitationRequiredError.from_error(error.error).elicitations


def is_broken(error: BaseException) -> bool:
    """Tell whether an error of the SDK means that the connection is of no more use."""
    import anyio

    if isinstance(error, BaseExceptionGroup):
        return any(map(is_broken, error.exceptions))
    if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | OSError):
        return True
    if type(error).__module__.partition(".")[0] == "httpx2":
        return True
    text = str(error).lower()
    if _code(error) == _CLOSED and "closed" in text:
        return True
    return _code(error) in _UNKNOWN_SESSION and ("session" in text or "server returned" in text)
