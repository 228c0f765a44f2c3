"""What the protocol says about the order of messages, followed over one connection.

- Turn content and questions come only while a prompt of their session is open, or its loading.
- No update is sent for a session that the client does not know yet.
- A card is announced once, goes from pending over in_progress to its end, and stays there.
- When a session has no open prompt any more, none of its cards is open.
- A question is about a card that is pending, repeats its title, kind and input, has at most one
  option of a kind, and can be answered once, with yes and with no.
"""

from collections import Counter
from typing import Any

from tests.schema.validate import Sender, WireError

Message = dict[str, Any]

CONTENT = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
}
WORK = ("session/prompt", "session/load")
STEPS = ("pending", "in_progress", "completed", "failed")


class Order:
    """Takes every message of a connection as it passes; raises ``WireError`` for a wrong one."""

    def __init__(self) -> None:
        self._asked: dict[tuple[type, Any], list[Message]] = {}
        self._known: set[str] = set()
        self._open: Counter[str] = Counter()
        self._cards: dict[str, dict[str, Message]] = {}

    def check(self, message: Message, sender: Sender) -> None:
        """Take the next message of ``sender``."""
        if sender == "client":
            if "method" in message and "id" in message:
                self._request(message)
        elif "method" not in message:
            self._answer(message)
        elif message["method"] == "session/update":
            self._update(message["params"]["sessionId"], message["params"]["update"])
        elif message["method"] == "session/request_permission":
            self._question(message["params"]["sessionId"], message["params"]["toolCall"])
            _check_options([option["kind"] for option in message["params"]["options"]])

    def _request(self, message: Message) -> None:
        self._asked.setdefault(_key(message), []).append(message)
        session = _session(message)
        if message["method"] in WORK:
            self._open[session] += 1
        if message["method"] == "session/load":
            self._known.add(session)
            self._cards.pop(session, None)

    def _answer(self, message: Message) -> None:
        asked = self._asked.get(_key(message))
        if not asked:
            return
        request = asked.pop()
        if request["method"] == "session/new" and "result" in message:
            self._known.add(message["result"]["sessionId"])
        if request["method"] in WORK:
            self._end(_session(request))

    def _end(self, session: str) -> None:
        self._open[session] -= 1
        cards = self._cards.get(session, {})
        left = [name for name, card in cards.items() if card["status"] in STEPS[:2]]
        if left and not self._open[session]:
            raise WireError(f"The turn was answered while the cards {left} were open")

    def _update(self, session: str, update: Message) -> None:
        kind = update["sessionUpdate"]
        if session not in self._known:
            raise WireError(f"The client does not know the session yet: {update}")
        if kind in CONTENT and not self._open[session]:
            raise WireError(f"No turn of the session is open: {update}")
        if kind == "tool_call":
            self._announce(session, update)
        elif kind == "tool_call_update":
            self._advance(self._card(session, update), update)

    def _announce(self, session: str, update: Message) -> None:
        cards = self._cards.setdefault(session, {})
        if update["toolCallId"] in cards:
            raise WireError(f"This card was announced before: {update}")
        if update.get("status") != "pending":
            raise WireError(f"A card begins as pending: {update}")
        cards[update["toolCallId"]] = dict(update)

    def _advance(self, card: Message, update: Message) -> None:
        status = update.get("status", card["status"])
        if card["status"] in STEPS[2:] or STEPS.index(status) < STEPS.index(card["status"]):
            raise WireError(f"A card that is {card['status']} does not become this: {update}")
        card.update(update)

    def _question(self, session: str, call: Message) -> None:
        card = self._card(session, call)
        if not self._open[session]:
            raise WireError(f"No turn of the session is open: {call}")
        for key in ("status", "title", "kind", "rawInput"):
            if call.get(key) != card.get(key):
                raise WireError(f"The question's {key} is not that of its card: {call}")

    def _card(self, session: str, call: Message) -> Message:
        card = self._cards.get(session, {}).get(call["toolCallId"])
        if card is None:
            raise WireError(f"There is no card for this: {call}")
        return card


def _check_options(kinds: list[str]) -> None:
    if len(set(kinds)) < len(kinds) or not {"allow_once", "reject_once"} <= set(kinds):
        raise WireError(f"These options are not what every client can show: {kinds}")


def _key(message: Message) -> tuple[type, Any]:
    return type(message.get("id")), str(message.get("id"))


def _session(message: Message) -> str:
    params = message.get("params")
    return str(params.get("sessionId")) if isinstance(params, dict) else ""
