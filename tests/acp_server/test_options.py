"""The options of a session: what each state shows, what a change does, what is told."""

from dataclasses import replace
from typing import Any, cast

import pytest

from acp_server.mapping import Json
from acp_server.options import Options
from hermes_core.agent.agent import AIAgent
from hermes_core.commands.choices import Choice, Choices
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.events import StatusChanged, UsageUpdated
from hermes_core.ground.reasoning import EFFORT, OWN, Reasoning
from hermes_core.ground.runtime import Compat, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.speeds import Speed

THINKS = Compat(reasoning=Reasoning(on={"effort": EFFORT}, off={"effort": "none"}))
RUNTIME = Runtime("lab", "big/one", "chat_completions", "http://x", Secret(""), compat=THINKS)
OFFERED = [
    Choices("lab", "The Lab", (Choice("big/one", "Big", 9_000, (3.0, 0.25)), Choice("small"))),
    Choices("other", "Other", (Choice("third", window=1_000),)),
]


class Agent:
    """An agent whose settings can be read and changed."""

    def __init__(self, runtime: Runtime | None = RUNTIME) -> None:
        self.runtime = runtime
        self.mode: Mode = "default"
        self.second_opinion = False

    @property
    def chosen(self) -> Runtime:
        if self.runtime is None:
            raise NoCredentials("no key")
        return self.runtime

    def choose_model(self, provider: str, model: str) -> None:
        if provider == "closed":
            raise ConfigError("closed has no key.")
        self.runtime = replace(self.chosen, provider=provider, model=model)

    def choose_second_opinion(self, wanted: bool) -> None:
        self.second_opinion = wanted

    def choose_effort(self, effort: str | None) -> None:
        own = None if effort == OWN else effort
        self.runtime = replace(self.chosen, reasoning_effort=own)


class Stage:
    def __init__(self, runtime: Runtime | None = RUNTIME, *, booleans: bool = False) -> None:
        self.agent = Agent(runtime)
        self.offered = list(OFFERED)
        self.told: list[Json] = []
        self.options = Options(
            lambda: cast(AIAgent, self.agent),
            lambda _: self.offered,
            self.told.append,
            booleans=booleans,
        )

    def option(self, name: str) -> Json:
        (found,) = [one for one in self.options.listed() if one["id"] == name]
        return found


@pytest.fixture
def stage() -> Stage:
    return Stage()


def values(option: Json) -> list[Any]:
    return [one["value"] for one in option["options"]]


def test_what_is_on_or_off_is_offered_to_those_who_know_it() -> None:
    assert all(one["type"] == "select" for one in Stage().options.listed())
    with pytest.raises(ConfigError, match="There is no option 'second_opinion'"):
        Stage().options.choose("second_opinion", True)
    stage = Stage(booleans=True)
    assert stage.option("second_opinion")["currentValue"] is False
    stage.options.choose("second_opinion", True)
    assert stage.option("second_opinion")["currentValue"] is True
    stage.agent.second_opinion = False
    stage.options.tell_changes()
    (told,) = stage.told
    assert told["configOptions"][-1]["currentValue"] is False


@pytest.mark.parametrize("value", ["true", "on", 1, None])
def test_what_is_on_or_off_takes_nothing_else(value: object) -> None:
    stage = Stage(booleans=True)
    with pytest.raises(ConfigError, match="true or false is needed"):
        stage.options.choose("second_opinion", value)
    assert stage.agent.second_opinion is False


def test_models_stand_in_groups_with_size_and_price(stage: Stage) -> None:
    model = stage.option("model")
    assert model["currentValue"] == "lab/big/one"
    assert model["options"] == [
        {
            "group": "lab",
            "name": "The Lab",
            "options": [
                {
                    "value": "lab/big/one",
                    "name": "Big",
                    "description": "9,000 tokens; $3 in, $0.25 out for a million tokens",
                },
                {"value": "lab/small", "name": "small"},
            ],
        },
        {
            "group": "other",
            "name": "Other",
            "options": [{"value": "other/third", "name": "third", "description": "1,000 tokens"}],
        },
    ]


def test_the_level_of_thinking_is_offered_where_the_model_takes_one(stage: Stage) -> None:
    assert values(stage.option("thought_level")) == ["default", "none", "low", "medium", "high"]
    assert stage.option("thought_level")["currentValue"] == "default"
    plain = Stage(replace(RUNTIME, compat=Compat()))
    assert [one["id"] for one in plain.options.listed()] == ["model", "mode"]


def test_the_speeds_are_offered_where_the_model_is_served_so(stage: Stage) -> None:
    assert "speed" not in [one["id"] for one in stage.options.listed()]
    speeds = (Speed("fast"), Speed("flex", price=0.5))
    quick = Stage(replace(RUNTIME, speeds=speeds, speed=speeds[1]))
    option = quick.option("speed")
    assert (option["category"], option["currentValue"]) == ("speed", "flex")
    assert values(option) == ["default", "fast", "flex"]
    told = [one.get("description", "") for one in option["options"]]
    assert "its cost is not counted" in told[1]
    assert "0.5 x the price" in told[2]
    assert Stage(replace(RUNTIME, speeds=speeds)).option("speed")["currentValue"] == "default"


@pytest.mark.parametrize(
    ("effort", "shown"),
    [("high", "high"), ("max", "high"), ("minimal", "low"), ("none", "none"), ("odd", "medium")],
)
def test_an_effort_is_shown_as_the_level_that_it_comes_to(effort: str, shown: str) -> None:
    stage = Stage(replace(RUNTIME, reasoning_effort=effort))
    assert stage.option("thought_level")["currentValue"] == shown


def test_without_a_model_the_others_can_be_chosen() -> None:
    stage = Stage(None)
    model = stage.option("model")
    assert model["currentValue"] in values(model["options"][0])
    assert [group["group"] for group in model["options"][1:]] == ["lab", "other"]
    stage.offered = []
    assert [one["id"] for one in stage.options.listed()] == ["mode"]


def test_a_choice_is_the_agents(stage: Stage) -> None:
    stage.options.choose("model", "other/third")
    stage.options.choose("thought_level", "high")
    stage.options.choose("mode", "accept_edits")
    assert (stage.agent.chosen.provider, stage.agent.chosen.model) == ("other", "third")
    assert stage.agent.chosen.reasoning_effort == "high"
    assert stage.agent.mode == "accept_edits"
    stage.options.choose("thought_level", "default")
    assert stage.agent.chosen.reasoning_effort is None


def test_a_model_that_is_in_no_list_can_be_named(stage: Stage) -> None:
    stage.options.choose("model", "lab/vendor/new")
    assert stage.agent.chosen.model == "vendor/new"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("nothing", "x"),
        ("mode", "x"),
        ("mode", True),
        ("model", "x"),
        ("model", "closed/x"),
        ("thought_level", "x"),
    ],
)
def test_what_cannot_be_is_refused(stage: Stage, option: str, value: object) -> None:
    with pytest.raises(ConfigError):
        stage.options.choose(option, value)


def test_changes_are_told_once_and_only_to_who_was_told_before(stage: Stage) -> None:
    stage.agent.mode = "accept_edits"
    stage.options.tell_changes()
    assert stage.told == []
    stage.options.listed()
    stage.agent.mode = "default"
    for _ in range(2):
        stage.options.tell_changes()
    kinds = [update["sessionUpdate"] for update in stage.told]
    assert kinds == ["current_mode_update", "config_option_update"]
    assert [one["id"] for one in stage.told[1]["configOptions"]] == [
        "model",
        "mode",
        "thought_level",
    ]


def test_a_longer_list_is_a_change_and_the_same_one_is_none(stage: Stage) -> None:
    stage.options.listed()
    stage.offered = list(OFFERED)
    assert stage.options.changes() == []
    stage.offered = [*OFFERED, Choices("new", "New", (Choice("m"),))]
    (update,) = stage.options.changes()
    assert update["sessionUpdate"] == "config_option_update"


def test_after_a_model_call_it_is_looked_whether_another_answered(stage: Stage) -> None:
    seen: list[object] = []
    emit = stage.options.watching(seen.append)
    stage.options.listed()
    stage.agent.choose_model("other", "third")
    emit(StatusChanged("info", "Going on with third."))
    assert stage.told == []
    emit(UsageUpdated(1, 2))
    assert len(seen) == 2
    (update,) = stage.told
    assert update["configOptions"][0]["currentValue"] == "other/third"
