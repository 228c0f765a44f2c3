"""TLS: certificates that are not trusted, those that the user names, and interrupts under it."""

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.fetch import Binding, fetch_json
from hermes_core.transport.network import Network
from hermes_core.transport.tls import trusted_context
from tests.fakes.provider import FakeProvider, Reply, Text, Wait, say
from tests.fakes.proxy import FakeProxy
from tests.hermes_core.transport.conftest import CARRIERS, KEY, carried_at, runtime_at, texts_of

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(cert)]
    subprocess.run([*command.split(), *subject, *files], check=True, capture_output=True)
    return cert, key


@pytest.fixture
def provider(certificate: tuple[Path, Path]) -> Iterator[FakeProvider]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with FakeProvider(tls=context, owners=["custom"]) as provider:
        yield provider


@pytest.fixture(params=CARRIERS)
def runtime(request: pytest.FixtureRequest, provider: FakeProvider) -> Runtime:
    return carried_at(f"https://localhost:{provider.port}/v1", request.param)


BODY = {"model": "m", "messages": []}


@needs_openssl
def test_an_unknown_certificate_is_refused_before_anything_is_sent(
    provider: FakeProvider, runtime: Runtime
) -> None:
    with (
        pytest.raises(ConfigError, match="SSL_CERT_FILE") as caught,
        open_stream(runtime, BODY, interrupt=Interrupt()),
    ):
        pass
    assert provider.requests == []
    assert KEY not in str(caught.value)


@needs_openssl
def test_a_certificate_that_the_user_names_is_trusted(
    provider: FakeProvider, runtime: Runtime, certificate: tuple[Path, Path]
) -> None:
    provider.script(say("a"), say("b"))
    network = Network(ca_file=str(certificate[0]))
    for _ in range(2):
        with open_stream(runtime, BODY, interrupt=Interrupt(), network=network) as stream:
            assert len(list(stream)) > 1
    assert len({request.peer for request in provider.requests}) == 1


@needs_openssl
def test_a_name_that_the_certificate_does_not_have_is_refused(
    provider: FakeProvider, certificate: tuple[Path, Path]
) -> None:
    runtime = runtime_at(f"https://127.0.0.1:{provider.port}/v1")
    network = Network(ca_file=str(certificate[0]))
    with (
        pytest.raises(ConfigError, match="not trusted"),
        open_stream(runtime, {}, interrupt=Interrupt(), network=network),
    ):
        pass
    assert provider.requests == []


@needs_openssl
def test_a_proxy_is_gone_through_and_sees_neither_key_nor_words(
    provider: FakeProvider, runtime: Runtime, certificate: tuple[Path, Path]
) -> None:
    provider.script(say("a"), say("b"))
    with FakeProxy(provider.port) as proxy:
        network = Network(ca_file=str(certificate[0]), proxy=proxy.url)
        for _ in range(2):
            with open_stream(runtime, BODY, interrupt=Interrupt(), network=network) as stream:
                assert len(list(stream)) > 1
        assert [head.splitlines()[0] for head in proxy.heads] == [
            f"CONNECT localhost:{provider.port} HTTP/1.1".encode()
        ]
        assert KEY.encode() not in b"".join(proxy.heads)
    assert all(KEY in str(request.headers) for request in provider.requests)


@pytest.fixture
def behind_tls(
    provider: FakeProvider, certificate: tuple[Path, Path]
) -> Iterator[tuple[FakeProxy, Network]]:
    """Yield a proxy that is itself reached by TLS, and the way through it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with FakeProxy(provider.port, context) as proxy:
        yield proxy, Network(ca_file=str(certificate[0]), proxy=proxy.url, connect_timeout=20)


@needs_openssl
def test_a_proxy_may_be_reached_by_tls_itself(
    provider: FakeProvider, runtime: Runtime, behind_tls: tuple[FakeProxy, Network]
) -> None:
    proxy, network = behind_tls
    words = ["word " * 50_000, "end"]
    provider.script(say(*words), say("b"))
    for expected in ("".join(words), "b"):
        with open_stream(runtime, BODY, interrupt=Interrupt(), network=network) as stream:
            assert "".join(text for chunk in stream for text in texts_of(chunk)) == expected
    assert len(proxy.heads) == 1


@needs_openssl
def test_a_blocked_read_is_woken_under_both(
    provider: FakeProvider, runtime: Runtime, behind_tls: tuple[FakeProxy, Network]
) -> None:
    provider.script(Reply([Text("a"), Wait(threading.Event())]))
    interrupt = Interrupt()

    def work() -> None:
        with open_stream(
            runtime,
            BODY,
            interrupt=interrupt,
            network=behind_tls[1],
            before_wait=lambda: seen and threading.Thread(target=interrupt.set).start(),
        ) as stream:
            for chunk in stream:
                seen.extend(texts_of(chunk))

    seen: list[str] = []
    with pytest.raises(Interrupted):
        work()
    assert seen == ["a"]


@needs_openssl
def test_small_requests_go_the_same_way(
    provider: FakeProvider, certificate: tuple[Path, Path]
) -> None:
    url = f"https://localhost:{provider.port}/token"
    binding = Binding("acme", Secret(KEY), frozenset({f"localhost:{provider.port}"}))
    provider.script(*(Reply(body={"ok": 1}) for _ in range(2)))
    with FakeProxy(provider.port) as proxy:
        network = Network(ca_file=str(certificate[0]), proxy=proxy.url)
        fetch_json(url, binding=binding, network=network)
        fetch_json(url, binding=binding, network=network, method="POST", data={"a": "b"})
        assert len(proxy.heads) == 2
    with pytest.raises(ConfigError, match="SSL_CERT_FILE"):
        fetch_json(url, binding=binding)
    assert len(provider.requests) == 2


@needs_openssl
def test_a_blocked_read_is_woken_under_tls_too(
    provider: FakeProvider, runtime: Runtime, certificate: tuple[Path, Path]
) -> None:
    provider.script(Reply([Text("a"), Wait(threading.Event())]))
    network = Network(ca_file=str(certificate[0]))
    interrupt = Interrupt()
    waits = threading.Event()

    def stop() -> None:
        assert waits.wait(20)
        interrupt.set()

    stopper = threading.Thread(target=stop)
    stopper.start()

    def work() -> None:
        with open_stream(runtime, BODY, interrupt=interrupt, network=network) as stream:
            for _ in stream:
                waits.set()

    with pytest.raises(Interrupted):
        work()
    stopper.join()


def test_a_certificate_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.pem"):
        trusted_context(str(tmp_path / "missing.pem"))
    (tmp_path / "text.pem").write_text("no certificate")
    with pytest.raises(ConfigError, match=r"text\.pem"):
        trusted_context(str(tmp_path / "text.pem"))


def test_openssls_own_variables_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted_context.cache_clear()
    before = len(trusted_context().get_ca_certs())
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    monkeypatch.setenv("SSL_CERT_FILE", str(empty))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    trusted_context.cache_clear()
    assert len(trusted_context().get_ca_certs()) == before > 0
