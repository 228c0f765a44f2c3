"""A home full of keys: no key is at a host not its own, or anywhere that keeps or shows things."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest

from hermes_core.ground.messages import user_message
from hermes_core.local.config import load_config
from hermes_core.model.auxiliary import auxiliary
from tests.e2e.editor import ALLOW, AgentError, Session
from tests.e2e.hoard import BOUND, FACTS, MAY_HOLD_KEYS, SHAPES, Hoard, Tapped, said_to
from tests.e2e.stage import Stage
from tests.fakes.canaries import canary
from tests.fakes.provider import Recorded, fail, say
from tests.hermes_core.providers.facts import Wire, wires

UNLIKE = {"custom", "azure-foundry", "copilot-acp", "ollama"}
"""Providers without an address of their own; ``custom`` has tests below."""


@pytest.fixture
def hoard(stage: Stage) -> Iterator[Hoard]:
    with ExitStack() as opened:
        yield Hoard(stage, opened)


@asynccontextmanager
async def tapped(hoard: Hoard) -> AsyncIterator[Tapped]:
    """Run the program, then search all that it said, logged, stored and handed on."""
    client = Tapped(hoard)
    await client.start()
    try:
        await client.initialize()
        client.editor.decide = lambda _: ALLOW
        yield client
        assert hoard.found_on_disk() == []  # the database's log is folded in at the end
    except BaseException:
        client.process.kill()
        raise
    await client.stop()
    assert b"DEBUG" in client.errors
    places = {"what it said": client.heard, "what it was told": client.said}
    for place, data in {**places, "stderr": client.errors}.items():
        assert hoard.found_in(place, bytes(data)) == []
    assert hoard.found_on_disk() == []
    for name in MAY_HOLD_KEYS & {path.name for path in hoard.stage.home.iterdir()} - {
        ".env",
        "config.yaml",
    }:
        assert (hoard.stage.home / name).stat().st_mode & 0o077 == 0


def keys_at(requests: list[Recorded]) -> list[set[str]]:
    """Return the canaries in the headers of each call of a model."""
    return [
        {word for word in said_to(request).split() if word.startswith("cnry.")}
        for request in calls_in(requests)
    ]


def calls_in(requests: list[Recorded]) -> list[Recorded]:
    """Return the calls of a model; lists of models are asked for in the background too."""
    return [request for request in requests if request.method == "POST"]


async def ask(
    client: Tapped, provider: str, name: str = "m", /, **sections: Any
) -> tuple[Session, str]:
    """Have a turn in a new session; return it with the failure in which it may have ended."""
    client.hoard.configure(provider, name, **sections)
    session = await client.new_session()
    try:
        await session.prompt("Look around.")
    except AgentError as error:
        return session, str(error)
    return session, ""


def one_wire_each() -> dict[str, Wire]:
    """Return a request of each provider that has an address, at that address."""
    found = {}
    for wire in wires():
        own = wire.base_url == FACTS[wire.provider]["base_url"]
        if own and wire.provider not in UNLIKE and FACTS[wire.provider]["url_variable"]:
            found.setdefault(wire.provider, wire)
    return found


async def test_every_provider(hoard: Hoard) -> None:
    async with tapped(hoard) as client:
        for name, wire in one_wire_each().items():
            session, failure = await ask(client, name, wire.model)
            requests = calls_in(hoard.servers[name].requests)
            own = canary(next(iter(FACTS[name]["key_variables"]), ""))
            if name in BOUND:
                assert failure, name
                assert keys_at(requests) == [], name
                continue
            assert (failure, keys_at(requests)) == ("", [{own}, {own}]), name
            assert not any(b"cnry." in request.raw for request in requests), name
            for seen in (b"looked", b"credential_pool", b"TERM=dumb"):
                assert seen in requests[1].raw, (name, seen)
            assert b"HERMES_HOME=" not in requests[1].raw
            assert "I was sent" in session.text, name
            assert "[redacted]" in session.text, name
            assert (hoard.taken / name).read_text().count("PATH=") == 2
    assert {wire.api_mode for wire in one_wire_each().values()} == {
        "chat_completions",
        "codex_responses",
        "anthropic_messages",
    }
    assert hoard.nobody.requests == []


async def test_endpoints_that_the_user_named(hoard: Hoard) -> None:
    at = hoard.servers
    own = {"base_url": hoard.url("custom"), "api_key": canary("custom")}
    custom = {"model": {"provider": "custom", "default": "m", **own}}
    chain = [{"provider": "zai", "model": "glm-5.2"}]
    async with tapped(hoard) as client:
        assert (await ask(client, "custom", **custom))[1] == ""
        assert keys_at(at["custom"].requests) == [{canary("custom")}] * 2
        assert (await ask(client, "custom:lab"))[1] == ""
        assert keys_at(at["lab"].requests) == [{canary("LAB_KEY")}] * 2

        at["deepseek"].handler = lambda request: fail(500, f"broken: {said_to(request)}")
        session, failure = await ask(
            client, "deepseek", "deepseek-v4-pro", fallback_providers=chain
        )
        assert "Going on with glm-5.2" in session.joined("agent_thought_chunk")
        assert (failure, keys_at(at["zai"].requests)) == ("", [{canary("GLM_API_KEY")}] * 2)

        to = hoard.nobody.base_url
        at["moved"].handler = lambda request: fail(
            307, "moved", location=f"{to}?was={said_to(request)}"
        )
        _, failure = await ask(client, "custom:moved")
        assert "redirects" in failure
        assert keys_at(at["moved"].requests) == [{canary("MOVED_KEY")}]

        session, failure = await ask(client, "mine")
        assert (failure, session.text[:7]) == ("", "Renewed")
        sent = keys_at([r for r in hoard.service.requests if r.path.endswith("/completions")])
        assert sent == [{canary("mine", "access")}, {canary("mine", "renewed")}]

        for name in ("custom:lab", "zai", "anthropic", "openai-api", "custom:parrot"):
            await session.prompt(f"/model list --provider {name}")
        await session.prompt("/providers")
        assert "GLM_API_KEY" in session.text
        lists = [at[name].requests[-1] for name in ("zai", "lab", "anthropic")]
        assert {request.method for request in lists} == {"GET"}
    assert hoard.nobody.requests == []


async def test_what_a_failing_provider_repeats(hoard: Hoard) -> None:
    parrot = hoard.servers["parrot"]
    async with tapped(hoard) as client:
        for name, shape in SHAPES.items():
            parrot.handler = lambda request, shape=shape: shape(said_to(request))
            before = len(parrot.requests)
            _, failure = await ask(client, "custom:parrot")
            assert failure, name
            asked = [one for one in parrot.requests[before:] if one.method == "POST"]
            assert keys_at(asked) == [{canary("parrot")}], name


def test_work_beside_the_chat(hoard: Hoard, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    task = {"provider": "minimax", "model": "MiniMax-M3", "fallback_chain": []}
    task["fallback_chain"] = [
        {"provider": "custom", "model": "m", "base_url": hoard.nobody.base_url}
    ]
    hoard.configure("zai", "glm-5.2", auxiliary={"title_generation": task})
    home = {"HERMES_HOME": str(hoard.stage.home), "HOME": str(hoard.stage.user)}
    config = load_config({**home, "PATH": os.defpath, **hoard.exports})
    minimax = hoard.servers["minimax"]
    minimax.handler = lambda request: fail(503, said_to(request), retry_after="0")
    hoard.nobody.handler = lambda request: say(f"Sent: {said_to(request)}")
    answer = auxiliary(config, "title_generation").ask([user_message("A title, please.")])
    assert answer.startswith("Sent: ")
    assert keys_at(minimax.requests)[0] == {canary("MINIMAX_API_KEY")}
    assert keys_at(hoard.nobody.requests) == [set()]
    assert hoard.found_in("the log", caplog.text.encode()) == []
    assert hoard.found_on_disk() == []


def test_the_search_finds_what_there_is(hoard: Hoard) -> None:
    hoard.configure("custom:parrot", "m")
    for name in (".env", "auth.json", "config.yaml"):
        text = (hoard.stage.home / name).read_bytes()
        assert hoard.found_in(name, text)
        (hoard.stage.home / "copy").write_bytes(text)
        assert hoard.found_on_disk()
