"""What the protocol says about the order of messages, followed over one connection.

- Turn content and questions come only while a prompt of their session is open, or its loading.
- No update is sent for a session that the client does not know yet.
- Children are shown to a client that announced them alone, each announced first on its parent's
  session; it works only during its parent's turn, and rests with no card open.
- A card is announced once, goes from pending over in_progress to its end, and stays there.
- When a session has no open prompt any more, none of its cards is open.
- A question is about a card that is pending, repeats its title, kind and input, has at most one
  option of a kind, and can be answered once, with yes and with no.
- A terminal of the client's is known before it is asked about or shown on a card, is given back
  once, and not named after that.
"""

from collections import Counter
from typing import Any

from tests.e2e.asking import Asking
from tests.schema.validate import Sender, WireError

Message = dict[str, Any]

CONTENT = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
    "plan_removed",
}
OF_CHILDREN = {"subagent_update", "session_message", "session_message_chunk"}
WORK = ("session/prompt", "session/load")
STEPS = ("pending", "in_progress", "completed", "failed")


class Order:
    """Takes every message of a connection as it passes; raises ``WireError`` for a wrong one."""

    def __init__(self) -> None:
        self._asked: dict[tuple[type, Any], list[Message]] = {}
        self._known: set[str] = set()
        self._open: Counter[str] = Counter()
        self._loading: Counter[str] = Counter()
        self._cards: dict[str, dict[str, Message]] = {}
        self._subagents = False
        self._parents: dict[str, str] = {}
        self._running: set[str] = set()
        self._terminals = Terminals()
        self._asking = Asking()

    def check(self, message: Message, sender: Sender) -> None:
        """Take the next message of ``sender``."""
        self._terminals.check(message, sender)
        self._asking.check(message, sender)
        if sender == "client":
            if "method" in message and "id" in message:
                self._request(message)
        elif "method" not in message:
            self._answer(message)
        elif message["method"] == "session/update":
            self._update(message["params"]["sessionId"], message["params"]["update"])
        elif message["method"] == "elicitation/create":
            self._form(message["params"])
        elif message["method"] == "session/request_permission":
            self._question(message["params"]["sessionId"], message["params"]["toolCall"])
            _check_options([option["kind"] for option in message["params"]["options"]])

    def _form(self, params: Message) -> None:
        if "sessionId" in params and not self._is_open(params["sessionId"]):
            raise WireError(f"No turn of the session is open: {params}")
        if "toolCallId" in params:
            card = self._cards.get(params["sessionId"], {}).get(params["toolCallId"])
            if card is None or card["status"] not in ("pending", "in_progress"):
                raise WireError(f"The question belongs to no open card: {params}")

    def _request(self, message: Message) -> None:
        self._asked.setdefault(_key(message), []).append(message)
        session = _session(message)
        if message["method"] == "initialize":
            self._subagents = "subagents" in message["params"].get("clientCapabilities", {})
        if message["method"] in ("session/load", "session/resume"):
            self._known.add(session)
            if not self._open[session]:  # else it is refused, unless what is open just ends
                for one in self._line(session):
                    self._cards.pop(one, None)
        if message["method"] in WORK:
            self._open[session] += 1
        self._loading[session] += message["method"] == "session/load"

    def _answer(self, message: Message) -> None:
        asked = self._asked.get(_key(message))
        if not asked:
            return
        request = asked.pop()
        if request["method"] in ("session/new", "session/fork") and "result" in message:
            self._known.add(message["result"]["sessionId"])
        self._loading[_session(request)] -= request["method"] == "session/load"
        if request["method"] in WORK:
            self._end(_session(request))

    def _end(self, session: str) -> None:
        self._open[session] -= 1
        if self._open[session]:
            return
        line = self._line(session)
        left = [name for one in line for name in self._open_cards(one)]
        if left:
            raise WireError(f"The turn was answered while the cards {left} were open")
        if self._running & set(line):
            raise WireError("The turn was answered while a child was running")

    def _update(self, session: str, update: Message) -> None:
        kind = update["sessionUpdate"]
        if session not in self._known:
            raise WireError(f"The client does not know the session yet: {update}")
        if (kind in CONTENT or kind in OF_CHILDREN) and not self._is_open(session):
            raise WireError(f"No turn of the session is open: {update}")
        if kind in OF_CHILDREN and not self._subagents:
            raise WireError(f"The client did not announce that it shows children: {update}")
        if kind == "subagent_update":
            self._child(session, update)
        if kind == "tool_call":
            self._announce(session, update)
        elif kind == "tool_call_update":
            self._advance(self._card(session, update), update)

    def _child(self, session: str, update: Message) -> None:
        child = update["sessionId"]
        if self._parents.setdefault(child, session) != session:
            raise WireError(f"The child has another parent: {update}")
        self._known.add(child)
        state = update.get("state", {}).get("state")
        if state == "running":
            self._running.add(child)
        elif state == "idle":
            self._running.discard(child)
            if self._open_cards(child):
                raise WireError(f"The child rests with open cards: {update}")

    def _line(self, session: str) -> list[str]:
        """Return the session and all that descend from it."""
        mine = [child for child, parent in self._parents.items() if parent == session]
        return [session, *(one for child in mine for one in self._line(child))]

    def _is_open(self, session: str) -> bool:
        while session in self._parents:
            session = self._parents[session]
        return self._open[session] > 0

    def _open_cards(self, session: str) -> list[str]:
        cards = self._cards.get(session, {})
        return [name for name, card in cards.items() if card["status"] in STEPS[:2]]

    def _announce(self, session: str, update: Message) -> None:
        cards = self._cards.setdefault(session, {})
        if update["toolCallId"] in cards and not self._loading[session]:
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
        if not self._is_open(session):
            raise WireError(f"No turn of the session is open: {call}")
        for key in ("status", "title", "kind", "rawInput"):
            if call.get(key) != card.get(key):
                raise WireError(f"The question's {key} is not that of its card: {call}")

    def _card(self, session: str, call: Message) -> Message:
        card = self._cards.get(session, {}).get(call["toolCallId"])
        if card is None:
            raise WireError(f"There is no card for this: {call}")
        return card


class Terminals:
    """The client's own terminals, from their making to their return."""

    def __init__(self) -> None:
        self._asked: list[Any] = []
        self._open: set[str] = set()

    def check(self, message: Message, sender: Sender) -> None:
        """Take the next message of ``sender``."""
        method = message.get("method")
        if sender == "client":
            if method is None and message.get("id") in self._asked:
                self._made(message)
        elif method == "terminal/create":
            self._asked.append(message["id"])
        elif method == "session/update":
            self._shown(message["params"]["update"])
        elif method is not None and method.startswith("terminal/"):
            self._about(method, message["params"]["terminalId"])

    def _made(self, message: Message) -> None:
        self._asked.remove(message["id"])
        result = message.get("result")
        if isinstance(result, dict) and isinstance(result.get("terminalId"), str):
            self._open.add(result["terminalId"])

    def _about(self, method: str, name: str) -> None:
        if name not in self._open:
            raise WireError(f"{method} of a terminal that is not there: {name}")
        if method == "terminal/release":
            self._open.remove(name)

    def _shown(self, update: Message) -> None:
        parts = update.get("content", []) if "toolCallId" in update else []
        for part in parts:
            name = part.get("terminalId", update["toolCallId"])
            if name not in self._open | {update["toolCallId"]}:
                raise WireError(f"A card shows a terminal that is not there: {update}")


def _check_options(kinds: list[str]) -> None:
    if len(set(kinds)) < len(kinds) or not {"allow_once", "reject_once"} <= set(kinds):
        raise WireError(f"These options are not what every client can show: {kinds}")


def _key(message: Message) -> tuple[type, Any]:
    return type(message.get("id")), str(message.get("id"))


def _session(message: Message) -> str:
    params = message.get("params")
    return str(params.get("sessionId")) if isinstance(params, dict) else ""
