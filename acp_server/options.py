"""What a session can be set to, as a client shows it: model, mode, how much the model thinks, how
fast it is served, and whether another one looks at what runs unasked.

The list is always whole. Models are those of ``hermes_core.commands.choices``: what is stored and
known, so that nobody is asked while a session opens. A change that the client did not make itself
is told by ``config_option_update``; whether there was one is looked at after each model call, after
each command and at the end of a turn.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from acp_server.mapping import Json, mode_update
from hermes_core.commands.mode import MODES
from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.ground.events import Emit, Event, ToolCallFinished, UsageUpdated
from hermes_core.ground.reasoning import EFFORTS, OWN
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.speeds import USUAL

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent
    from hermes_core.commands.choices import Choice, Choices

MODEL, MODE, THOUGHT, SPEED = "model", "mode", "thought_level", "speed"
OPINION = "second_opinion"

UNSET = "default"
"""The thought level and the speed of a session, and of a configuration, that say nothing."""

_log = logging.getLogger(__name__)

_NONE = "none chosen"
_SPEEDS = {
    "fast": ("Fast", "Answers sooner, at a higher price"),
    "flex": ("Flex", "Answers later, at a lower price, and may be refused for lack of room"),
}
_LEVELS = {UNSET: "Default", "none": "None", "xhigh": "Extra high", "max": "Maximum"}

Offered = Callable[[Runtime | None], "Sequence[Choices]"]


class Options:
    """The options of one session; may be used from any thread.

    offered: returns the models to choose from, given what is in use. tell: sends an update of the
    session, also between turns. booleans: whether the client knows options that are on or off.
    """

    def __init__(
        self,
        agent: "Callable[[], AIAgent]",
        offered: Offered,
        tell: Callable[[Json], None],
        *,
        booleans: bool = False,
    ) -> None:
        self._agent = agent
        self._offered = offered
        self._tell = tell
        self._booleans = booleans
        self._lock = threading.Lock()
        self._told: list[Json] | None = None
        self._told_mode = ""
        self._state: object = None

    def listed(self) -> list[Json]:
        """Return all options with their values, for an answer; the client knows them then."""
        with self._lock:
            self._state = self._read_state()
            self._told_mode = self._agent().mode
            self._told = self._build()
            return self._told

    def choose(self, option: str, value: object) -> None:
        """Set an option from the next step on.

        Raises ``ConfigError`` for one that there is not, and for a value that cannot be used.
        """
        setters = {
            MODEL: self._set_model,
            MODE: self._set_mode,
            THOUGHT: self._set_thought,
            SPEED: self._set_speed,
        }
        offered = [one["id"] for one in self._build()]
        if option not in offered:
            raise ConfigError(f"There is no option {option!r}. There are: {', '.join(offered)}.")
        if option == OPINION:
            if not isinstance(value, bool):
                raise ConfigError(f"The option {option!r} is on or off: true or false is needed.")
            self._agent().choose_second_opinion(value)
        elif not isinstance(value, str):
            raise ConfigError(f"The option {option!r} takes one of its values, not on or off.")
        else:
            setters[option](value)

    def changes(self) -> list[Json]:
        """Return the updates that tell what has changed since the client was told last.

        None for a client that was never told anything, and the same change is not returned twice.
        """
        with self._lock:
            if self._told is None or self._state == (state := self._read_state()):
                return []
            self._state = state
            updates, mode, options = [], self._agent().mode, self._build()
            if mode != self._told_mode:
                self._told_mode = mode
                updates.append(mode_update(mode))
            if options != self._told:
                self._told = options
                update = {"sessionUpdate": "config_option_update", "configOptions": options}
                updates.append(update)
            return updates

    def tell_changes(self) -> None:
        """Tell the client what has changed, as soon as updates of the session may come."""
        try:
            updates = self.changes()
        except HermesError as error:  # told by what needs the settings
            _log.info("the options of a session cannot be read: %s", error)
            return
        for update in updates:
            self._tell(update)

    def watching(self, then: Emit) -> Emit:
        """Return an ``Emit`` that hands on and looks for changes after each model and tool call."""

        def emit(event: Event) -> None:
            then(event)
            if isinstance(event, UsageUpdated | ToolCallFinished):
                self.tell_changes()

        return emit

    # What there is

    def _read_state(self) -> tuple[object, ...]:
        """Return what the options depend on, which is cheap to read."""
        agent, runtime = self._agent(), self._runtime()
        used = None if runtime is None else (runtime.provider, runtime.model, runtime.base_url)
        effort = None if runtime is None else runtime.reasoning_effort
        speed = None if runtime is None else runtime.speed
        opinion = self._booleans and agent.second_opinion
        return (agent.mode, used, effort, speed, opinion, id(self._offered(runtime)))

    def _runtime(self) -> Runtime | None:
        with suppress(HermesError):
            return self._agent().chosen
        return None

    def _build(self) -> list[Json]:
        runtime = self._runtime()
        options = [
            _model_option(self._offered(runtime), runtime),
            _mode_option(self._agent().mode),
            _thought_option(runtime),
            _speed_option(runtime),
            _opinion_option(self._agent().second_opinion) if self._booleans else None,
        ]
        return [option for option in options if option is not None]

    # Changes

    def _set_model(self, value: str) -> None:
        runtime = self._runtime()
        for group in self._offered(runtime):
            for choice in group.models:
                if value == model_value(group.provider, choice.model):
                    self._agent().choose_model(group.provider, choice.model)
                    return
        provider, _, model = value.partition("/")
        if not provider or not model:
            raise ConfigError(f"There is no model {value!r}. Choose one of the list.")
        self._agent().choose_model(provider, model)

    def _set_mode(self, value: str) -> None:
        mode = next((info.id for info in MODES if info.id == value), None)
        if mode is None:
            known = ", ".join(info.id for info in MODES)
            raise ConfigError(f"There is no mode {value!r}. There are: {known}.")
        self._agent().mode = mode

    def _set_thought(self, value: str) -> None:
        known = [value for value, _ in _levels(self._runtime())]
        if value not in known:
            raise ConfigError(f"There is no level {value!r}. There are: {', '.join(known)}.")
        self._agent().choose_effort(OWN if value == UNSET else value)

    def _set_speed(self, value: str) -> None:
        known = [UNSET, *(one.word for one in getattr(self._runtime(), "speeds", ()))]
        if value not in known:
            raise ConfigError(f"There is no speed {value!r}. There are: {', '.join(known)}.")
        self._agent().choose_speed(USUAL if value == UNSET else value)


def model_value(provider: str, model: str) -> str:
    """Return the value that stands for a model; names of providers hold no slash."""
    return f"{provider}/{model}"


def _model_option(offered: "Sequence[Choices]", runtime: Runtime | None) -> Json | None:
    if not offered:
        return None
    groups = [
        {
            "group": group.provider,
            "name": group.name,
            "options": [_model(group.provider, choice) for choice in group.models],
        }
        for group in offered
    ]
    if runtime is None:
        nothing: Json = {"value": _NONE, "name": "None chosen"}
        groups.insert(0, {"group": _NONE, "name": "Nothing is set up", "options": [nothing]})
    current = _NONE if runtime is None else model_value(runtime.provider, runtime.model)
    return _select(MODEL, "Model", "The model that answers from the next step on", current, groups)


def _model(provider: str, choice: "Choice") -> Json:
    shown: Json = {
        "value": model_value(provider, choice.model),
        "name": choice.name or choice.model,
    }
    told = []
    if choice.window:
        told.append(f"{choice.window:,} tokens")
    if choice.prices is not None:
        read, written = choice.prices
        told.append(f"${read:.4g} in, ${written:.4g} out for a million tokens")
    if told:
        shown["description"] = "; ".join(told)
    return shown


def _mode_option(current: str) -> Json:
    values = [{"value": m.id, "name": m.name, "description": m.description} for m in MODES]
    return _select(MODE, "Mode", "What runs without asking", current, values)


def _thought_option(runtime: Runtime | None) -> Json | None:
    levels = _levels(runtime)
    if runtime is None or not levels:
        return None
    values = [{"value": value, "name": name} for value, name in levels]
    current = _nearest(runtime.reasoning_effort, [value for value, _ in levels])
    return _select(THOUGHT, "Thinking", "How much the model thinks", current, values)


def _speed_option(runtime: Runtime | None) -> Json | None:
    if runtime is None or not runtime.speeds:
        return None
    values = [{"value": UNSET, "name": "Usual"}]
    for speed in runtime.speeds:
        name, told = _SPEEDS[speed.word]
        price = "its cost is not counted" if speed.price is None else f"{speed.price:g} x the price"
        values.append({"value": speed.word, "name": name, "description": f"{told}; {price}"})
    current = UNSET if runtime.speed is None else runtime.speed.word
    return _select(SPEED, "Speed", "How fast the model is served", current, values)


def _opinion_option(current: bool) -> Json:
    return {
        "id": OPINION,
        "name": "Second opinion",
        "description": "A model looks at what would run unasked, and may have you asked",
        "type": "boolean",
        "currentValue": current,
    }


def _levels(runtime: Runtime | None) -> list[tuple[str, str]]:
    """Return the levels that a model can be told, each with its name for people."""
    from hermes_core.wire.formats import efforts_of

    words = efforts_of(runtime) if runtime is not None else ()
    return [(one, _LEVELS.get(one, one.capitalize())) for one in ((UNSET, *words) if words else ())]


def _nearest(effort: str | None, levels: Sequence[str]) -> str:
    """Return the level that an effort comes to: the strongest that is not stronger."""
    if effort is None or effort in levels:
        return effort or UNSET
    rank = EFFORTS.index(effort) if effort in EFFORTS else EFFORTS.index("medium")
    weaker = [level for level in levels if level in EFFORTS[: rank + 1] and level != "none"]
    stronger = [level for level in levels if level in EFFORTS[rank:]]
    return weaker[-1] if weaker else (*stronger, UNSET)[0]


def _select(option: str, name: str, description: str, current: str, values: Any) -> Json:
    return {
        "id": option,
        "name": name,
        "description": description,
        "category": option,
        "type": "select",
        "currentValue": current,
        "options": values,
    }
