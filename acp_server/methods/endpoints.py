"""``providers/list``, ``providers/set`` and ``providers/disable``, of the unstable schema.

A client may route this process's requests through an endpoint of its own. That lasts as long as the
process and is written nowhere. ``main`` is what answers where a session chose nothing else; any
other name is an endpoint that sessions can choose. What the user's settings name is listed too; it
is changed there, not here. Headers are taken and never told again.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_server.mapping import Json
from acp_server.methods.threads import in_thread
from acp_server.rpc.errors import invalid_params
from acp_server.schema.unstable import (
    DisableProviderRequest,
    ListProvidersRequest,
    SetProviderRequest,
)
from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NO_KEY, NamedProvider

if TYPE_CHECKING:
    from acp_server.methods.connection import Connection

MAIN = "main"

MODES: Mapping[str, ApiMode] = {"openai": "chat_completions", "anthropic": "anthropic_messages"}
"""What a client may set, and the format that it is."""

_TYPES: Mapping[str, str] = {
    "chat_completions": "openai",
    "codex_responses": "_openai_responses",
    "anthropic_messages": "anthropic",
}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_KEYS = {"authorization": "bearer ", "x-api-key": "", "api-key": ""}
"""Headers that hold a key, and what stands before it."""


class Endpoints:
    """The endpoints that the client has set, by their names. A snapshot can be had anywhere."""

    def __init__(self) -> None:
        self.entries: Mapping[str, NamedProvider] = {}

    def applied(self, config: Config) -> Config:
        """Return the settings with them."""
        entries = self.entries
        if not entries:
            return config
        own = tuple(one for one in config.providers if one.name not in entries)
        config = replace(config, providers=(*own, *entries.values()))
        if MAIN not in entries:
            return config
        return replace(
            config,
            provider=f"custom:{MAIN}",
            base_url=None,
            api_key=NO_KEY,
            key_env=None,
            api_mode=None,
            extra_headers=(),
        )


def register(connection: "Connection") -> None:
    """Register the methods."""
    method = connection.server.method
    method("providers/list", ListProvidersRequest)(partial(list_providers, connection))
    method("providers/set", SetProviderRequest)(partial(set_provider, connection))
    method("providers/disable", DisableProviderRequest)(partial(disable, connection))


async def list_providers(connection: "Connection", _params: dict[str, Any]) -> dict[str, Any]:
    """Return what requests go through, and what the client has set."""
    return {"providers": await in_thread(_listed, connection)}


async def set_provider(connection: "Connection", params: dict[str, Any]) -> dict[str, Any]:
    """Route requests through an endpoint from the next step on."""
    await in_thread(_set, connection, params)
    return {}


async def disable(connection: "Connection", params: dict[str, Any]) -> dict[str, Any]:
    """Forget an endpoint that the client has set; one that there is not is none either."""
    await in_thread(_disable, connection, params["providerId"])
    return {}


def _listed(connection: "Connection") -> list[Json]:
    from hermes_core.model.assembly import runtime_for
    from hermes_core.providers.resolution import Request

    config, entries = connection.config(), connection.endpoints.entries
    found = [_info(MAIN, _quietly(connection.runtime), is_set=MAIN in entries)]
    for entry in config.providers:
        if entry.name == MAIN or not entry.enabled:
            continue
        request = Request(provider=f"custom:{entry.name}", model=entry.model or "any")
        runtime = _quietly(partial(runtime_for, request, config))
        found.append(_info(entry.name, runtime, is_set=entry.name in entries))
    return found


def _set(connection: "Connection", params: Mapping[str, Any]) -> None:
    entry = entry_of(params)
    if entry.name != MAIN and _is_bundled(connection, entry.name):
        text = f"{entry.name} is a provider that Hermes knows; choose another name."
        raise invalid_params(f"providerId: {text}", "providerId")
    connection.endpoints.entries = {**connection.endpoints.entries, entry.name: entry}
    _use(connection)


def _disable(connection: "Connection", name: str) -> None:
    endpoints = connection.endpoints
    if name not in endpoints.entries:
        known = [one["providerId"] for one in _listed(connection)]
        if name in known:
            text = f"{name} stands in the user's settings, where alone it can be taken out."
            raise invalid_params(f"providerId: {text}", "providerId")
        return
    endpoints.entries = {key: one for key, one in endpoints.entries.items() if key != name}
    _use(connection)


def _use(connection: "Connection") -> None:
    config = connection.config()
    for session in list(connection.sessions.values()):
        session.agent.configure(config)
        session.options.tell_changes()


def entry_of(params: Mapping[str, Any]) -> NamedProvider:
    """Return the endpoint that ``providers/set`` describes; raises ``RpcError`` (-32602)."""
    name, kind, url = params["providerId"], params["apiType"], params["baseUrl"].strip()
    if not _NAME.fullmatch(name):
        text = "letters, digits, dots, - and _ alone, at most 64."
        raise invalid_params(f"providerId: {text}", "providerId")
    if kind not in MODES:
        raise invalid_params(f"apiType: there is {', '.join(MODES)}.", "apiType")
    _require_safe(url)
    key, headers = NO_KEY, []
    for header, value in (params.get("headers") or {}).items():
        before = _KEYS.get(header.lower())
        REDACTOR.register(Secret(value))
        if before is not None and value.lower().startswith(before):
            key = Secret(value[len(before) :].strip())
            REDACTOR.register(key)
        else:
            headers.append((header, value))
    return NamedProvider(
        name,
        base_url=url,
        api_key=key,
        api_mode=MODES[kind],
        extra_headers=tuple(headers),
    )


def _require_safe(url: str) -> None:
    from hermes_core.transport.guard import is_loopback, origin

    try:
        scheme, host, _ = origin(url)
    except ConfigError:
        raise invalid_params("baseUrl: an address that begins with https://", "baseUrl") from None
    if scheme != "https" and not is_loopback(host):
        raise invalid_params("baseUrl: without https it has to be this machine.", "baseUrl")
    if "$" in url:  # what config.yaml writes for a variable
        raise invalid_params("baseUrl: it holds a $.", "baseUrl")


def _is_bundled(connection: "Connection", name: str) -> bool:
    from hermes_core.providers.registry import directory_for

    return directory_for(connection.config().home).is_name(name.lower())


def _quietly(resolve: Any) -> Runtime | None:
    try:
        found: Runtime = resolve()
    except HermesError:
        return None
    return found


def _info(name: str, runtime: Runtime | None, *, is_set: bool) -> Json:
    info: Json = {"providerId": name, "supported": list(MODES), "required": not is_set}
    if runtime is not None:
        kind = _TYPES.get(runtime.api_mode, f"_{runtime.api_mode}")
        info["current"] = {"apiType": kind, "baseUrl": runtime.base_url}
        info["_meta"] = {"hermes": {"provider": runtime.provider}}
    return info
