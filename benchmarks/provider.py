"""A provider for measurements: canned chat_completions streams over raw loopback sockets.

What it answers depends on the newest user message:

- ``burst N``: N text chunks, written as fast as the socket takes them;
- ``paced N``: N text chunks, one every two milliseconds;
- ``rounds N``: N answers in a row that each call ``read_file`` on ``README.md``, then a text;
- ``hang``: a text chunk, and nothing more for a long time;
- ``sleep``: a call that runs ``sleep 60``;
- anything else: a short text.

Run as ``python -m benchmarks.provider``; the port is the first line that it prints. It leans on
the standard library alone and does as little as it can for each request, so that what is measured
is its client.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
)
PACE = 0.002
HANG = 60.0


def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """Return one streamed chunk, framed for HTTP."""
    body = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "bench",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return framed(b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n")


def framed(data: bytes) -> bytes:
    """Return ``data`` as one piece of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


END = framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"
WORD = event({"content": "word "})
STOP = event({}, "stop")


def pieces(request: dict[str, Any]) -> Iterator[bytes]:
    """Yield the chunks of the answer to ``request``."""
    messages = request["messages"]
    last_user = max(i for i, m in enumerate(messages) if m["role"] == "user")
    order, _, number = str(messages[last_user]["content"]).strip().partition(" ")
    done = sum(m["role"] == "tool" for m in messages[last_user:])
    if order == "rounds" and done < int(number):
        part = {"path": "README.md", "offset": done + 1, "limit": 3}  # never the same twice
        yield from call(messages, "read_file", json.dumps(part))
        return
    if order == "sleep":
        yield from call(messages, "terminal", '{"command":"echo begun; sleep 60"}')
        return
    count = int(number) if order in ("burst", "paced") else 3
    for _ in range(count):
        yield WORD
        if order == "paced":
            time.sleep(PACE)
        if order == "hang":
            time.sleep(HANG)
    yield STOP


def call(messages: list[Any], tool: str, arguments: str) -> Iterator[bytes]:
    """Yield the chunks of an answer that calls ``tool``."""
    function = {"name": tool, "arguments": arguments}
    made = {"index": 0, "id": f"call_{len(messages)}", "type": "function", "function": function}
    yield event({"role": "assistant", "content": None, "tool_calls": [made]})
    yield event({}, "tool_calls")


def read_request(reader: Any) -> dict[str, Any] | None:
    """Return the JSON body of the next request, ``{}`` for none, or None at the end of it all."""
    length = 0
    if not reader.readline():
        return None
    while (line := reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body: dict[str, Any] = json.loads(reader.read(length) or b"{}")
    return body


def serve(connection: socket.socket) -> None:
    """Answer the requests of one connection until it closes."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with suppress(OSError), connection, connection.makefile("rb") as reader:
        while (request := read_request(reader)) is not None:
            if not request:  # the list of models, which there is none of
                connection.sendall(NOTHING)
                continue
            connection.sendall(HEAD)
            for piece in pieces(request):
                connection.sendall(piece)
            connection.sendall(END)


def main() -> None:
    """Serve on a free loopback port until stdin closes."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
