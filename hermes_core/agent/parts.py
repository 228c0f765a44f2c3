"""What one agent is made of, and how its parts know each other. ``AIAgent`` is what they do."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hermes_core.agent.child import Parent
from hermes_core.agent.children import Children
from hermes_core.agent.compression.compressor import Compressor
from hermes_core.agent.compression.keeping import remembering
from hermes_core.agent.consent import Consent
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.engine import Engine
from hermes_core.agent.heritage import Heritage
from hermes_core.agent.hooks import PluginHooks
from hermes_core.agent.layers import ModeLayer, PressureLayer
from hermes_core.agent.mcp_tools import McpTools
from hermes_core.agent.nested import Nested
from hermes_core.agent.opening import (
    Wanted,
    absolute,
    absolutes,
    checked_mode,
    open_session,
    workspace_of,
)
from hermes_core.agent.own_tools.clarify import Clarify, How
from hermes_core.agent.own_tools.delegate_task import delegate_tools
from hermes_core.agent.own_tools.kept import kept_tools
from hermes_core.agent.own_tools.leave_plan_mode import leave_plan_mode_tool
from hermes_core.agent.own_tools.todo import Plan, todo_tool
from hermes_core.agent.prompt import build_prompt, recalled, scene_of
from hermes_core.agent.prompt.given import Instructions, checked
from hermes_core.agent.records import Records
from hermes_core.agent.second_opinion import SecondOpinion
from hermes_core.agent.session import Session
from hermes_core.agent.steering import Steering
from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Mode
from hermes_core.ground.asking import Questions
from hermes_core.ground.budget import Budget
from hermes_core.ground.callbacks import CallbackView, callbacks_of
from hermes_core.ground.errors import HermesError, StoreError
from hermes_core.ground.events import Compacted, Emit
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Files, Terminals
from hermes_core.ground.runtime import ApiMode
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config, load_config
from hermes_core.local.environment import child_environment, distrust
from hermes_core.local.files import LocalFiles
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.registry import ToolSpec, bundled_tools
from hermes_core.tools.seen import Seen

if TYPE_CHECKING:
    from hermes_core.agent.rewind import Rewind
    from hermes_core.providers.resolution import Request
    from hermes_core.sessions.queue import Queue
    from hermes_core.sessions.store import SessionRow, Store


class Parts:
    """Opens a session and puts together what works on it. See ``AIAgent`` for the arguments.

    trace: the trace context of the turn, which goes with calls of MCP servers.
    """

    trace: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        *,
        cwd: str | Path | None = None,
        additional_directories: Sequence[str | Path] | None = None,
        provider: str | None = None,
        model: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        api_mode: ApiMode | None = None,
        session_id: str | None = None,
        mode: Mode | None = None,
        config: Config | None = None,
        store: "Store | None" = None,
        files: Files | None = None,
        terminals: Terminals | None = None,
        questions: Questions | None = None,
        emit: Emit | None = None,
        heritage: Heritage | None = None,
        clarify: How | None = None,
        mcp_servers: Sequence[McpServer] = (),
        instructions: Instructions | None = None,
        **callbacks: Any,
    ) -> None:
        from hermes_core.providers.resolution import Request
        from hermes_core.sessions.store import FILE_NAME, Store

        functions = callbacks_of(callbacks, "AIAgent")
        self._can_ask = emit is not None or functions.approval_callback is not None
        self._config = config or load_config()
        self._own_store = store is None
        self._store = store or Store(self._config.home / FILE_NAME)
        wanted = Wanted(
            session_id,
            absolute(cwd),
            absolutes(additional_directories),
            checked_mode(mode) if mode else None,
            provider,
            model,
            checked(instructions),
        )
        row = self._open(wanted)
        self._mode: Mode = row.mode if mode or self._can_ask else "default"
        self._view: Emit = CallbackView(functions, emit)
        self._session = Session(
            self._store,
            row,
            self._view,
            stored=self._stored,
            build=self._build_prompt,
        )
        key = Secret(api_key) if api_key else None
        request = Request(row.provider, row.model, base_url, key, api_mode)
        chosen = (row.effort, row.speed)
        self._engine = heritage.engine if heritage else Engine(request, self._config, *chosen)
        self.records = Records(self._session, self._store, self._engine)
        if self._stored:
            self.records.resume_cost()
        self._files = files or LocalFiles()
        self.terminals, self.questions = terminals, questions
        self._seen, self._workspace = Seen(), workspace_of(row)
        distrust((self._workspace.cwd, *self._workspace.additional), self._config)
        self._consent = heritage.consent if heritage else self._make_consent()
        self.mcp = heritage.mcp if heritage else self._make_mcp(mcp_servers)
        self._children = self._make_children(heritage)
        self._plan = Plan()
        self._clarify = Clarify(
            clarify or ("ask" if functions.clarify_callback else None), self._session.emit
        )
        self._nested = Nested(self._workspace, LocalFiles())
        self._tools = self._gather_tools(heritage)
        self.steering = Steering(lambda: self.queue, self._session.emit)
        self._hooks = PluginHooks(
            self._config, self._workspace, lambda: self.session_id, self._session.emit
        )
        self._compressor = self._make_compressor(heritage)
        self._layers: list[Callable[[Budget], str]] = [
            ModeLayer(
                lambda: self._consent.mode,
                self._session.emit,
                planned=self._stored and row.mode == "plan",
                asks="leave_plan_mode" in self._tools,
            ),
            PressureLayer(lambda: self._engine.in_use),
        ]
        self.rewind = self._make_rewind()
        if heritage is None:
            self.rewind.checkpointing.watch(self._consent)
            self._session.begun = self.rewind.checkpointing.begin
        self._busy = threading.Lock()
        self._interrupt: Interrupt | None = None

    @property
    def session_id(self) -> str:
        """The session's id in the store."""
        return self._session.row.id

    @property
    def queue(self) -> "Queue":
        """The messages that wait in the store; ``run_conversation(..., queued=)`` runs one."""
        from hermes_core.sessions.queue import Queue

        return Queue(self._store, self.session_id)

    def _build_prompt(self) -> str:
        given = self._session.row.instructions
        return build_prompt(scene_of(self._config, self._workspace, self._tools, given))

    def _open(self, wanted: Wanted) -> "SessionRow":
        try:
            default = self._config.mode if self._can_ask else "default"
            row, self._stored = open_session(self._store, wanted, default)
        except BaseException:
            if self._own_store:
                self._store.close()
            raise
        return row

    def _make_mcp(self, given: Sequence[McpServer]) -> McpTools:
        place, asks = (self._workspace, self._config), self.questions is not None
        return McpTools((*self._config.mcp_servers, *given), place, asks=asks)

    def _looked_at_with(self) -> "tuple[Config, Request]":
        """Return what a second opinion goes by: the session's word on it beats the settings."""
        config, chosen = self._engine.config, self._session.row.second_opinion
        whole = config if chosen is None else replace(config, second_opinion=chosen)
        return whole, self._engine.request

    def _make_consent(self) -> Consent:
        folder = Path(os.path.realpath(self._workspace.cwd))
        judge = Judge(
            self._workspace,
            Rules(self._config.home, folder),
            self._config.home,
            lambda: child_environment(self._config)["PATH"],
            self._is_narrow,
        )
        return Consent(
            lambda: self._mode,
            judge,
            can_ask=self._can_ask,
            timeout=lambda: self._config.approvals_timeout,
            opinion=SecondOpinion(self._looked_at_with, self.records.ledger, str(folder)),
        )

    def _is_narrow(self) -> bool:
        from hermes_core.local.sandbox import automatic_lane_is_narrow

        return automatic_lane_is_narrow(self._config.sandbox_mode)

    def _make_children(self, heritage: Heritage | None) -> Children:
        from hermes_core.agent.agent import AIAgent

        return Children(
            Parent(
                self._session,
                self._store,
                self._engine,
                self._files,
                self._consent,
                heritage.depth if heritage else 0,
                AIAgent,
                self.mcp.shared(),
                lambda: self.trace,
            )
        )

    def _make_compressor(self, heritage: Heritage | None) -> Compressor:
        return Compressor(
            self._store,
            lambda: self.session_id,
            self._engine,
            self.records.ledger,
            emit=self._session.emit,
            steps=self._plan,
            remember=None if heritage else self.records.own(remembering(lambda: self._config)),
            changed=self._shortened,
        )

    def _shortened(self, conversation: Conversation, event: Compacted) -> None:
        """Take in that the history is another one; a summary is the time to read memory again.

        Then a provider's prompt cache has to begin anew in any case.
        """
        if event.summary:
            with suppress(StoreError):
                self._session.renew_prompt(lambda prompt: recalled(prompt, self._config))
        self._nested.restore(conversation.system_prompt, conversation.messages)

    def _gather_tools(self, heritage: Heritage | None) -> dict[str, ToolSpec]:
        todo = todo_tool(self._plan, self._session.emit)
        own = {todo.name: todo, **kept_tools(self._config, lambda: self._session.messages)}
        own |= {**delegate_tools(self._children), **self.records.tools(), **self._clarify.tools()}
        if self._can_ask:
            own |= leave_plan_mode_tool(lambda: self._mode, self._choose_mode)
        tools = self._nested.watched({**bundled_tools(), **own})
        return heritage.allowed(tools) if heritage else tools

    def _choose_mode(self, mode: Mode) -> None:
        self._mode = mode
        self._store.update_session(self.session_id, mode=mode)

    def _make_rewind(self) -> "Rewind":
        from hermes_core.agent.rewind import Rewind

        return Rewind(
            self._store,
            lambda: self.session_id,
            (self._workspace.cwd, *self._workspace.additional),
            home=self._config.home,
            environ=lambda: child_environment(self._config),
            files=self._files,
            emit=self._session.emit,
            forget=self._reload,
            alone=self._claimed,
            can_ask=self._can_ask,
        )

    @contextmanager
    def _claimed(self, interrupt: Interrupt | None) -> Iterator[Interrupt]:
        """Keep others from the conversation; yield the latch that stops what is done with it.

        Raises ``HermesError`` while somebody else does so.
        """
        if not self._busy.acquire(blocking=False):
            raise HermesError(
                "A turn is already running in this session. Wait for its end, or interrupt it."
            )
        try:
            self._interrupt = interrupt or Interrupt()
            yield self._interrupt
        finally:
            self._interrupt = None
            self._busy.release()

    def _reload(self) -> None:
        """Go on with the history that the store holds now."""
        self._session.reload(self._session.row)
        self._plan.replace(())
        self._stored = True
