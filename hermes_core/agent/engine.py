"""Which model a session asks: its request, its settings, and the model itself once it is needed."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.reasoning import OWN
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config

if TYPE_CHECKING:
    from hermes_core.model.respond import Model
    from hermes_core.providers.resolution import Request


class Engine:
    """The provider and model of one session; the model is made at its first use.

    request: what was asked for explicitly. config: the settings in force, with the ``effort``
    and the ``speed`` that the session has chosen, if it has.
    """

    def __init__(
        self,
        request: "Request",
        config: Config,
        effort: str | None = None,
        speed: str | None = None,
    ) -> None:
        self.request = request
        self.effort = effort
        self.speed = speed
        self.config = self._with_choices(config)
        self._model: Model | None = None
        self._cost_before: tuple[float | None, ...] = ()

    @property
    def runtime(self) -> Runtime:
        """The provider and model that are asked now; raises ``ConfigError`` if there is none."""
        from hermes_core.model.assembly import runtime_for

        if self._model is not None:
            return self._model.runtime
        return runtime_for(self.request, self.config)

    @property
    def coming(self) -> Runtime:
        """The provider and model that the next step asks; raises ``ConfigError`` if none."""
        return self.runtime if self._model is None else self._model.coming

    @property
    def in_use(self) -> tuple[int, int]:
        """Tokens in the context after the last call, and those of the window of what is asked."""
        if self._model is None:
            return 0, self.runtime.context_window
        return self._model.in_context, self._model.runtime.context_window

    def configure(self, config: Config) -> None:
        """Use other settings from the next step on."""
        from hermes_core.model.assembly import chain_for

        self.config = self._with_choices(config)
        if self._model is not None:
            self._model.use(chain_for(self.request, self.config), self.config)

    def choose_effort(self, effort: str | None, config: Config) -> None:
        """Have the model think more or less from the next step on; None: as ``config`` says."""
        self.effort = effort
        self.configure(config)

    def choose_speed(self, speed: str | None, config: Config) -> None:
        """Have the model served so from the next step on; None: as ``config`` says."""
        self.speed = speed
        self.configure(config)

    def _with_choices(self, config: Config) -> Config:
        if self.effort is not None:
            effort = None if self.effort == OWN else self.effort
            config = replace(config, reasoning_effort=effort)
        return config if self.speed is None else replace(config, speed=self.speed)

    def choose(self, provider: str | None, model: str | None) -> Runtime:
        """Use another provider or model from the next step on; see ``AIAgent.choose_model``."""
        from hermes_core.model.assembly import chain_for, runtime_for

        request = replace(self.request, model=model)
        if provider is not None:
            request = replace(request, provider=provider, base_url=None, api_key=None)
            request = replace(request, api_mode=None)
        elif request.provider is None and request.base_url is None:
            request = replace(request, provider=self.runtime.provider)
        runtime = runtime_for(request, self.config)
        self.request = request
        if self._model is not None:
            self._model.use(chain_for(request, self.config))
        return runtime

    def request_in_use(self) -> "Request":
        """Return what asks the provider in use: the session's request, or that of a fallback."""
        from hermes_core.model.assembly import runtime_for
        from hermes_core.providers.resolution import request_for

        now = self.runtime
        for request in (self.request, *map(request_for, self.config.fallback_providers)):
            with suppress(ConfigError):
                one = runtime_for(request, self.config)
                if (one.provider, one.model, one.base_url) == (
                    now.provider,
                    now.model,
                    now.base_url,
                ):
                    return request
        return self.request

    @property
    def unpriced(self) -> str:
        """The name of a model that this turn asked and whose price is not known."""
        return self.model().turn_bill.unpriced or self.runtime.model

    def charge_to(self, other: "Engine") -> None:
        """Have the model of another session count what this one's has used."""
        if self._model is not None:
            other.model().charge(self._model)

    def resume_cost(self, amount: float | None) -> None:
        """Go on from what the session had cost in US dollars; None if that is not known."""
        self._cost_before = (amount,)

    def model(self) -> "Model":
        """Return the model, made at the first use: a session needs no key to open."""
        if self._model is None:
            from hermes_core.model.assembly import model_for

            self._model = model_for(self.request, self.config)
            for amount in self._cost_before:
                self._model.bill.resume(amount)
        return self._model
