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
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.network import Network
from hermes_core.transport.tls import trusted_context
from tests.fakes.provider import FakeProvider, Reply, Text, Wait, say
from tests.hermes_core.transport.conftest import KEY, runtime_at

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
    with FakeProvider(tls=context) as provider:
        yield provider


@needs_openssl
def test_an_unknown_certificate_is_refused_before_anything_is_sent(provider: FakeProvider) -> None:
    runtime = runtime_at(f"https://localhost:{provider.port}/v1")
    with (
        pytest.raises(ConfigError, match="SSL_CERT_FILE") as caught,
        open_stream(runtime, {}, interrupt=Interrupt()),
    ):
        pass
    assert provider.requests == []
    assert KEY not in str(caught.value)


@needs_openssl
def test_a_certificate_that_the_user_names_is_trusted(
    provider: FakeProvider, certificate: tuple[Path, Path]
) -> None:
    provider.script(say("a"), say("b"))
    runtime = runtime_at(f"https://localhost:{provider.port}/v1")
    network = Network(ca_file=str(certificate[0]))
    for _ in range(2):
        with open_stream(runtime, {}, interrupt=Interrupt(), network=network) as stream:
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
def test_a_blocked_read_is_woken_under_tls_too(
    provider: FakeProvider, certificate: tuple[Path, Path]
) -> None:
    provider.script(Reply([Text("a"), Wait(threading.Event())]))
    runtime = runtime_at(f"https://localhost:{provider.port}/v1")
    network = Network(ca_file=str(certificate[0]))
    interrupt = Interrupt()
    waits = threading.Event()

    def stop() -> None:
        assert waits.wait(20)
        interrupt.set()

    stopper = threading.Thread(target=stop)
    stopper.start()

    def work() -> None:
        with open_stream(runtime, {}, interrupt=interrupt, network=network) as stream:
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
