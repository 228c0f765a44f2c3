"""The client's side of ACP, as little as one prompt needs (https://agentclientprotocol.com)."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from hermes_core.ground.errors import (
    AuthFailed,
    ConnectionFailed,
    MalformedResponse,
    ModelNotFound,
    ProviderError,
    RateLimited,
    ServerError,
    StreamCut,
)
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.version import __version__
from hermes_core.local.pipes import Pipe
from hermes_core.transport.error_bodies import said_in

_AUTH_REQUIRED: Final = -32000
_METHOD_NOT_FOUND: Final = -32601
_LIMIT_WORDS: Final = ("rate limit", "quota", "too many requests")


class AcpClient:
    """Talks to one agent; used by one thread. idle: seconds of silence that it may keep."""

    def __init__(
        self, runtime: Runtime, pipe: Pipe, idle: float, before_wait: Callable[[], None] | None
    ) -> None:
        self._runtime = runtime
        self._pipe = pipe
        self._idle = idle
        self._before_wait = before_wait
        self._last_id = 0
        self._begun = False

    def initialize(self) -> None:
        """Say who we are, and that we offer nothing."""
        files = {"readTextFile": False, "writeTextFile": False}
        self._call(
            "initialize",
            protocolVersion=1,
            clientCapabilities={"fs": files, "terminal": False},
            clientInfo={"name": "hermes-editor-agent", "version": __version__},
        )

    def new_session(self, cwd: str) -> dict[str, Any]:
        """Open a session in ``cwd`` and return what the agent says of it."""
        session = self._call("session/new", cwd=cwd, mcpServers=[])
        if not isinstance(session.get("sessionId"), str):
            raise self._failure(MalformedResponse, "opened a session without an id")
        return session

    def choose_model(self, session: dict[str, Any], model: str) -> None:
        """Let the session use ``model``. Raises ``ModelNotFound`` if it is not on offer."""
        target = {"sessionId": session["sessionId"]}
        known = (session.get("models") or {}).get("availableModels") or []
        if any(entry.get("modelId") == model for entry in known):
            self._call("session/set_model", **target, modelId=model)
            return
        for option in session.get("configOptions") or []:
            if option.get("category") == "model" and model in _values(option):
                self._call(
                    "session/set_config_option", **target, configId=option["id"], value=model
                )
                return
        raise self._failure(ModelNotFound, f"does not offer {model}")

    def prompt(self, session_id: str, text: str) -> Iterator[tuple[str, str]]:
        """Send ``text``; yield ("text", …) and ("thought", …), then ("end", the stop reason)."""
        content = [{"type": "text", "text": text}]
        number = self._send("session/prompt", sessionId=session_id, prompt=content)
        kinds = {"agent_message_chunk": "text", "agent_thought_chunk": "thought"}
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                yield "end", str(self._result(message).get("stopReason", "end_turn"))
                return
            update = self._react(message)
            kind = kinds.get(update.get("sessionUpdate", ""))
            words = (update.get("content") or {}).get("text") if kind else None
            if kind and isinstance(words, str):
                self._begun = True
                yield kind, words

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        number = self._send(method, **params)
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                return self._result(message)
            self._react(message)

    def _send(self, method: str, **params: Any) -> int:
        self._last_id += 1
        self._write({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def _write(self, message: dict[str, Any]) -> None:
        self._pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _receive(self) -> dict[str, Any]:
        """Return the agent's next message; lines that are none are passed over."""
        while True:
            try:
                line = self._pipe.read_line(self._idle, self._before_wait)
            except TimeoutError:
                raise self._broken(f"said nothing for {self._idle:g} s") from None
            except EOFError:
                raise self._broken(f"ended{self._reason()}") from None
            except ValueError:
                raise self._failure(MalformedResponse, "wrote a line without an end") from None
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                return message

    def _react(self, message: dict[str, Any]) -> dict[str, Any]:
        """Refuse what the agent asks for; return the update if the message is one."""
        method = message.get("method")
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "session/update":
            update = params.get("update")
            return update if isinstance(update, dict) else {}
        if method is not None and "id" in message:
            self._write({"id": message["id"], **_refusal(method, params)})
        return {}

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        error = message.get("error")
        if error is None:
            result = message.get("result")
            return result if isinstance(result, dict) else {}
        said, _ = said_in({"error": error})
        code = error.get("code") if isinstance(error, dict) else None
        if code == _AUTH_REQUIRED:
            raise self._failure(AuthFailed, f"is not logged in ({said}). Log in with it first")
        limited = any(words in said.lower() for words in _LIMIT_WORDS)
        raise self._failure(RateLimited if limited else ServerError, f"failed: {said.rstrip('.')}")

    def _broken(self, what: str) -> ProviderError:
        return self._failure(StreamCut if self._begun else ConnectionFailed, what)

    def _failure(self, kind: type[ProviderError], what: str) -> ProviderError:
        return kind(
            f"{self._runtime.provider}'s program {what}.",
            provider=self._runtime.provider,
            model=self._runtime.model,
        )

    def _reason(self) -> str:
        lines = self._pipe.last_words.strip().splitlines()
        said, _ = said_in("\n".join(lines[-3:]).encode())
        return f": {said.rstrip('.')}" if said else ""


def _refusal(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method != "session/request_permission":
        return {"error": {"code": _METHOD_NOT_FOUND, "message": "Not offered here."}}
    options = params.get("options") or []
    reject = next((o for o in options if o.get("kind") in ("reject_once", "reject_always")), None)
    if reject is None:
        return {"result": {"outcome": {"outcome": "cancelled"}}}
    return {"result": {"outcome": {"outcome": "selected", "optionId": reject.get("optionId")}}}


def _values(option: dict[str, Any]) -> list[str]:
    """Return what a selection offers, in groups or not."""
    found: list[str] = []
    for entry in option.get("options") or []:
        nested = entry.get("options")
        found += [e.get("value", "") for e in nested] if nested else [entry.get("value", "")]
    return found
