"""The first moments: nothing but the protocol on stdout, nothing on stderr, no key needed."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW
from tests.e2e.stage import COMMAND, ROOT, Stage
from tests.fakes.provider import Call, calls, say


async def test_the_first_line_in_an_empty_home_is_the_answer_with_a_way_to_log_in(
    tmp_path: Path,
) -> None:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TERM": "dumb",
        "PYTHONPATH": str(ROOT),
    }
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environ,
        cwd=tmp_path,
    )
    params = {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {"readTextFile": True, "writeTextFile": True},
            "terminal": True,
            "_meta": {"terminal_output": True, "terminal-auth": True},
        },
    }
    call = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    output, errors = await process.communicate(json.dumps(call).encode() + b"\n")
    (line,) = output.splitlines()
    answer = json.loads(line)
    assert answer["id"] == 0
    methods = answer["result"]["authMethods"]
    assert any(method.get("type", "agent") == "agent" for method in methods)
    assert errors == b""
    assert process.returncode == 0


async def test_a_client_with_a_terminal_is_told_how_to_log_in_there(
    running: Callable[..., Any], stage: Stage
) -> None:
    async with running(stage, capabilities={"auth": {"terminal": True}}) as client:
        methods = client.initialized["authMethods"]
    assert [method.get("type", "agent") for method in methods] == ["agent", "terminal"]


async def test_noise_of_commands_never_reaches_the_protocol(client: AcpClient) -> None:
    command = (
        "for fd in 0 1 2 3 4 5 6 7 8 9; do { echo noise >/dev/fd/$fd; } 2>/dev/null; done;"
        " { echo noise >/dev/tty; } 2>/dev/null; echo noise >&2; echo said"
    )
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(
        calls(Call("terminal", {"command": command}, id="noise-1")), say("Done.")
    )
    session = await client.new_session()
    assert await session.prompt("make noise") == "end_turn"
    assert "said" in session.card["rawOutput"]


NOISY = """
import os, subprocess, sys, warnings
from hermes_core.providers import ProviderProfile, register_provider

print("noise by print")
sys.stdout.write("noise by write\\n")
sys.stderr.write("noise on stderr\\n")
os.write(1, b"noise by the system\\n")
subprocess.run(["echo", "noise by a child"])
warnings.warn("noise by a warning")
register_provider(
    ProviderProfile(name="noisy", display_name="Noisy", base_url=os.environ["NOISY_URL"],
                    key_optional=True, default_model="test-model")
)
"""


async def test_noise_of_plugins_never_reaches_the_protocol(stage: Stage) -> None:
    folder = stage.home / "plugins" / "model-providers" / "noisy"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("api: 1\n", encoding="utf-8")
    (folder / "__init__.py").write_text(NOISY, encoding="utf-8")
    stage.configure(model={"provider": "noisy"})
    stage.provider.script(say("Hello."))
    client = AcpClient(stage)
    await client.start_io(*COMMAND, env={"NOISY_URL": stage.provider.base_url})
    await client.initialize()
    session = await client.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert session.text == "Hello."
    await client.stop()


async def test_demo_needs_no_key_and_no_settings(running: Callable[..., Any], stage: Stage) -> None:
    (stage.home / "config.yaml").unlink()
    environ = stage.environ | {"HERMES_INFERENCE_PROVIDER": "demo"}
    client = AcpClient(stage)
    await client.start_io(*COMMAND, env=environ)
    await client.initialize()
    client.editor.decide = lambda _: ALLOW
    session = await client.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert session.text
    await client.stop()


async def test_the_log_is_private_and_holds_no_key(client: AcpClient) -> None:
    client.stage.provider.script(say("Hello."))
    session = await client.new_session()
    await session.prompt("hi")
    log = client.stage.home / "logs" / "hermes.log"
    assert log.stat().st_mode & 0o777 == 0o600
    store = client.stage.home / "hermes_sessions.db"
    assert store.stat().st_mode & 0o777 == 0o600
    assert "key-key-" not in log.read_text(encoding="utf-8")
