"""The hooks of the user's plugins, called as a turn goes on (see ``docs/hooks.md``).

Each call runs on a thread of its own and has ``SECONDS``; an interrupt ends the wait at once. One
that fails or is slow is named to the user once, and the turn goes on. A ``pre_tool_call`` that
fails blocks its call: a broken guard must not let through what it would have held back.
"""

import copy
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from hermes_core.agent.calls import CallRequest, Outcome, with_arguments
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import HermesError, Interrupted, ToolError
from hermes_core.ground.events import Emit, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.config import Config
from hermes_core.local.extensions import Hook, Hooks, Register, find_plugins, has_plugins
from hermes_core.local.workspace import Workspace

SECONDS = 10.0
"""How long one call of a hook may take."""

END_SECONDS = 1.0
"""The same for ``on_session_end``, together."""

LONGEST_NOTE = 20_000
"""Characters of what the hooks of one plugin add to a request."""

_log = logging.getLogger(__name__)


class _FailedError(HermesError):
    """A hook failed, or did not come to an end in time."""


class PluginHooks:
    """The hooks of one session. Nothing is loaded before its first turn.

    session_id: returns the id that hooks are told. seconds: the time of one call.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        session_id: Callable[[], str],
        emit: Emit,
        seconds: float = SECONDS,
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._session_id = session_id
        self._emit = emit
        self._seconds = seconds
        self._begun = False
        self._hooks: dict[str, list[Hook]] = {}
        self._hanging: dict[Hook, threading.Thread] = {}
        self._told: set[tuple[str, str]] = set()
        self._task_id = ""
        self._interrupt = Interrupt()
        self._step = 0

    def begin(self, task_id: str, interrupt: Interrupt) -> None:
        """Begin a turn; the first one loads the plugins and begins the session for them."""
        self._task_id, self._interrupt, self._step = task_id, interrupt, 0
        if not self._begun:
            self._begun = True
            if has_plugins(self._config):
                self._load()
                self._tell("on_session_start", cwd=str(self._workspace.cwd))

    def end(self) -> None:
        """End the session for the plugins, if it has begun for them."""
        self._interrupt, self._step = Interrupt(), 0
        self._seconds = min(self._seconds, END_SECONDS)
        self._tell("on_session_end", cwd=str(self._workspace.cwd))
        self._hooks = {}

    def gate(self, request: CallRequest) -> CallRequest:
        """Return the call as the plugins let it be made; blocked, it has a problem."""
        for hook in self._of("pre_tool_call"):
            if request.problem or request.spec is None or request.same_as:
                break
            request = self._passed(hook, request)
        return request

    def ran(self, outcome: Outcome, seconds: float) -> None:
        """Tell what a call came to."""
        request, output = outcome.request, outcome.output
        self._tell(
            "post_tool_call",
            call_id=request.call["id"],
            name=request.name,
            arguments=request.arguments or request.sent,
            output=output.text,
            failed=output.failed,
            seconds=seconds,
        )

    def note(self, messages: Sequence[Message], budget: Budget) -> str:
        """Return what the plugins add to the next request, and to that alone."""
        self._step = budget.used
        texts = []
        for hook in self._of("pre_llm_call"):
            said = self._call_or_tell(hook, "pre_llm_call", messages=list(messages))
            if isinstance(said, str) and said.strip():
                texts.append(f"[From the plugin {hook.plugin}:]\n{said.strip()[:LONGEST_NOTE]}")
            elif said is not None and not isinstance(said, str):
                self._name(hook, "pre_llm_call", "it returned something else than a text")
        return "\n".join(texts)

    def heard(self, message: Message) -> None:
        """Tell what the model answered."""
        self._tell("post_llm_call", message=message)

    def _load(self) -> None:
        found, warnings = find_plugins(self._config, _roots(self._workspace))
        for text in warnings:
            self._warn(text)
        for plugin in found:
            hooks = Hooks(plugin.name)
            try:
                self._limited(partial(_register, plugin.load, hooks))
            except _FailedError as error:
                self._warn(f"The plugin {plugin.name} is not loaded: {error}")
                continue
            for name, functions in hooks.found.items():
                self._hooks.setdefault(name, []).extend(functions)

    def _of(self, name: str) -> Sequence[Hook]:
        return self._hooks.get(name, ())

    def _passed(self, hook: Hook, request: CallRequest) -> CallRequest:
        try:
            said = self._call(
                hook, call_id=request.call["id"], name=request.name, arguments=request.arguments
            )
            reason, arguments = _verdict(said)
            if arguments is not None:
                return with_arguments(request, arguments, self._workspace, hook.plugin)
        except ToolError as error:
            reason = f"it changed the arguments to such that do not fit: {error}"
        except _FailedError as error:
            self._name(hook, "pre_tool_call", str(error))
            reason = f"its pre_tool_call failed ({error}), so nothing is let through."
        if not reason:
            return request
        return request.blocked(f"Not run: the plugin {hook.plugin} blocked it: {reason}")

    def _tell(self, point: str, /, **more: Any) -> None:
        """Call hooks that return nothing; after an interrupt nobody waits for them."""
        for hook in self._of(point):
            with suppress(Interrupted):
                self._call_or_tell(hook, point, **more)

    def _call_or_tell(self, hook: Hook, point: str, /, **more: Any) -> Any:
        try:
            return self._call(hook, **more)
        except _FailedError as error:
            self._name(hook, point, str(error))
            return None

    def _call(self, hook: Hook, /, **more: Any) -> Any:
        """Call a hook with copies; raises ``_FailedError`` or ``Interrupted``."""
        hanging = self._hanging.get(hook)
        if hanging is not None and hanging.is_alive():
            raise _FailedError("an earlier call of it still runs")
        told = {"task_id": self._task_id, "session_id": self._session_id(), "step": self._step}
        arguments = copy.deepcopy(more)
        return self._limited(lambda: hook.function(**told, **arguments), hook)

    def _limited(self, work: Callable[[], Any], hook: Hook | None = None) -> Any:
        done: Future[Any] = Future()
        thread = threading.Thread(target=_run, args=(work, done), name="hook", daemon=True)
        thread.start()
        wake = threading.Event()
        done.add_done_callback(lambda _: wake.set())
        forget = self._interrupt.listen(wake.set)
        wake.wait(self._seconds)
        forget()
        if not done.done():
            if hook is not None:
                self._hanging[hook] = thread
            self._interrupt.raise_if_set()
            raise _FailedError(f"it took more than {self._seconds:g} s")
        error = done.exception()
        if error is not None:
            raise _FailedError(REDACTOR.redact(f"{type(error).__name__}: {error}")[:300])
        return done.result()

    def _name(self, hook: Hook, name: str, reason: str) -> None:
        """Tell the user of a hook that failed, once in the session."""
        _log.warning("the hook %s of the plugin %s: %s", name, hook.plugin, reason)
        if (hook.plugin, name) not in self._told:
            self._told.add((hook.plugin, name))
            self._warn(f"The hook {name} of the plugin {hook.plugin} failed: {reason}")

    def _warn(self, text: str) -> None:
        self._emit(StatusChanged("warning", text))


def _run(work: Callable[[], Any], done: "Future[Any]") -> None:
    try:
        done.set_result(work())
    except BaseException as error:
        done.set_exception(error)


def _register(load: Callable[[], Register], hooks: Hooks) -> None:
    load()(hooks)


def _roots(workspace: Workspace) -> tuple[Path, ...]:
    return (workspace.cwd, *workspace.additional)


def _verdict(said: Any) -> tuple[str, dict[str, Any] | None]:
    """Return why a call is blocked, or the arguments it gets; raises ``_FailedError``."""
    if said is None:
        return "", None
    if isinstance(said, Mapping) and isinstance(said.get("block"), str) and said["block"].strip():
        return said["block"].strip(), None
    if isinstance(said, Mapping) and isinstance(said.get("arguments"), dict):
        return "", _plain(said["arguments"])
    raise _FailedError('it returned neither None nor {"block": reason} nor {"arguments": {...}}')


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` as a model could have sent them; raise ``_FailedError`` for others."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(arguments, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise _FailedError(f"the arguments it returned are no JSON: {error}") from None
    return plain
