"""What the protocol says about forms and pages, followed over one connection.

- Only what the client announced is asked.
- A question belongs to a session that works, and there to a card that runs, or to an open request.
- A page is told to be done once, and only one that was shown.
"""

from typing import Any

from tests.schema.validate import Sender, WireError

Message = dict[str, Any]


class Asking:
    """Takes every message of a connection; raises ``WireError`` for a wrong one."""

    def __init__(self) -> None:
        self._modes: set[str] = set()
        self._open: set[tuple[type, Any]] = set()
        self._shown: set[str] = set()

    def check(self, message: Message, sender: Sender) -> None:
        """Take the next message of ``sender``."""
        method, params = message.get("method"), message.get("params") or {}
        if sender == "client" and method is not None and "id" in message:
            self._open.add((type(message["id"]), message["id"]))
            if method == "initialize":
                told = params.get("clientCapabilities", {}).get("elicitation") or {}
                self._modes = {mode for mode, one in told.items() if one is not None}
        elif sender == "agent" and method is None:
            self._open.discard((type(message["id"]), message["id"]))
        elif method == "elicitation/create":
            self._asked(message, params)
        elif method == "elicitation/complete":
            self._done(message, params["elicitationId"])

    def _asked(self, message: Message, params: Message) -> None:
        if params["mode"] not in self._modes:
            raise WireError(f"The client did not announce that it shows this: {message}")
        if "requestId" in params:
            request = params["requestId"]
            if "sessionId" in params or (type(request), request) not in self._open:
                raise WireError(f"The question belongs to no open request: {message}")
        if params["mode"] == "url":
            if params["elicitationId"] in self._shown:
                raise WireError(f"The page was shown before: {message}")
            self._shown.add(params["elicitationId"])

    def _done(self, message: Message, page: str) -> None:
        if page not in self._shown:
            raise WireError(f"There is no such page, or it was done before: {message}")
        self._shown.discard(page)
