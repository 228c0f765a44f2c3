"""A reply's steps as the events of Responses."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.replies import (
    Call,
    Chunk,
    Cut,
    Finish,
    Raw,
    Reasoning,
    Reply,
    Text,
    Usage,
    Wait,
    pieces_of,
)

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def play(reply: Reply, model: str) -> Iterator[bytes | Wait | Cut]:
    """Yield the body of ``reply`` in pieces, with its holds and cuts."""
    answer = _Answer(model)
    if not reply.bare:
        yield answer.event("response.created", response=answer.response("in_progress"))
    for step in reply.steps:
        if isinstance(step, (Wait, Cut)):
            yield step
            if isinstance(step, Cut):
                return
        elif isinstance(step, Raw):
            yield step.data
        else:
            yield from answer.take(step)
    if not reply.bare:
        yield from answer.end()


def _encoded(data: Mapping[str, Any]) -> bytes:
    return f"event: {data.get('type', 'message')}\ndata: {json.dumps(data)}\n\n".encode()


class _Answer:
    """The items so far; the last one may still be open."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._items: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None
        self._usage = Usage()
        self._finish = "stop"
        self._sequence = -1

    def take(self, step: Text | Reasoning | Call | Usage | Finish | Chunk) -> Iterator[bytes]:
        match step:
            case Text(text):
                yield from self._text(text)
            case Reasoning(text):
                yield from self._reasoning(text)
            case Call():
                yield from self._call(step)
            case Usage():
                self._usage = step
            case Finish(reason):
                self._finish = reason or "stop"
            case Chunk(data):
                yield _encoded(data)

    def end(self) -> Iterator[bytes]:
        yield from self._close()
        reason = _INCOMPLETE.get(self._finish)
        status = "incomplete" if reason else "completed"
        more: dict[str, Any] = {"incomplete_details": {"reason": reason}} if reason else {}
        usage = self._usage
        more["usage"] = {
            "input_tokens": usage.prompt,
            "output_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        }
        yield self.event(f"response.{status}", response=self.response(status, **more))

    def event(self, kind: str, **data: Any) -> bytes:
        self._sequence += 1
        return _encoded({"type": kind, "sequence_number": self._sequence, **data})

    def response(self, status: str, **more: Any) -> dict[str, Any]:
        head = {"id": "resp_1", "object": "response", "model": self._model, "status": status}
        return {**head, "error": None, "output": self._items, **more}

    def _text(self, text: str) -> Iterator[bytes]:
        if not self._is_open("message"):
            yield from self._start({"type": "message", "role": "assistant", "content": []})
            self._item["content"].append({"type": "output_text", "text": "", "annotations": []})
            yield self._about("response.content_part.added", part=self._item["content"][0])
        self._item["content"][0]["text"] += text
        yield self._about("response.output_text.delta", content_index=0, delta=text)

    def _reasoning(self, text: str) -> Iterator[bytes]:
        if not self._is_open("reasoning"):
            yield from self._start({"type": "reasoning", "summary": []})
            self._item["summary"].append({"type": "summary_text", "text": ""})
            part = self._item["summary"][0]
            yield self._about("response.reasoning_summary_part.added", summary_index=0, part=part)
        self._item["summary"][0]["text"] += text
        yield self._about("response.reasoning_summary_text.delta", summary_index=0, delta=text)

    def _call(self, step: Call) -> Iterator[bytes]:
        number = len(self._items)
        call_id = f"call_{number}_{step.name}" if step.id is None else step.id
        item = {"type": "function_call", "call_id": call_id, "name": step.name, "arguments": ""}
        yield from self._start(item)
        for piece in pieces_of(step):
            self._item["arguments"] += piece
            yield self._about("response.function_call_arguments.delta", delta=piece)
        whole = self._item["arguments"]
        yield self._about("response.function_call_arguments.done", arguments=whole)
        yield from self._close()

    def _start(self, item: dict[str, Any]) -> Iterator[bytes]:
        yield from self._close()
        self._open = {"id": f"item_{len(self._items)}", "status": "in_progress", **item}
        yield self._about("response.output_item.added", item=self._open)

    def _close(self) -> Iterator[bytes]:
        if self._open is None:
            return
        self._open["status"] = "completed"
        if self._open["type"] == "reasoning":
            self._open["encrypted_content"] = f"encrypted-{len(self._items)}"
        yield self._about("response.output_item.done", item=self._open)
        self._items.append(self._open)
        self._open = None

    def _about(self, kind: str, **data: Any) -> bytes:
        place = {"output_index": len(self._items), "item_id": self._item["id"]}
        return self.event(kind, **place, **data)

    def _is_open(self, kind: str) -> bool:
        return self._open is not None and self._open["type"] == kind

    @property
    def _item(self) -> dict[str, Any]:
        assert self._open is not None
        return self._open
