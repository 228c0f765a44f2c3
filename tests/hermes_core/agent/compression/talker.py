"""A provider that tells the calls apart, counts tokens, and refuses what is too long."""

from collections.abc import Callable

from tests.fakes.provider import Recorded, Reply, Text, Usage, fail, say

SUMMARY = "## Goal\nThe user wants his bug mended, and tests for it.\n## Done\n1. Looked around."


class Talker:
    """Answers by kind of call; ``chats``, ``summaries`` and ``facts`` keep the requests.

    window: tokens above which a chat is refused as too long. Each list of replies is played in
    order; its last one is given again and again.
    """

    def __init__(self, window: int = 10**9) -> None:
        self.window = window
        self.chats: list[Recorded] = []
        self.summaries: list[Recorded] = []
        self.facts: list[Recorded] = []
        self.says: list[Reply] = [say("Understood.")]
        self.summarises: list[Reply] = [say(SUMMARY)]
        self.remembers: list[Reply] = [say("[]")]
        self.answered: Callable[[Recorded], None] = lambda request: None

    def __call__(self, request: Recorded) -> Reply:
        asked = str(request.messages[0]["content"])
        size = len(request.raw) // 4
        if "working notes of a coding agent" in asked:
            return self._reply(request, self.summaries, self.summarises)
        if "long-term memory of a coding agent" in asked:
            return self._reply(request, self.facts, self.remembers)
        if asked.startswith("Name the conversation"):
            return say("A talk")
        if size > self.window:
            self.chats.append(request)
            return fail(400, f"maximum context length is {self.window} tokens")
        return self._reply(request, self.chats, self.says)

    def _reply(self, request: Recorded, kept: list[Recorded], replies: list[Reply]) -> Reply:
        kept.append(request)
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if reply.status != 200:
            return reply
        said = sum(len(step.text) for step in reply.steps if isinstance(step, Text))
        return Reply([*reply.steps, Usage(len(request.raw) // 4, said // 4)])
