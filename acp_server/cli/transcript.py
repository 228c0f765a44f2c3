"""A session as it is told in the terminal: takes the protocol's updates, writes on paper."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text

from acp_server.cli import cards
from acp_server.cli.cards import Card
from acp_server.cli.paper import Paper, Voice
from acp_server.cli.printable import visible, visible_line

ENDINGS = {
    "cancelled": "Stopped.",
    "max_tokens": "The answer was cut off: it reached the model's output limit.",
    "max_turn_requests": "Stopped: the turn reached its limit of steps.",
    "refusal": "The model declined to answer.",
}
OVERFULL = (
    "The conversation is larger than the model's context window: the model may fail or forget. "
    "Start a new session; if the window is larger than that, set model.context_length."
)
NOTICES = {"error": "red", "warning": "yellow"}

Update = dict[str, Any]


class Transcript:
    """Knows which cards are open and what has been shown of the plan."""

    def __init__(self, paper: Paper, root: Path) -> None:
        self.said = ""
        self._paper = paper
        self._root = root
        self._cards: dict[str, Card] = {}
        self._ended: set[str] = set()
        self._plan: list[Update] = []
        self._plan_shown: list[Update] = []
        self._message: object = None
        self._questions = 0
        self._asked_at: float | None = None
        self._waited = 0.0
        self._used: int | None = None
        self._size: int | None = None

    def update(self, update: Update) -> None:
        """Show one ``session/update``; of kinds that this client does not know, nothing."""
        handler = self._HANDLERS.get(str(update.get("sessionUpdate")))
        if handler is not None:
            handler(self, update)

    def question(self, params: Update) -> None:
        """Show what a permission question is about, whole."""
        card = self._asked(params)
        self._paper.close()
        self._questions += 1
        self._asked_at = time.monotonic()
        self._paper.block(cards.question(card, self._root), self._question_group)
        card.shown = list(card.content)

    def answered(self, params: Update, words: str, *, allowed: bool) -> None:
        """Show how a question was answered."""
        self._stop_waiting()
        self._asked(params).rejected = not allowed
        words = f"{cards.INDENT}→ {words}"
        self.remark(words, "green" if allowed else "red", self._question_group)

    def remark(self, text: str, style: str = "dim", group: str = "") -> None:
        """Show one line of the client's own."""
        self._paper.close()
        self._paper.block(Text(text, style), group)

    def typed(self, text: str) -> None:
        """Show what the person typed while a turn ran."""
        self._paper.close()
        self._paper.stream("user", visible(text))
        self._paper.close()

    def end_turn(self, reason: str, seconds: float) -> None:
        """Close what is open and say how the turn ended.

        ``seconds`` is how long it took; what its questions waited for answers is taken off.
        """
        self.settle()
        self._stop_waiting()
        seconds, self._waited = max(seconds - self._waited, 0.0), 0.0
        if reason != "end_turn":
            words = ENDINGS.get(reason, f"The turn ended: {visible_line(reason)}.")
            self.remark(words, "yellow")
        self._paper.block(cards.closing(self._used, self._size, seconds))
        if self._used is not None and self._size and self._used > self._size:
            self.remark(OVERFULL, "yellow")

    def _stop_waiting(self) -> None:
        if self._asked_at is not None:
            self._waited += time.monotonic() - self._asked_at
            self._asked_at = None

    def settle(self) -> None:
        """Write what still stands in the part that changes: open cards and the plan."""
        self._paper.close()
        self.said = ""
        for card in self._cards.values():
            self._paper.block(cards.heading(card).append("  not finished", "dim"), "cards")
        self._cards.clear()
        self._ended.clear()
        self._write_plan()
        self._paper.status([])

    @property
    def _question_group(self) -> str:
        return f"question {self._questions}"

    def _asked(self, params: Update) -> Card:
        call = params.get("toolCall")
        update: Update = call if isinstance(call, dict) else {}
        card = self._cards.setdefault(str(update.get("toolCallId")), Card())
        card.merge(update)
        return card

    def _answer(self, update: Update) -> None:
        self._stream("answer", update)

    def _thought(self, update: Update) -> None:
        self._stream("thought", update)

    def _user(self, update: Update) -> None:
        self._stream("user", update)

    def _stream(self, voice: Voice, update: Update) -> None:
        text = cards.text_of(update.get("content"))
        message = update.get("messageId")
        if message != self._message:
            self._paper.close()
            self._message = message
        if voice == "answer":
            self.said = (self.said + text)[-20_000:]
        self._paper.stream(voice, visible(text))

    def _call(self, update: Update) -> None:
        key = str(update.get("toolCallId"))
        if key in self._ended:
            return
        card = self._cards.setdefault(key, Card())
        card.merge(update)
        self._paper.close()
        if card.ended:
            del self._cards[key]
            self._ended.add(key)
            self._write_card(card)
        self._show_status()

    def _write_card(self, card: Card) -> None:
        """Write an ended card, unless all of it is told already: by the plan, or by the answer."""
        if card.rejected or (card.kind == "think" and card.status == "completed"):
            return
        below = cards.body(card, self._root)
        whole = Text("\n").join([cards.heading(card), *below])
        self._paper.block(whole, "" if below else "cards")

    def _replan(self, update: Update) -> None:
        entries = update.get("entries")
        self._plan = (
            [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
        )
        done = all(entry.get("status") == "completed" for entry in self._plan)
        if done or not self._paper.keeps_status:
            self._write_plan()
        self._show_status()

    def _usage(self, update: Update) -> None:
        self._used, self._size = update.get("used"), update.get("size")

    def _notice(self, update: Update) -> None:
        words = visible_line(str(update.get("title", "")))
        if update.get("description"):
            words = f"{words}\n{visible(str(update['description']))}"
        self.remark(words, NOTICES.get(str(update.get("severity")), "dim"), "notice")

    def _mode(self, update: Update) -> None:
        self.remark(f"mode: {visible_line(str(update.get('currentModeId')))}")

    def _write_plan(self) -> None:
        """Write the plan if it is new; of one whose lines stand already, those that changed."""
        if self._plan == self._plan_shown:
            return
        names = [entry.get("content") for entry in self._plan]
        known = names == [entry.get("content") for entry in self._plan_shown]
        news = [e for e in self._plan if not known or e not in self._plan_shown]
        self._plan_shown = self._plan
        self._paper.close()
        if news:
            self._paper.block(cards.checklist(news), "plan")

    def _show_status(self) -> None:
        if not self._paper.keeps_status:
            return
        blocks = [cards.running(card) for card in self._cards.values()]
        if self._plan and self._plan != self._plan_shown:
            blocks.append(cards.checklist(self._plan))
        self._paper.status(blocks)

    _HANDLERS: ClassVar[dict[str, Callable[["Transcript", Update], None]]] = {
        "agent_message_chunk": _answer,
        "agent_thought_chunk": _thought,
        "user_message_chunk": _user,
        "tool_call": _call,
        "tool_call_update": _call,
        "plan": _replan,
        "usage_update": _usage,
        "notice": _notice,
        "current_mode_update": _mode,
    }
