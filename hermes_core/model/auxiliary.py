"""Models for work beside the chat: titles, summaries, pictures, and whatever else has a task.

Each task has its own provider, model, address, chain and time limit under ``auxiliary.TASK``. Its
keys obey the chat's rule: a key goes to its own host alone, and none of the chat's goes to an
address that a task names.
"""

import logging
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hermes_core.ground.errors import (
    ConfigError,
    ConnectionFailed,
    Interrupted,
    MalformedResponse,
)
from hermes_core.ground.events import Event, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, is_empty, text_of
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.local.provider_keys import TASKS
from hermes_core.local.provider_settings import AuxiliaryTask
from hermes_core.model.assembly import StoredLogins, Wanted, fallbacks_of
from hermes_core.model.chain import Access, Candidate
from hermes_core.model.prices import Bill
from hermes_core.model.respond import Model
from hermes_core.providers.named import find_provider
from hermes_core.providers.registry import directory_for
from hermes_core.providers.resolution import Request

TIMEOUTS = {"vision": 120.0, "web_extract": 360.0, "compression": 300.0, "approval": 20.0}
"""Seconds for a whole task, retries and fallbacks included, where ``timeout`` is not set."""

TIMEOUT = 60.0
RETRIES = 2

AS_THE_CHAT = ("auto", "main")

_log = logging.getLogger(__name__)


class AuxiliaryModel:
    """The model of one task. May be asked again; one question at a time."""

    def __init__(self, task: str, candidates: Sequence[Candidate], config: Config) -> None:
        own = config.auxiliary.get(task)
        self.task = task
        self.timeout = (own.timeout if own else None) or TIMEOUTS.get(task, TIMEOUT)
        retries = min(config.api_max_retries, RETRIES)
        config = replace(config, api_max_retries=retries)
        self._model = Model(candidates, config, logins=StoredLogins(config))

    @property
    def runtime(self) -> Runtime:
        """What is asked; raises ``ConfigError`` if nothing can be."""
        return self._model.runtime

    @property
    def usage(self) -> Usage:
        """The tokens that were used so far."""
        return self._model.usage

    @property
    def calls(self) -> int:
        """How many requests were sent so far."""
        return self._model.calls

    @property
    def bill(self) -> Bill:
        """What they cost."""
        return self._model.bill

    def ask(self, messages: Sequence[Message], interrupt: Interrupt | None = None) -> str:
        """Return the text of the answer, without reasoning.

        Raises ``ProviderError``, ``ConfigError``, or ``Interrupted`` if ``interrupt`` was set.
        """
        text = text_of(self.answer(messages, interrupt))
        if not text.strip():
            raise MalformedResponse(f"{self.runtime.provider} answered nothing.")
        return text

    def answer(self, messages: Sequence[Message], interrupt: Interrupt | None = None) -> Message:
        """Return the answer as it is: it may be empty, or cut off. Raises as ``ask`` does."""
        outer = interrupt or Interrupt()
        latch = outer.child()
        timer = threading.Timer(self.timeout, latch.set)
        timer.daemon = True
        timer.start()
        try:
            self._model.begin_turn(self._note)
            answer = self._model.respond(messages, [], self._note, latch)
            if is_empty(answer):  # a second one in a row moves the chain on
                answer = self._model.respond(messages, [], self._note, latch)
            return answer
        except Interrupted:
            outer.raise_if_set()
            raise self._too_slow() from None
        finally:
            timer.cancel()
            latch.set()

    def _note(self, event: Event) -> None:
        if isinstance(event, StatusChanged):
            _log.warning("auxiliary task %s: %s", self.task, event.text)

    def _too_slow(self) -> ConnectionFailed:
        return ConnectionFailed(
            f"The task {self.task} was not done within {self.timeout:g} s. Set "
            f"auxiliary.{self.task}.timeout, or another model for it."
        )


def auxiliary(config: Config, task: str, main: Request | None = None) -> AuxiliaryModel:
    """Return the model for ``task``; nothing is contacted.

    main: what the chat was asked for beyond the settings. ``auto`` and ``main`` resolve it exactly
    as the chat does. Raises ``ConfigError`` for a task that there is not.
    """
    if task not in TASKS:
        raise ConfigError(f"There is no auxiliary task {task!r}. There are: {', '.join(TASKS)}.")
    config = replace(config, speed=None)  # that is about the chat
    own = config.auxiliary.get(task, AuxiliaryTask())
    first = Wanted(_request(own, config, main or Request()), config)
    chain = [first, *fallbacks_of(own.fallback_chain, config)]
    return AuxiliaryModel(task, [_Adapted(one, own) for one in chain], config)


def _request(task: AuxiliaryTask, config: Config, main: Request) -> Request:
    provider = task.provider.strip().lower()
    if provider in AS_THE_CHAT and not task.base_url:
        return replace(main, model=task.model) if task.model else main
    if provider in AS_THE_CHAT:
        provider = "custom"
    profile = find_provider(provider, config, directory_for(config.home))
    return Request(
        provider=provider,
        model=task.model or (profile.aux_model if profile else None),
        base_url=task.base_url,
        api_key=task.api_key or None,
        api_mode=task.api_mode,
        key_env=task.key_env,
        main=False,
    )


@dataclass(frozen=True, slots=True)
class _Adapted:
    """A candidate with what the task says of how it is asked."""

    candidate: Candidate
    task: AuxiliaryTask

    @property
    def name(self) -> str:
        return self.candidate.name

    def access(self, spent: Collection[str] = ()) -> Access:
        access = self.candidate.access(spent)
        runtime = access.runtime
        if self.task.reasoning_effort is not None:
            runtime = replace(runtime, reasoning_effort=self.task.reasoning_effort)
        if self.task.extra_body:
            body = {**runtime.compat.extra_body, **self.task.extra_body}
            runtime = replace(runtime, compat=replace(runtime.compat, extra_body=body))
        return replace(access, runtime=runtime)
