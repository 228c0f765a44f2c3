"""Tasks beside the chat: whose model does them, with which key, and what stands in."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import (
    ConfigError,
    ConnectionFailed,
    Interrupted,
    MalformedResponse,
    ServerError,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import user_message
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_keys import TASKS
from hermes_core.local.provider_settings import AuxiliaryTask, Choice, NamedProvider
from hermes_core.model.assembly import runtime_for
from hermes_core.model.auxiliary import auxiliary
from hermes_core.providers.resolution import Request
from tests.fakes.canaries import canary
from tests.fakes.provider import Call, Finish, Reasoning, Reply, Text, Wait, calls, fail, say
from tests.hermes_core.model.candidates import NOW, Providers

HI = [user_message("hi")]
CHAT_KEY = canary("p0", "chat")
OPENAI_KEY = canary("openai-api")
TASK_KEY = canary("p1", "task")
THIRD_KEY = canary("p2", "third")


@pytest.fixture
def config(tmp_path: Path, providers: Providers) -> Config:
    """The chat is at the first provider, by an endpoint of the user's own with a key."""
    return Config(
        home=tmp_path,
        provider="custom",
        model="chat",
        base_url=providers[0].base_url,
        api_key=Secret(CHAT_KEY),
        api_max_retries=0,
        user_env={"OPENAI_API_KEY": OPENAI_KEY},
    )


def with_task(config: Config, name: str = "compression", **keys: Any) -> Config:
    return replace(config, auxiliary={name: AuxiliaryTask(**keys)})


@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_done_by_the_chats_model_unless_told_otherwise(
    task: str, config: Config, providers: Providers
) -> None:
    providers[0].script(Reply([Reasoning("hm"), Text("done")]))
    assert auxiliary(config, task).ask(HI) == "done"
    (request,) = providers[0].requests
    assert request.body["model"] == "chat"
    assert "tools" not in request.body
    assert request.headers["authorization"] == f"Bearer {CHAT_KEY}"


@pytest.mark.parametrize(
    "request_", [Request(), Request(model="other"), Request("custom:lab", "m")]
)
def test_main_is_resolved_exactly_as_the_chat_is(
    request_: Request, config: Config, providers: Providers
) -> None:
    entry = NamedProvider("lab", base_url=providers[1].base_url)
    config = with_task(replace(config, providers=(entry,)), provider="main")
    assert auxiliary(config, "compression", request_).runtime == runtime_for(request_, config)


def test_a_task_has_a_model_and_an_address_of_its_own(config: Config, providers: Providers) -> None:
    own = {"base_url": providers[1].base_url, "model": "small", "api_key": Secret(TASK_KEY)}
    providers[1].script(say("done"))
    task = auxiliary(
        with_task(config, **own, extra_body={"seed": 7}, reasoning_effort="low"), "compression"
    )
    assert task.runtime.reasoning_effort == "low"
    assert task.ask(HI) == "done"
    (request,) = providers[1].requests
    assert (request.body["model"], request.body["seed"]) == ("small", 7)
    assert request.headers["authorization"] == f"Bearer {TASK_KEY}"


@pytest.mark.parametrize("provider", ["auto", "main", "custom"])
def test_no_key_of_the_chat_goes_to_a_tasks_address(
    provider: str, config: Config, providers: Providers
) -> None:
    providers[1].script(say("done"))
    own = {"provider": provider, "base_url": providers[1].base_url, "model": "small"}
    auxiliary(with_task(config, **own), "compression").ask(HI)
    (request,) = providers[1].requests
    assert "authorization" not in request.headers
    assert OPENAI_KEY not in str(request.headers)


def test_no_key_of_the_chat_goes_to_an_address_of_a_tasks_chain(
    config: Config, providers: Providers
) -> None:
    chain = (
        Choice("custom", "a", base_url=providers[1].base_url),
        Choice("custom", "b", base_url=providers[2].base_url, api_key=Secret(THIRD_KEY)),
    )
    providers[0].script(fail(503, "busy", **NOW))
    providers[1].script(fail(401, "who are you"))
    providers[2].script(say("done"))
    assert auxiliary(with_task(config, fallback_chain=chain), "compression").ask(HI) == "done"
    assert "authorization" not in providers[1].requests[0].headers
    assert providers[2].requests[0].headers["authorization"] == f"Bearer {THIRD_KEY}"


def test_the_chats_chain_is_not_the_tasks(config: Config, providers: Providers) -> None:
    chain = (Choice("custom", "a", base_url=providers[1].base_url),)
    providers[0].script(fail(503, "busy", **NOW))
    with pytest.raises(ServerError):
        auxiliary(replace(config, fallback_providers=chain), "compression").ask(HI)


def test_a_provider_brings_its_own_model_for_such_work(config: Config) -> None:
    config = replace(config, user_env={"ANTHROPIC_API_KEY": "sk-ant-api-0123456789abcdef"})
    runtime = auxiliary(with_task(config, provider="anthropic"), "compression").runtime
    assert runtime.provider == "anthropic"
    assert "haiku" in runtime.model


def test_a_task_that_takes_too_long_is_given_up(config: Config, providers: Providers) -> None:
    never = threading.Event()
    providers[0].script(Reply([Wait(never), Text("late")]))
    with pytest.raises(ConnectionFailed, match=r"compression was not done within 0\.05 s"):
        auxiliary(with_task(config, timeout=0.05), "compression").ask(HI)


def test_an_interrupt_ends_it(config: Config) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        auxiliary(config, "compression").ask(HI, interrupt)


@pytest.mark.parametrize(
    "replies", [[say("  "), say("")], [calls(Call("f", {}))]], ids=["blank", "call"]
)
def test_an_answer_without_text_is_none(
    replies: list[Reply], config: Config, providers: Providers
) -> None:
    providers[0].script(*replies)
    with pytest.raises(MalformedResponse):
        auxiliary(config, "compression").ask(HI)


def test_an_answer_can_be_had_as_it_is_cut_off_or_not(config: Config, providers: Providers) -> None:
    providers[0].script(Reply([Text("half"), Finish("length")]))
    answer = auxiliary(config, "compression").answer(HI)
    assert (answer["content"], answer["finish_reason"]) == ("half", "length")


def test_after_two_answers_of_nothing_comes_the_tasks_chain(
    config: Config, providers: Providers
) -> None:
    chain = (Choice("custom", "a", base_url=providers[1].base_url),)
    providers[0].script(say(""), say(" "))
    providers[1].script(say("done"))
    assert auxiliary(with_task(config, fallback_chain=chain), "compression").ask(HI) == "done"


def test_a_task_that_there_is_not_is_named(config: Config) -> None:
    with pytest.raises(ConfigError, match="title_generation"):
        auxiliary(config, "cooking")
