"""The watch over keys catches what is planted, and makes the test fail in which it happened."""

import base64
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fakes.canaries import WATCH, Leak, canary, forms_of, may_hold_key, owners_in
from tests.fakes.provider import FakeProvider, say
from tests.fakes.proxy import FakeProxy

ROOT = Path(__file__).parents[2]
MINE, OTHER = canary("mine"), canary("other")

Plant = tuple[str, dict[str, str], str]
PLANTS: dict[str, Callable[[str], Plant]] = {
    "the path": lambda key: (f"/v1/{key}", {}, ""),
    "the query": lambda key: (f"/v1/models?key={quote(key, safe='')}", {}, ""),
    "its own header": lambda key: ("/v1", {"Authorization": f"Bearer {key}"}, ""),
    "any header": lambda key: ("/v1", {"X-Trace": f"a={key};b"}, ""),
    "a header's name": lambda key: ("/v1", {key.rstrip("/+="): "x"}, ""),
    "basic credentials": lambda key: (
        "/v1",
        {"Authorization": f"Basic {base64.b64encode(f'user:{key}'.encode()).decode()}"},
        "",
    ),
    "the body": lambda key: ("/v1", {}, json.dumps({"messages": [{"content": key}]})),
    "base64 in the body": lambda key: (
        "/v1",
        {},
        json.dumps({"data": base64.urlsafe_b64encode(f"?{key}?".encode()).decode()}),
    ),
}


def post(port: int, path: str, headers: dict[str, str], body: str) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("POST", path, body, headers)
        connection.getresponse().read()


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_strangers_key_is_seen_wherever_it_stands(plant: Callable[[str], Plant]) -> None:
    with FakeProvider(lambda request: say("hi"), owners=["mine"]) as provider:
        path, headers, body = plant(OTHER)
        post(provider.port, path, headers, body or "{}")
        (leak,) = set(WATCH.take())
        assert leak == Leak("other", f"port {provider.port}, stand-in of mine")


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_ones_own_key_is_no_leak(plant: Callable[[str], Plant]) -> None:
    with FakeProvider(lambda request: say("hi"), owners=["mine"]) as provider:
        path, headers, body = plant(MINE)
        post(provider.port, path, headers, body or "{}")
        assert WATCH.take() == []


def test_a_proxy_gets_no_key_at_all() -> None:
    with FakeProvider(owners=["mine"]) as provider, FakeProxy(provider.port) as proxy:
        port = int(proxy.url.rpartition(":")[2])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.set_tunnel("a.example", 80, {"Proxy-Authorization": f"Bearer {MINE}"})
            connection.connect()
        assert WATCH.take() == [Leak("mine", "a proxy")]


@pytest.mark.parametrize("offset", range(4))
def test_every_form_is_known(offset: int) -> None:
    text = f"{'x' * offset}{MINE}{'y' * 5}"
    shapes = [text, quote(text, safe=""), json.dumps(text), text.replace("/", r"\/")]
    for shape in (*shapes, base64.b64encode(text.encode()).decode()):
        assert owners_in(shape.encode()) == {"mine"}
        assert any(form in shape.encode() for form in forms_of(MINE)), shape
        assert may_hold_key(shape.encode())


def test_keys_differ_and_stay() -> None:
    keys = {canary("mine"), canary("mine", "exported"), canary("other")}
    assert len(keys) == 3
    assert canary("mine") in keys
    assert owners_in(" ".join(keys).encode()) == {"mine", "other"}


PLANTED = """
import http.client
import pytest
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider, say


@pytest.mark.parametrize("owner", ["mine", "other"])
def test_it(owner):
    with FakeProvider(lambda request: say("hi"), owners=["mine"]) as provider:
        connection = http.client.HTTPConnection("127.0.0.1", provider.port, timeout=30)
        connection.request("POST", "/", "{}", {"Authorization": canary(owner)})
        connection.getresponse().read()
        connection.close()
"""


def test_a_test_that_leaks_fails(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p tests.conftest -p no:xdist\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rE", "test_planted.py"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "ERROR test_planted.py::test_it[other]" in done.stdout
    assert "the key of other reached port" in done.stdout
