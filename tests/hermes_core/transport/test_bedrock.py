"""Claude on Bedrock: signatures, regions, credentials, and the extra that may be missing."""

import os
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from hermes_core.ground.errors import AuthFailed, ConfigError, NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.transport.bedrock import region_of
from hermes_core.transport.carrier import open_stream
from tests.fakes.provider import FakeProvider, Recorded, Reply, say
from tests.hermes_core.transport.conftest import carried_at, runtime_at, texts_of

ACCESS, SECRET = "AKIAEXAMPLEEXAMPLE00", "example/secret+key"
BODY = {"model": "us.anthropic.claude-x-v1:0", "max_tokens": 5, "messages": []}


@pytest.fixture(autouse=True)
def no_aws_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let boto3 find nothing of this machine's."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def runtime(provider: FakeProvider) -> Runtime:
    base = carried_at(provider.base_url, "bedrock", auth="aws")
    return replace(base, api_key=Secret(f"{ACCESS}:{SECRET}"))


def ask(runtime: Runtime) -> str:
    with open_stream(runtime, dict(BODY), interrupt=Interrupt()) as stream:
        return "".join(text for chunk in stream for text in texts_of(chunk))


def signature_of(request: Recorded, provider: FakeProvider, token: str | None = None) -> str:
    """Sign what arrived once more, as the service does to check it."""
    signed = re.search(r"SignedHeaders=([^,]+)", request.headers["authorization"])
    assert signed is not None
    headers = {name: request.headers[name] for name in signed[1].split(";")}
    again = AWSRequest(
        "POST", f"http://127.0.0.1:{provider.port}{request.path}", headers=headers, data=request.raw
    )
    moment = datetime.strptime(request.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    again.context["timestamp"] = moment.strftime("%Y%m%dT%H%M%SZ")
    signer = SigV4Auth(Credentials(ACCESS, SECRET, token), "bedrock", "eu-west-1")
    text = signer.string_to_sign(again, signer.canonical_request(again))
    return str(signer.signature(text, again))


@pytest.mark.parametrize("token", [None, "session:token"])
def test_what_arrives_bears_its_signature(
    provider: FakeProvider, runtime: Runtime, token: str | None
) -> None:
    provider.script(say("a", "b"))
    key = ":".join(part for part in (ACCESS, SECRET, token) if part)
    assert ask(replace(runtime, api_key=Secret(key))) == "ab"
    request = provider.requests[0]
    assert request.path == "/v1/model/us.anthropic.claude-x-v1:0/invoke-with-response-stream"
    shown = request.headers["authorization"]
    assert shown.startswith(f"AWS4-HMAC-SHA256 Credential={ACCESS}/")
    assert "/eu-west-1/bedrock/aws4_request" in shown
    assert shown.endswith(f"Signature={signature_of(request, provider, token)}")
    assert request.headers.get("x-amz-security-token") == token
    assert SECRET not in str(request.headers)


def test_credentials_are_found_in_the_usual_places(
    provider: FakeProvider, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "stray-export")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-stray: stray-export")
    provider.script(say("a"))
    assert ask(replace(runtime, api_key=Secret(""))) == "a"
    request = provider.requests[0]
    assert ACCESS in request.headers["authorization"]
    assert "stray" not in str(request.headers)


def test_a_profile_is_taken_from_the_shared_file(
    provider: FakeProvider, runtime: Runtime, tmp_path: Path
) -> None:
    lines = ["[work]", "aws_access_key_id = AKIAOFTHEPROFILE0000", "aws_secret_access_key = x"]
    (tmp_path / "credentials").write_text("\n".join(lines))
    options = (("region", "eu-west-1"), ("profile", "work"))
    provider.script(say("a"))
    assert ask(replace(runtime, api_key=Secret(""), options=options)) == "a"
    assert "AKIAOFTHEPROFILE0000" in provider.requests[0].headers["authorization"]


def test_a_profile_that_is_not_there_is_told(provider: FakeProvider, runtime: Runtime) -> None:
    options = (("region", "eu-west-1"), ("profile", "nobody"))
    with pytest.raises(ConfigError, match="nobody"):
        ask(replace(runtime, api_key=Secret(""), options=options))
    assert provider.requests == []


def test_without_credentials_it_says_what_to_set(provider: FakeProvider, runtime: Runtime) -> None:
    with pytest.raises(NoCredentials, match="AWS_PROFILE"):
        ask(replace(runtime, api_key=Secret(""), options=(("region", "ap-south-1"),)))
    assert provider.requests == []


def test_credentials_of_another_form_are_told(provider: FakeProvider, runtime: Runtime) -> None:
    with pytest.raises(ConfigError, match="ID:SECRET"):
        ask(replace(runtime, api_key=Secret("only-one-part")))
    assert provider.requests == []


def test_without_the_extra_it_says_what_to_install(
    provider: FakeProvider, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ConfigError, match=r"hermes-editor-agent\[aws\]"):
        ask(runtime)
    provider.script(say("a"))
    assert ask(replace(runtime, auth="bearer")) == "a"


def test_a_refusal_in_amazons_words_is_told(provider: FakeProvider, runtime: Runtime) -> None:
    body = {"Message": "The security token included in the request is expired"}
    headers = {"x-amzn-RequestId": "r-1", "x-amzn-ErrorType": "ExpiredTokenException"}
    provider.script(Reply(status=403, body=body, headers=headers))
    with pytest.raises(AuthFailed, match="is expired") as caught:
        ask(runtime)
    assert caught.value.request_id == "r-1"


def test_other_models_want_an_api_key(provider: FakeProvider, runtime: Runtime) -> None:
    with pytest.raises(ConfigError, match="AWS_BEARER_TOKEN_BEDROCK"):
        ask(replace(runtime, api_mode="chat_completions"))


@pytest.mark.parametrize(
    ("url", "options", "region"),
    [
        ("https://bedrock-runtime.us-west-2.amazonaws.com", {}, "us-west-2"),
        ("https://bedrock-runtime-fips.us-east-1.amazonaws.com", {}, "us-east-1"),
        ("https://proxy.example.org", {"region": "eu-north-1"}, "eu-north-1"),
        ("https://bedrock-runtime.us-west-2.amazonaws.com", {"region": "x-1"}, "x-1"),
    ],
)
def test_the_region(url: str, options: dict[str, Any], region: str) -> None:
    assert region_of(runtime_at(url, options=tuple(options.items()))) == region


def test_a_region_that_nobody_tells_is_asked_for() -> None:
    with pytest.raises(ConfigError, match=r"bedrock\.region"):
        region_of(runtime_at("https://proxy.example.org"))
