"""How each provider lets a person log in, as data. No client id of another program stands here."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import LoginSettings
from hermes_core.transport.guard import host_of, origin

Flow = Literal["device", "user_code", "code_exchange"]
"""RFC 8628; a user code with PKCE; a user code that yields an authorization code first."""


@dataclass(frozen=True, slots=True)
class Login:
    """The login service of one provider.

    device_url: where a code is asked for; token_url: where tokens are fetched and refreshed.
    more_token_urls: asked in turn if the first cannot be reached.
    exchange_url: where a token is traded for a short-lived one before each use; token_envs: the
        variables that may hold such a token.
    client_id: empty until the user has registered the program; register: what that takes.
    form: whether requests are forms rather than JSON.
    refresh_header: carries the refresh token, where it does not stand in the request's body.
    skew: seconds before its end from which a token is renewed.
    hosts: what an address that the service names must be, a leading dot for any name below it.
    default: whether ``hermes auth login`` means this login rather than a pasted key.
    """

    provider: str
    flow: Flow
    device_url: str
    token_url: str
    more_token_urls: tuple[str, ...] = ()
    exchange_url: str = ""
    token_envs: tuple[str, ...] = ()
    client_id: str = ""
    client_secret: Secret = field(default_factory=lambda: Secret(""))
    scope: str = ""
    form: bool = True
    refresh_header: str = ""
    skew: float = 120.0
    hosts: tuple[str, ...] = ()
    register: str = ""
    default: bool = True


_GITHUB = "github.com"
_NOUS = "https://portal.nousresearch.com"

_LOGINS = (
    Login(
        "nous",
        "device",
        f"{_NOUS}/api/oauth/device/code",
        f"{_NOUS}/api/oauth/token",
        scope="inference:invoke",
        refresh_header="x-nous-refresh-token",
        hosts=(".nousresearch.com",),
        register="a device-code client with Nous Portal (scope inference:invoke)",
    ),
    Login(
        "openai-codex",
        "code_exchange",
        "https://auth.openai.com/api/accounts/deviceauth/usercode",
        "https://auth.openai.com/oauth/token",
        register="a device-code client with OpenAI",
    ),
    Login(
        "copilot",
        "device",
        f"https://{_GITHUB}/login/device/code",
        f"https://{_GITHUB}/login/oauth/access_token",
        exchange_url=f"https://api.{_GITHUB}/copilot_internal/v2/token",
        token_envs=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
        scope="read:user",
        hosts=(".githubcopilot.com",),
        register="an OAuth app with device flow at https://github.com/settings/developers",
    ),
    Login(
        "anthropic",
        "device",
        "",
        "https://platform.claude.com/v1/oauth/token",
        more_token_urls=("https://console.anthropic.com/v1/oauth/token",),
        form=False,
        skew=60.0,
        register="a client with Anthropic",
        default=False,
    ),
    Login(
        "minimax-oauth",
        "user_code",
        "https://api.minimax.io/oauth/code",
        "https://api.minimax.io/oauth/token",
        scope="group_id profile model.completion",
        skew=60.0,
        hosts=(".minimax.io", ".minimaxi.com"),
        register="a user-code client with MiniMax (scope group_id profile model.completion)",
    ),
    Login(
        "qwen-oauth",
        "device",
        "",
        "https://chat.qwen.ai/api/v1/oauth2/token",
        hosts=(".qwen.ai",),
        register="a client with Qwen (its free login ended on 2026-04-15)",
    ),
)

LOGINS: Mapping[str, Login] = MappingProxyType({login.provider: login for login in _LOGINS})


def login_of(config: Config, provider: str) -> Login | None:
    """Return how one logs in with ``provider``, the user's settings applied; None for keys alone.

    Settings are those of ``auth.PROVIDER`` in config.yaml, and addresses in ``.env`` (never the
    process environment's, which may be a project's).
    """
    own = config.auth.get(provider.lower(), LoginSettings())
    login = LOGINS.get(provider)
    if login is None and not own.token_url:
        return None
    if login is None:
        login = Login(provider, "device", "", "", register="a client with your login service")
    login = _elsewhere(login, config.user_env)
    return replace(
        login,
        device_url=own.device_url or login.device_url,
        token_url=own.token_url or login.token_url,
        more_token_urls=() if own.token_url else login.more_token_urls,
        exchange_url=own.exchange_url or login.exchange_url,
        client_id=own.client_id,
        client_secret=own.client_secret,
        scope=own.scope or login.scope,
    )


def allowed_address(login: Login, url: str) -> str | None:
    """Return an address that the login service named, if it lies where its tokens may go.

    It must be https and on a host of ``login.hosts``, or on the host of the login service itself
    where the user chose that (a stand-in, an enterprise's own).
    """
    try:
        scheme, host, port = origin(url)
    except ConfigError:
        return None
    if (scheme, port) == ("https", 443):
        for pattern in login.hosts:
            if host == pattern.lstrip(".") or (pattern[0] == "." and host.endswith(pattern)):
                return url.rstrip("/")
    usual = LOGINS.get(login.provider)
    service = login.exchange_url or login.token_url
    chosen = usual is None or service != (usual.exchange_url or usual.token_url)
    return url.rstrip("/") if chosen and service and host_of(url) == host_of(service) else None


def _elsewhere(login: Login, user_env: Mapping[str, str]) -> Login:
    """Return ``login`` with the hosts that ``.env`` names instead of the usual ones."""
    if login.provider == "copilot" and user_env.get("COPILOT_GH_HOST"):
        host = user_env["COPILOT_GH_HOST"].strip().removeprefix("https://").rstrip("/")
        return replace(
            login,
            device_url=f"https://{host}/login/device/code",
            token_url=f"https://{host}/login/oauth/access_token",
            exchange_url=f"https://api.{host}/copilot_internal/v2/token",
            hosts=(*login.hosts, f".{host}"),
        )
    portal = user_env.get("HERMES_PORTAL_BASE_URL") or user_env.get("NOUS_PORTAL_BASE_URL")
    if login.provider == "nous" and portal:
        portal = portal.strip().rstrip("/")
        return replace(
            login,
            device_url=f"{portal}/api/oauth/device/code",
            token_url=f"{portal}/api/oauth/token",
        )
    return login
