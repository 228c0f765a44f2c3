"""``AIAgent``: one session of the agent, put together from the rooms below."""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_core.agent.attachments import read_links
from hermes_core.agent.compression.compressor import Occasion
from hermes_core.agent.compression.watch import Watch
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import Ending
from hermes_core.agent.layers import BudgetLayer, PlanLayer
from hermes_core.agent.opening import (
    checked_mode,
)
from hermes_core.agent.own_tools.todo import restore_plan
from hermes_core.agent.parts import Parts
from hermes_core.agent.results import Meter, Result, result_of
from hermes_core.agent.toolbox import Toolbox
from hermes_core.agent.turn import run_turn
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.actions import Mode
from hermes_core.ground.budget import Budget
from hermes_core.ground.content import Attached, Link
from hermes_core.ground.events import Compacted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Content, Message
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.tools.registry import ToolContext

if TYPE_CHECKING:
    from hermes_core.approval.rules import Rules
    from hermes_core.sessions.store import SessionRow

_log = logging.getLogger(__name__)


class AIAgent(Parts):
    """A coding agent in one session. Use ``chat`` or ``run_conversation``; both block.

    cwd: the working folder; the current one by default, or the stored one of a known session.
    provider, model, base_url, api_key, api_mode: what beats the configuration.
    session_id: goes on with a stored session, or names a new one.
    mode: what runs without asking. Without a mode, an ``emit`` or an ``approval_callback``
        nobody can be asked, and edits and commands are refused.
    config, store, files: what to use in the place of the user's own.
    terminals: the client's, for commands that were allowed, if ``terminal.in_editor`` is set.
    questions: shows what MCP servers ask the user; without it nothing is asked for them.
    emit: takes every event, after it is stored; see ``hermes_core.ground.events``.
    clarify: how the model asks the user: ``ask`` (``emit`` answers ``ClarifyRequested``), ``text``
        (the turn ends with the question); without it only a ``clarify_callback`` is asked.
    heritage: what it has from the agent that it works for; for children of ``delegate_task``.
    mcp_servers: further ones beside those of the configuration; ``mcp.start`` or the
        first turn starts them.
    instructions: what is said of the work in this session: ``("append", text)`` beside what the
        prompt says of it anyway, ``("override", text)`` instead. A stored session keeps its own.
    callbacks: the functions of ``hermes_core.ground.callbacks.Callbacks``, by their names; note
        that ``stream_delta_callback`` also gets None, where a tool starts after the text.

    One turn runs at a time; ``interrupt``, ``steer``, ``queue`` and ``mode`` may be used from any
    thread.
    """

    @property
    def mode(self) -> Mode:
        """What runs without asking; a change counts from the next tool call on."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._choose_mode(checked_mode(mode))

    @property
    def runtime(self) -> Runtime:
        """The provider and model that are asked now; raises ``ConfigError`` if there is none."""
        return self._engine.runtime

    @property
    def chosen(self) -> Runtime:
        """The provider and model that the next step asks, which may have been chosen since."""
        return self._engine.coming

    @property
    def rules(self) -> "Rules":
        """What a person answered "always" to, here and in other sessions."""
        return self._consent.judge.rules

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The tools that the model is offered, in order."""
        return tuple({**self._tools, **self.mcp.specs()})

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """What the model is told of them."""
        return [spec.schema for spec in {**self._tools, **self.mcp.specs()}.values()]

    @property
    def messages(self) -> list[Message]:
        """The history as the next request would hold it, oldest first; a new list."""
        return list(self._session.conversation.messages)

    @property
    def in_context(self) -> int:
        """Tokens that the provider counted in the last request and its answer; 0 before any."""
        return self._engine.in_use[0]

    @property
    def system_prompt(self) -> str:
        """The session's prompt, built and stored at its first use."""
        return self._session.prompt()

    def configure(self, config: Config) -> None:
        """Use other settings from the next step on, as after a key was added."""
        self._config = config
        self._engine.configure(config)

    def choose_model(self, provider: str | None = None, model: str | None = None) -> Runtime:
        """Use another provider or model from the next step on, also when the session is resumed.

        Without a provider the model is one of the provider in use. Raises ``ConfigError`` for what
        cannot be used; nothing has changed then.
        """
        runtime = self._engine.choose(provider, model)
        name, chosen = runtime.provider, runtime.model
        self._store.update_session(self.session_id, provider=name, model=chosen)
        self._session.row = replace(self._session.row, provider=name, model=chosen)
        return runtime

    @property
    def effort(self) -> str | None:
        """How much this session has its model think; None: as the configuration says."""
        return self._engine.effort

    def choose_effort(self, effort: str | None) -> None:
        """Have the model think more or less from the next step on, also when resumed.

        effort: an effort, or ``ground.reasoning.OWN``; None: as the configuration says.
        """
        self._store.update_session(self.session_id, effort=effort)
        self._session.row = replace(self._session.row, effort=effort)
        self._engine.choose_effort(effort, self._config)

    @property
    def speed(self) -> str | None:
        """How fast this session has its model served; None: as the configuration says."""
        return self._engine.speed

    def choose_speed(self, speed: str | None) -> None:
        """Have the model served faster or cheaper from the next step on, also when resumed.

        speed: one of ``ground.speeds.SPEEDS``, without effect where the model is not served so,
        or ``USUAL``; None: as the configuration says.
        """
        self._store.update_session(self.session_id, speed=speed)
        self._session.row = replace(self._session.row, speed=speed)
        self._engine.choose_speed(speed, self._config)

    @property
    def second_opinion(self) -> bool:
        """Whether a model looks at what would run without a question in this session."""
        return self._looked_at_with()[0].second_opinion

    def choose_second_opinion(self, wanted: bool) -> None:
        """Have a model look at what would run unasked, or none, from the next call on."""
        self._store.update_session(self.session_id, second_opinion=wanted)
        self._session.row = replace(self._session.row, second_opinion=wanted)

    def resume_cost(self, amount: float | None) -> None:
        """Go on from what the session had cost in US dollars; None if that is not known."""
        self._engine.resume_cost(amount)

    def interrupt(self) -> None:
        """Stop the running turn, from any thread; nothing happens if none runs."""
        interrupt = self._interrupt
        if interrupt is not None:
            interrupt.set()

    def interrupt_child(self, session_id: str) -> bool:
        """Stop one child of the running turn alone; return whether there is such a one."""
        return self._children.interrupt(session_id)

    def steer(self, text: str) -> bool:
        """Tell the running turn something, with its next model call; False if no turn runs.

        It is kept until the model has it. Too late for a further call, it is what the turn goes
        on with. Raises ``StoreError``.
        """
        return self.steering.offer(text)

    @property
    def last_prompt(self) -> Content | None:
        """What the user said last in the history."""
        return self._session.last_prompt

    def resume(self, wanted: str) -> "SessionRow":
        """Make this session, which must be empty, a copy of the one that ``wanted`` names.

        wanted: an id, the beginning of one, or a title. Returns what was copied. Raises
        ``HermesError``.
        """
        source = self.records.resume(wanted)
        self._stored = True
        return source

    def compress(self, focus: str = "", interrupt: Interrupt | None = None) -> Compacted | None:
        """Summarise the conversation now; return how that ended, None if nothing can be gained.

        focus: what the summary should keep above all. Raises ``HermesError`` while a turn runs or
        if no model can be asked, and ``Interrupted`` if ``interrupt`` was set.
        """
        with self._claimed(interrupt) as latch:
            conversation = self._session.conversation
            conversation.system_prompt = self._session.prompt()
            self._restore_plan(conversation)
            occasion = Occasion(conversation, self._toolbox("", latch).schemas, latch)
            try:
                return self._compressor.compress(occasion, "asked", focus)
            finally:
                self._session.flush()

    def attach(self, links: Sequence[Link], interrupt: Interrupt) -> list[Attached]:
        """Read what a message points at, as far as that is allowed; see ``attachments``.

        Raises ``Interrupted``.
        """
        return read_links(links, self._toolbox("", interrupt), self._view, interrupt)

    def tell(self, prompt: str, answer: str) -> None:
        """Show and keep what was asked and answered without a model, which is never sent it.

        Raises ``StoreError``; nothing is shown that is not kept.
        """
        self._session.tell(prompt, answer)

    def close(self) -> None:
        """End the session for plugins, and close the store if it is the agent's own.

        No turn may run then or later.
        """
        self._hooks.end()
        self.mcp.close()
        self.records.close()
        if self._own_store:
            self._store.close()

    def chat(self, text: str) -> str:
        """Run one turn and return the final answer; see ``Result.final_response``."""
        return self.run_conversation(text)["final_response"]

    def run_conversation(
        self,
        user_message: Content | None,
        system_message: str | None = None,
        conversation_history: Sequence[Message] | None = None,
        task_id: str | None = None,
        *,
        interrupt: Interrupt | None = None,
        queued: int | None = None,
    ) -> Result:
        """Run one turn and return how it went.

        user_message: None goes on with a history that ends in a message of the user or a tool's
            result, as after a crash; tools that had not answered count as interrupted.
        system_message: replaces the system prompt for this turn.
        conversation_history: what was said before, instead of the session's own history; one
            that differs from it begins a session of its own.
        task_id: names the turn to tools and in the logs; made up if left out.
        interrupt: stops the turn when it is set, even if that was before the turn began.
        queued: the number that the message has in ``queue``; it waits there no more.

        Errors of the core do not raise, they are in the result. Raises ``HermesError`` while
        another turn runs, and whatever a callback raised.
        """
        with self._claimed(interrupt) as latch:
            given = conversation_history
            task_id = task_id or uuid.uuid4().hex
            try:
                self.steering.begin()
                return self._run(
                    user_message, system_message, given, task_id, interrupt=latch, queued=queued
                )
            finally:
                self.steering.end()

    def _run(
        self,
        content: Content | None,
        system_message: str | None,
        history: Sequence[Message] | None,
        task_id: str,
        *,
        interrupt: Interrupt,
        queued: int | None,
    ) -> Result:
        _log.info("session %s: turn %s begins", self.session_id, task_id)
        self.records.begin_turn()
        meter = Meter()
        budget = Budget(self._config.max_turns, self._config.max_cost)
        warn = BudgetLayer(self._session.emit, budget, lambda: self._engine.unpriced)

        def steps(conversation: Conversation) -> Ending:
            self._restore_plan(conversation)
            self._nested.restore(conversation.system_prompt, conversation.messages)
            self._hooks.begin(task_id, interrupt)
            self._clarify.begin()
            self.mcp.begin_turn(self._consent, lambda: self.mode, self._session.emit, interrupt)
            tools = self._toolbox(task_id, interrupt)
            model = self._engine.model()
            emit = self.records.watch(model)
            if meter.start(model):  # a late message goes on within the turn's limits
                model.begin_turn(emit)
                budget.watch(model.turn_bill)
            plan = PlanLayer(self._plan, lambda: conversation.messages)
            upkeep = Upkeep(notes=[*self._layers, warn, plan], after=[warn.finish])
            upkeep.before.append(lambda _: self.steering.deliver(conversation))
            Watch(self._compressor, Occasion(conversation, tools.schemas, interrupt)).join(upkeep)
            upkeep.notes.append(lambda budget: self._hooks.note(conversation.messages, budget))
            upkeep.heard.append(self._hooks.heard)
            upkeep.stops.append(self._clarify.ending)
            return run_turn(
                conversation, model, tools, budget, upkeep, emit=emit, interrupt=interrupt
            )

        run = self._session.run
        ending = run(content, system_message, history, steps, interrupt, queued=queued)
        while late := self.steering.late(ending):
            content, number = late.content, late.number
            ending = run(content, system_message, None, steps, interrupt, queued=number)
        self.records.end_turn(ending)
        self.rewind.checkpointing.end()
        _log.info("session %s: turn %s ends: %s", self.session_id, task_id, ending.stop_reason)
        return result_of(ending, meter, budget, self._session, task_id)

    def _restore_plan(self, conversation: Conversation) -> None:
        """After a restart, go on with the plan that the history tells of."""
        if self._stored:
            restore_plan(self._plan, conversation.messages, self._tools["todo"])
            self._stored = False

    def _toolbox(self, task_id: str, interrupt: Interrupt) -> Toolbox:
        context = ToolContext(
            workspace=self._workspace,
            files=self._files,
            config=self._config,
            interrupt=interrupt,
            seen=self._seen,
            task_id=task_id,
            home=self._config.home,
            is_secret=self._consent.judge.is_secret,
            terminals=self.terminals,
            questions=self.questions,
            trace=self.trace,
        )
        return Toolbox(
            {**self._tools, **self.mcp.specs()},
            context,
            self._consent,
            window=lambda: self._engine.in_use[1],
            gate=lambda request: self._hooks.gate(self._clarify.gate(request)),
            ran=self._hooks.ran,
        )
