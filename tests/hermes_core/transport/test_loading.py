"""What a carrier loads: its own SDK, and never a second HTTP engine."""

import json
import os
import subprocess
import sys

import pytest

LIBRARIES = {"httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic", "boto3", "botocore"}
PROGRAM = """
import json, sys
from hermes_core.ground.interrupt import Interrupt
from hermes_core.transport.carrier import open_stream, warm
from tests.fakes.provider import FakeProvider, say
from tests.hermes_core.transport.conftest import carried_at
with FakeProvider() as provider:
    provider.script(say("a"))
    runtime = carried_at(provider.base_url, sys.argv[1])
    warm(runtime)
    warmed = set(sys.modules)
    with open_stream(runtime, {"model": "m", "messages": []}, interrupt=Interrupt()) as stream:
        list(stream)
print(json.dumps([sorted(warmed), sorted(set(sys.modules) - warmed)]))
"""


def run(carrier: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, carrier],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize("carrier", ["responses", "messages"])
def test_an_sdk_keeps_the_conversation_to_itself(carrier: str) -> None:
    assert run(carrier, OPENAI_LOG="debug", ANTHROPIC_LOG="debug").stderr == ""


@pytest.mark.parametrize(
    ("carrier", "expected"),
    [
        ("chat", {"httpcore"}),
        ("responses", {"httpcore", "httpx2", "openai"}),
        ("messages", {"httpcore", "httpx2", "anthropic"}),
        ("bedrock", {"httpcore", "httpx2", "anthropic"}),
    ],
)
def test_a_carrier_loads_its_own_libraries_and_when_it_is_warmed(
    carrier: str, expected: set[str]
) -> None:
    done = run(carrier)
    warmed, later = map(set, json.loads(done.stdout))
    assert warmed & LIBRARIES == expected
    assert later & LIBRARIES == set()
