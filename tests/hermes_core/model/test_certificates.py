"""A certificate that is not trusted is the user's to mend: no other provider hides it."""

import shutil
import ssl
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.model.chain import Resolved
from tests.fakes.provider import FakeProvider
from tests.hermes_core.model.candidates import Make, Providers, ask, at
from tests.hermes_core.model.conftest import Shown


@pytest.fixture
def unknown(tmp_path: Path) -> ssl.SSLContext:
    """Return a server's side of TLS with a certificate that nobody vouches for."""
    key, cert = str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    more = ["-subj", "/CN=localhost", "-keyout", key, "-out", cert]
    subprocess.run([*command.split(), *more], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificate")
def test_an_unknown_certificate_is_told_and_nobody_else_is_asked(
    unknown: ssl.SSLContext, make: Make, providers: Providers, shown: Shown
) -> None:
    with FakeProvider(tls=unknown) as server:
        place = f"localhost:{server.port}"
        first = replace(at(providers[0]), base_url=f"https://{place}/v1", hosts=frozenset({place}))
        model = make(Resolved(first), Resolved(at(providers[1], 1)), retries=3)
        with pytest.raises(ConfigError, match="is not trusted"):
            ask(model, shown)
        assert server.requests == []
    assert providers[1].requests == []
    assert shown.statuses == []
