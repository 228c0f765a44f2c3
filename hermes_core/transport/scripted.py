"""The scripted model's server: real chat completions over real HTTP, on loopback.

It is started when it is first needed and lives as long as the process.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from hermes_core.transport.demo_script import Part, Use, answer

_PAUSE: Final = 0.006
"""Seconds between chunks, so that an answer is seen to grow. A whole demo takes under 3 s."""

_WORDS: Final = 2
"""Words of a chunk."""

_START = threading.Lock()


def scripted_url() -> str:
    """Return the base URL of the scripted model, which runs from then on."""
    with _START:
        return _started()


@cache
def _started() -> str:
    server = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, name="scripted", daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def chunks(part: Part) -> Iterator[dict[str, Any]]:
    """Yield the choices of a streamed answer; the last one holds the finish reason."""
    for text in _pieces(part.reasoning):
        yield _choice({"reasoning_content": text})
    for text in _pieces(part.text):
        yield _choice({"content": text})
    for index, use in enumerate(part.calls):
        yield from _call(index, use)
    yield _choice({}, "tool_calls" if part.calls else "stop")


def _pieces(text: str) -> Iterator[str]:
    words = text.split(" ")
    for start in range(0, len(words) if text else 0, _WORDS):
        end = "" if start + _WORDS >= len(words) else " "
        yield " ".join(words[start : start + _WORDS]) + end


def _call(index: int, use: Use) -> Iterator[dict[str, Any]]:
    head = {"name": use.name, "arguments": ""}
    call_id = f"scripted_{index}_{use.name}"
    yield _choice({"tool_calls": [{"index": index, "id": call_id, "function": head}]})
    text = json.dumps(use.arguments)
    for start in range(0, len(text), 120):
        piece = {"arguments": text[start : start + 120]}
        yield _choice({"tool_calls": [{"index": index, "function": piece}]})


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _usage(request: dict[str, Any], part: Part) -> dict[str, Any]:
    """Return counts of about the right size: four characters a token."""
    received = len(part.reasoning) + len(part.text) + sum(len(str(u.arguments)) for u in part.calls)
    counts = {
        "prompt_tokens": len(json.dumps(request)) // 4,
        "completion_tokens": received // 4,
        "completion_tokens_details": {"reasoning_tokens": len(part.reasoning) // 4},
    }
    return {"choices": [], "usage": counts}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: an interrupted turn closes its connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:  # the name that http.server looks for
        """Answer one request."""
        length = int(self.headers.get("Content-Length") or 0)
        try:
            request = json.loads(self.rfile.read(length))
            part = answer(request["messages"])
        except (ValueError, KeyError, TypeError):
            self.send_error(400)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with suppress(OSError):
            self._stream(request, part)
            return
        self.close_connection = True

    def _stream(self, request: dict[str, Any], part: Part) -> None:
        model = request.get("model")
        for number, data in enumerate((*chunks(part), _usage(request, part))):
            if number:
                time.sleep(_PAUSE)
            whole = {"object": "chat.completion.chunk", "model": model, **data}
            self._write(b"data: " + json.dumps(whole).encode() + b"\n\n")
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
