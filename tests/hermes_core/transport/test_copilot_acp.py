"""A program as a model's endpoint: what it is told, what comes back, and how it ends."""

import os
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    ConnectionFailed,
    Interrupted,
    ModelNotFound,
    ProviderError,
    RateLimited,
    ServerError,
    StreamCut,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.processes import wait_for_stragglers
from hermes_core.transport.carrier import Stream, open_stream, warm
from hermes_core.transport.network import Network, network_for
from hermes_core.wire.sse import END
from tests.fakes.acp_agent import acp_agent, received

NETWORK = Network(idle_timeout=30, environment=lambda: {"PATH": os.defpath, "MARKER": "yes"})
TOOL = {"type": "function", "function": {"name": "read_file", "parameters": {}}}
BODY: dict[str, Any] = {
    "model": "copilot-acp",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
    "tools": [TOOL],
}
WATCHDOG = 20.0


def runtime_of(command: list[str], model: str = "copilot-acp", **more: Any) -> Runtime:
    options = (("command", command[0]), ("args", shlex.join(command[1:])))
    return Runtime(
        "copilot-acp",
        model,
        "chat_completions",
        "acp://copilot",
        Secret(""),
        auth="process",
        options=options,
        **more,
    )


def ask(
    command: list[str], model: str = "copilot-acp", network: Network = NETWORK
) -> list[dict[str, Any]]:
    runtime = runtime_of(command, model)
    with open_stream(runtime, BODY, interrupt=Interrupt(), network=network) as stream:
        return list(stream)


def deltas(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert chunks[-1] is END
    return [chunk["choices"][0]["delta"] for chunk in chunks[:-1]]


def finish(chunks: list[dict[str, Any]]) -> str:
    return str(chunks[-2]["choices"][0]["finish_reason"])


def test_text_and_thoughts_come_as_chunks(tmp_path: Path) -> None:
    chunks = ask(acp_agent(tmp_path, {"think": "hm"}, {"say": "Hello"}, {"say": " there"}))
    assert deltas(chunks) == [
        {"reasoning_content": "hm"},
        {"content": "Hello"},
        {"content": " there"},
        {},
    ]
    assert finish(chunks) == "stop"


def test_the_agent_is_told_the_conversation_and_offered_nothing(tmp_path: Path) -> None:
    ask(acp_agent(tmp_path, {"say": "ok"}))
    start, initialize, new, prompt = received(tmp_path)
    assert [m["method"] for m in (initialize, new, prompt)] == [
        "initialize",
        "session/new",
        "session/prompt",
    ]
    capabilities = initialize["params"]["clientCapabilities"]
    assert capabilities == {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    }
    assert new["params"]["mcpServers"] == []
    assert Path(new["params"]["cwd"]).name == Path(start["cwd"]).name
    text = prompt["params"]["prompt"][0]["text"]
    assert "Be brief." in text
    assert "read_file" in text
    assert prompt["params"]["sessionId"] == "s1"


def test_it_runs_in_an_empty_folder_that_goes_away(tmp_path: Path) -> None:
    ask(acp_agent(tmp_path, {"say": "ok"}))
    wait_for_stragglers()
    assert not Path(received(tmp_path)[0]["cwd"]).exists()


def test_its_environment_is_what_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", "stray-export")
    ask(acp_agent(tmp_path, {"say": "ok"}))
    env = received(tmp_path)[0]["env"]
    assert env["MARKER"] == "yes"
    assert "stray-export" not in env.values()


def test_the_configured_environment_holds_proxies_but_no_keys() -> None:
    env = {"HTTPS_PROXY": "http://p:1", "GH_TOKEN": "k", "OPENAI_API_KEY": "k", "PATH": "/bin"}
    network = network_for(Config(home=Path("/nonexistent"), env=env), "acp://copilot")
    assert network.environment is not None
    passed = network.environment()
    assert passed["HTTPS_PROXY"] == "http://p:1"
    assert "k" not in passed.values()


def test_tool_calls_are_read_from_its_text(tmp_path: Path) -> None:
    called = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
    chunks = ask(acp_agent(tmp_path, {"say": "Look: " + called[:30]}, {"say": called[30:]}))
    first, second, _ = deltas(chunks)
    assert first == {"content": "Look: "}
    (call,) = second["tool_calls"]
    assert call["function"] == {"name": "read_file", "arguments": '{"path": "a"}'}
    assert finish(chunks) == "tool_calls"


def test_what_it_asks_for_is_refused(tmp_path: Path) -> None:
    options = [{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]
    ask(
        acp_agent(
            tmp_path,
            {"ask": "session/request_permission", "params": {"options": options}},
            {"ask": "session/request_permission", "params": {"options": options[:1]}},
            {"ask": "fs/read_text_file", "params": {"path": "/etc/passwd"}},
            {"ask": "terminal/create", "params": {"command": "id"}},
            {"update": {"sessionUpdate": "tool_call", "title": "mine"}},
            {"say": "ok"},
        )
    )
    answers = [m for m in received(tmp_path) if "method" not in m and "id" in m]
    assert answers[0]["result"] == {"outcome": {"outcome": "selected", "optionId": "n"}}
    assert answers[1]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert [answer["error"]["code"] for answer in answers[2:]] == [-32601, -32601]


def test_odd_lines_are_passed_over(tmp_path: Path) -> None:
    chunks = ask(
        acp_agent(
            tmp_path,
            {"raw": "Welcome!"},
            {"raw": "[1]"},
            {"raw": '{"method": "session/update", "params": null}'},
            {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}},
            {"update": {"sessionUpdate": "agent_message_chunk", "content": None}},
            {"say": "ok"},
        )
    )
    assert deltas(chunks)[0] == {"content": "ok"}


@pytest.mark.parametrize(
    ("stop", "reason"),
    [("max_tokens", "length"), ("refusal", "content_filter"), ("end_turn", "stop")],
)
def test_the_reason_for_the_end_is_carried_over(tmp_path: Path, stop: str, reason: str) -> None:
    assert finish(ask(acp_agent(tmp_path, {"say": "a"}, {"stop": stop}))) == reason


@pytest.mark.parametrize(
    ("on", "error", "kind", "words"),
    [
        ("session/new", {"code": -32000, "message": "Log in"}, AuthFailed, "not logged in"),
        ("session/prompt", {"code": -32603, "message": "Rate limit hit"}, RateLimited, "Rate"),
        ("session/prompt", {"code": -32603, "message": "oops"}, ServerError, "oops"),
        ("initialize", {"code": -32603, "message": "oops"}, ServerError, "oops"),
    ],
)
def test_its_errors_have_our_classes(
    tmp_path: Path, on: str, error: dict[str, Any], kind: type[ProviderError], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        ask(acp_agent(tmp_path, {"fail": error}, on=on))
    assert caught.value.provider == "copilot-acp"


def test_a_program_that_ends_is_told_with_its_last_words(tmp_path: Path) -> None:
    words = "The gh-copilot extension is deprecated."
    with pytest.raises(ConnectionFailed, match="extension is deprecated"):
        ask(acp_agent(tmp_path, {"exit": 1, "stderr": words}, on="initialize"))
    with pytest.raises(StreamCut, match="ended"):
        ask(acp_agent(tmp_path, {"say": "half"}, {"exit": 0}))


def test_silence_ends_it(tmp_path: Path) -> None:
    network = Network(idle_timeout=2, environment=NETWORK.environment)
    with pytest.raises(StreamCut, match="nothing for 2 s"):
        ask(acp_agent(tmp_path, {"say": "half"}, {"hang": True}), network=network)


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(ConfigError, match="no-such-copilot was not found"):
        ask(["no-such-copilot"])
    with pytest.raises(ConfigError, match="could not be started"):
        ask(["/nonexistent/copilot"])


@pytest.mark.parametrize(
    ("session", "method"),
    [
        ({"models": {"availableModels": [{"modelId": "big"}]}}, "session/set_model"),
        (
            {
                "configOptions": [
                    {"id": "m", "category": "model", "options": [{"value": "big", "name": "B"}]}
                ]
            },
            "session/set_config_option",
        ),
    ],
)
def test_a_model_is_chosen_if_it_is_on_offer(
    tmp_path: Path, session: dict[str, Any], method: str
) -> None:
    ask(acp_agent(tmp_path, {"say": "ok"}, session=session), "big")
    assert method in [m.get("method") for m in received(tmp_path)]
    with pytest.raises(ModelNotFound, match="small"):
        ask(acp_agent(tmp_path, {"say": "ok"}, session=session), "small")


@pytest.mark.parametrize(
    ("on", "how"),
    [
        ("initialize", "interrupt"),
        ("session/new", "interrupt"),
        ("session/prompt", "interrupt"),
        ("session/prompt", "abort"),
    ],
)
def test_it_ends_at_once_wherever_it_waits(tmp_path: Path, on: str, how: str) -> None:
    steps = [{"say": "a"}] if on == "session/prompt" else []
    runtime = runtime_of(acp_agent(tmp_path, *steps, {"hang": True}, on=on))
    interrupt = Interrupt()
    streams: list[Stream] = []
    waits = threading.Event()
    raised: list[BaseException] = []

    def waiting() -> None:
        if not steps:
            waits.set()

    def work() -> None:
        try:
            with open_stream(
                runtime, BODY, interrupt=interrupt, network=NETWORK, before_wait=waiting
            ) as stream:
                streams.append(stream)
                for _ in stream:
                    waits.set()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert waits.wait(WATCHDOG)
    if how == "abort":
        streams[0].abort()
    else:
        interrupt.set()
    thread.join(WATCHDOG)
    assert [type(error) for error in raised] == [Interrupted]
    wait_for_stragglers()


def test_warming_up_starts_nothing(tmp_path: Path) -> None:
    warm(runtime_of(acp_agent(tmp_path, {"say": "ok"})))
    assert received(tmp_path) == []
