"""A login service on loopback: codes, tokens, single-use refresh tokens, a token exchange.

::

    with LoginService() as service:
        service.polls.append(refused("authorization_pending"))
        config = config_for(tmp_path, "nous", service)

What stands in ``polls`` answers the questions after the person's consent, one each; when it is
empty, tokens are given out. ``exchanges``, then ``exchange``, answer trades. A refresh token serves
once; using it again is ``refresh_token_reused`` and counted in ``reused``.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl

from hermes_core.local.config import Config, load_config
from tests.fakes.provider import FakeProvider, Recorded
from tests.fakes.replies import Reply

CLIENT_ID = "client-of-the-tests"


class LoginService:
    """Serves while the ``with`` block runs. owners: whose keys it may get."""

    def __init__(self, owners: Collection[str] = ()) -> None:
        self.polls: deque[Reply] = deque()
        self.invitation: dict[str, Any] = {
            "device_code": "canary-device-code-1",
            "user_code": "WDJB-MJHT",
            "verification_uri": "https://login.example/device",
            "expires_in": 600,
            "interval": 5,
        }
        self.issued = 0
        self.reused = 0
        self.life: Any = 3600
        self.refreshing: Callable[[dict[str, str]], Reply | None] = lambda fields: None
        self.exchange: Reply | None = None
        self.exchanges: deque[Reply] = deque()
        self.gate: threading.Event | None = None
        self._valid: set[str] = set()
        self._lock = threading.Lock()
        self._server = FakeProvider(self._answer, owners=owners)

    @property
    def url(self) -> str:
        """Where it is, without a path."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def requests(self) -> list[Recorded]:
        """All that was asked."""
        return self._server.requests

    def fields(self, number: int) -> dict[str, str]:
        """Return what the request with that number (from 0) sent."""
        return _fields(self.requests[number])

    def accept(self, refresh_token: str) -> None:
        """Let a refresh token that was not issued here be good for one use."""
        self._valid.add(refresh_token)

    def tokens(self) -> dict[str, Any]:
        """Make new tokens."""
        with self._lock:
            self.issued += 1
            refresh = f"canary-refresh-{self.issued}"
            self._valid.add(refresh)
            access = f"canary-access-{self.issued}"
        return {"access_token": access, "refresh_token": refresh, "expires_in": self.life}

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._server.__exit__(*error)

    def _answer(self, request: Recorded) -> Reply:
        if request.path == "/exchange":
            if self.exchanges:
                return self.exchanges.popleft()
            return self.exchange or refused("no exchange", 404)
        fields = _fields(request)
        if request.path in ("/code", "/usercode"):
            return Reply(body=self.invitation)
        grant = fields.get("grant_type", "")
        if grant == "refresh_token":
            return self._refresh(request, fields)
        if self.polls and grant != "authorization_code":
            return self.polls.popleft()
        if request.path == "/token" and not grant:
            return Reply(
                body={"authorization_code": "canary-code-1", "code_verifier": "canary-v-1"}
            )
        return Reply(body=self.tokens())

    def _refresh(self, request: Recorded, fields: dict[str, str]) -> Reply:
        token = fields.get("refresh_token") or request.headers.get("x-nous-refresh-token", "")
        special = self.refreshing(fields)
        if special is not None:
            return special
        with self._lock:
            known = token in self._valid
            self._valid.discard(token)
            self.reused += not known
        if not known:
            return refused("refresh_token_reused")
        return Reply(body=self.tokens(), before=self.gate)


def refused(code: str, status: int = 400, **more: Any) -> Reply:
    """Return an error as RFC 6749 has it."""
    return Reply(status=status, body={"error": code, **more})


def config_for(home: Path, provider: str, service: LoginService, **more: str) -> Config:
    """Return a configuration in which ``provider`` logs in at ``service``."""
    own = {
        "client_id": CLIENT_ID,
        "device_url": f"{service.url}/code",
        "token_url": f"{service.url}/token",
        **more,
    }
    home.mkdir(exist_ok=True)
    settings = {"auth": {provider: {name: value for name, value in own.items() if value}}}
    (home / "config.yaml").write_text(json.dumps(settings))
    return load_config({"HERMES_HOME": str(home), "HOME": str(home.parent)})


def _fields(request: Recorded) -> dict[str, str]:
    if "json" in request.headers.get("content-type", ""):
        return dict(request.body)
    return dict(parse_qsl(request.raw.decode()))
