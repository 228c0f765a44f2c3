"""The person and the editor behind the client: what is shown, what is asked, what is open."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.terminals import Terminals

if TYPE_CHECKING:
    from tests.e2e.client import AcpClient

ALLOW = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
ALWAYS = {"outcome": {"outcome": "selected", "optionId": "allow_always"}}
REJECT = {"outcome": {"outcome": "selected", "optionId": "reject_once"}}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


class AgentError(Exception):
    """An error answer, of the agent or for it."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error))
        self.error = error
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data") or {}


class Editor:
    """Answers the agent's requests and keeps what it showed.

    decide: answers a permission request, at once or by a future, by default with a rejection;
        None never answers.
    fill: the same for a form; by default none is answered.
    buffers: open files by path, unsaved or not; others are read from the disk.
    terminals: answers ``terminal/*``, where a test lets commands run there.
    """

    def __init__(self) -> None:
        self.updates: dict[str, list[dict[str, Any]]] = {}
        self.withdrawn: list[Any] = []
        self.reset()

    def reset(self) -> None:
        """Forget what a test has set."""
        self.decide: Callable[[dict[str, Any]], Any] = lambda _: REJECT
        self.asked: list[dict[str, Any]] = []
        self.fill: Callable[[dict[str, Any]], Any] = lambda _: asyncio.Future()
        self.forms: list[dict[str, Any]] = []
        self.buffers: dict[str, str] = {}
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.silent_files = False
        self.answers_are_valid = True
        self.terminals: Terminals | None = None

    def show(self, params: dict[str, Any]) -> None:
        """Keep one update."""
        self.updates.setdefault(params["sessionId"], []).append(params["update"])

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        """Answer a request of the agent."""
        if method == "session/request_permission":
            self.asked.append(params)
            answer = self.decide(params)
            if isinstance(answer, asyncio.Future):
                return await answer
            return answer if answer is not None else await _never()
        if method == "elicitation/create":
            self.forms.append(params)
            filled = self.fill(params)
            return await filled if isinstance(filled, asyncio.Future) else filled
        if method in ("fs/read_text_file", "fs/write_text_file"):
            return await self._file(method, params)
        if self.terminals is not None and method.startswith("terminal/"):
            return await self.terminals.answer(method, params)
        raise AssertionError(f"the client announced nothing like {method}")

    async def _file(self, method: str, params: dict[str, Any]) -> Any:
        path = params["path"]
        (self.reads if method == "fs/read_text_file" else self.writes).append(path)
        if self.silent_files:
            await _never()
        if method == "fs/write_text_file":
            self.buffers[path] = params["content"]
            Path(path).write_text(params["content"], encoding="utf-8", newline="")
            return {}
        if path in self.buffers:
            return {"content": self.buffers[path]}
        try:
            return {"content": Path(path).read_bytes().decode()}
        except OSError:
            raise AgentError({"code": -32002, "message": "Resource not found"}) from None


async def _never() -> Any:
    await asyncio.get_running_loop().create_future()


class Session:
    """One open session, as its person sees it."""

    def __init__(
        self, client: "AcpClient", session_id: str, cwd: Path, opened: dict[str, Any]
    ) -> None:
        self.client = client
        self.id = session_id
        self.cwd = cwd
        self.opened = opened

    def begin(self, prompt: str | list[dict[str, Any]], **more: Any) -> "asyncio.Future[Any]":
        """Send a prompt; return the future of its answer."""
        blocks = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else prompt
        params = {"sessionId": self.id, "prompt": blocks}
        return self.client.begin("session/prompt", params, **more)

    async def prompt(self, prompt: str | list[dict[str, Any]], **more: Any) -> str:
        """Run a turn; return its stop reason."""
        result: dict[str, str] = await self.begin(prompt, **more)
        return result["stopReason"]

    def cancel(self) -> None:
        """Cancel the turn."""
        self.client.notify("session/cancel", {"sessionId": self.id})

    @property
    def updates(self) -> list[dict[str, Any]]:
        """All updates so far."""
        return self.client.editor.updates.get(self.id, [])

    def of_kind(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the updates of some kinds, in order."""
        return [update for update in self.updates if update["sessionUpdate"] in kinds]

    def joined(self, kind: str) -> str:
        """Return the text of all chunks of a kind."""
        return "".join(chunk["content"]["text"] for chunk in self.of_kind(kind))

    @property
    def text(self) -> str:
        """All that the agent answered."""
        return self.joined("agent_message_chunk")

    @property
    def cards(self) -> dict[str, dict[str, Any]]:
        """The tool cards as they stand, by id; ``statuses`` has all that each went through."""
        cards: dict[str, dict[str, Any]] = {}
        for update in self.of_kind("tool_call", "tool_call_update"):
            call_id = update["toolCallId"]
            if update["sessionUpdate"] == "tool_call":
                assert call_id not in cards, f"two cards of the id {call_id}"
                cards[call_id] = {"statuses": []}
            cards[call_id] |= update
            cards[call_id]["statuses"].append(update["status"])
        return cards

    @property
    def card(self) -> dict[str, Any]:
        """The only card."""
        (only,) = self.cards.values()
        return only

    async def wait_for_card(self, status: str) -> dict[str, Any]:
        """Wait until a card has ``status``, and return it."""

        def found() -> dict[str, Any] | None:
            return next((c for c in self.cards.values() if c["status"] == status), None)

        card: dict[str, Any] = await self.client.wait_for(found)
        return card

    async def wait_for_text(self, text: str) -> None:
        """Wait until the answer contains ``text``."""
        await self.client.wait_for(lambda: text in self.text)

    async def wait_for_question(self, number: int = 1) -> dict[str, Any]:
        """Wait for a permission request and return its params."""
        asked = self.client.editor.asked
        await self.client.wait_for(lambda: len(asked) >= number)
        return asked[number - 1]
