"""The carrier for Claude on Amazon Bedrock: the anthropic SDK's client for it, ``sdk`` carries it.

The model goes into the path, and the request is signed with AWS credentials or bears a Bedrock API
key. AWS credentials are the runtime's key (``ID:SECRET`` or ``ID:SECRET:TOKEN``) or else found by
boto3 in the usual places: variables, shared files, the role of a container or machine. What boto3
asks there goes past this room. It is an extra, and needed for signing alone.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

import anthropic
import httpx2

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.runtime import Runtime
from hermes_core.transport.call import Call
from hermes_core.transport.eventstream import decode
from hermes_core.transport.json_body import encoded
from hermes_core.transport.messages import LAST
from hermes_core.transport.sdk import PLACEHOLDER, carried

VERSION: Final = "bedrock-2023-05-31"
"""The API version, as Bedrock wants it in the body."""

_SIGNED: Final = ("host", "content-length", "content-type", "accept")
_TAKEN: Final = (
    "content-type",
    "accept",
    "authorization",
    "x-amz-date",
    "x-amz-security-token",
    "x-amz-content-sha256",
)
_OURS_NOT: Final = ("accept", "content-type", "anthropic-beta")
"""Headers that are the SDK's here, since it signs them, or that it moves into the body."""

_EXTRA: Final = (
    "Amazon Bedrock with AWS credentials needs boto3. Install hermes-editor-agent[aws], or set a "
    "Bedrock API key as AWS_BEARER_TOKEN_BEDROCK."
)


@contextlib.contextmanager
def carry(call: Call, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Send ``body`` to the model that it names and yield the events of the answer.

    Raises ``NoCredentials`` if AWS credentials are wanted and none are found.
    """
    runtime = call.runtime
    if runtime.auth == "aws" and find_spec("boto3") is None:
        raise ConfigError(_EXTRA)
    own = [header for header in call.headers if header[0].lower() not in _OURS_NOT]
    betas = {name.lower(): value for name, value in call.headers}.get("anthropic-beta")

    def post(client: httpx2.Client) -> None:
        sdk = _Bedrock(
            aws_region=region_of(runtime),
            base_url=runtime.base_url,
            max_retries=0,
            http_client=client,
            open_telemetry=False,
        )
        _authorise(sdk, runtime)
        sdk.post(
            "/v1/messages",
            cast_to=httpx2.Response,
            body={"anthropic_version": VERSION, **json.loads(encoded(body)), "stream": True},
            options={"headers": {"anthropic-beta": betas}} if betas else {},
            stream=True,
            stream_cls=anthropic.Stream[Any],
        )

    taken = [name for name in _TAKEN if runtime.auth == "aws" or name != "authorization"]
    call = replace(call, headers=own)
    with carried(call, post, taken=taken, last=LAST, decode=decode) as chunks:
        yield chunks


def region_of(runtime: Runtime) -> str:
    """Return the AWS region, from the runtime's options or the endpoint's name."""
    region = runtime.option("region")
    labels = (urlsplit(runtime.base_url).hostname or "").split(".")
    if region is None and labels[0].startswith("bedrock-runtime") and len(labels) > 3:
        region = labels[1]
    if not region:
        raise ConfigError("Amazon Bedrock needs a region. Set bedrock.region or AWS_REGION.")
    return region


class _Bedrock(anthropic.AnthropicBedrock):
    """The SDK's client, which signs nothing that it found in the environment."""

    def _prepare_request(self, request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name not in _SIGNED]:
            del request.headers[name]
        try:
            super()._prepare_request(request)
        except RuntimeError:
            raise NoCredentials(
                "No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or a Bedrock API key as AWS_BEARER_TOKEN_BEDROCK."
            ) from None


def _authorise(sdk: anthropic.AnthropicBedrock, runtime: Runtime) -> None:
    """Tell the client what to sign with, in place of what it found in the environment."""
    sdk.api_key = None if runtime.auth == "aws" else PLACEHOLDER
    sdk.aws_profile = runtime.option("profile")
    if runtime.auth != "aws" or not runtime.api_key:
        return
    parts = runtime.api_key.reveal().split(":", 2)
    if len(parts) < 2:
        raise ConfigError("AWS credentials must have the form ID:SECRET or ID:SECRET:TOKEN.")
    sdk.aws_access_key, sdk.aws_secret_key = parts[:2]
    sdk.aws_session_token = parts[2] if len(parts) > 2 else None
