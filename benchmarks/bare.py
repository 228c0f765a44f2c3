"""The bare references: what the same work costs with nothing of ours around it.

``python -m benchmarks.bare PORT ORDER [REPEAT]`` streams the answers to ORDER over plain httpx and
prints, as JSON, the seconds to the first chunk of each and the CPU seconds of the last.
"""

import json
import sys
import time

import httpx


def stream(client: httpx.Client, port: str, messages: list[dict[str, object]]) -> tuple[float, str]:
    """Stream one answer; return the seconds to its first line and the last finish reason."""
    started = time.perf_counter()
    first = 0.0
    finish = ""
    body = {"model": "bench", "messages": messages, "stream": True}
    with client.stream("POST", f"http://127.0.0.1:{port}/v1/chat/completions", json=body) as answer:
        for line in answer.iter_lines():
            if not line.startswith("data: ") or line == "data: [DONE]":
                continue
            first = first or time.perf_counter() - started
            finish = json.loads(line[6:])["choices"][0]["finish_reason"] or finish
    return first, finish


def main() -> None:
    """Run the order and print what it took."""
    port, order = sys.argv[1:3]
    repeat = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    firsts = []
    with httpx.Client(timeout=60) as client:
        for _ in range(repeat):
            messages: list[dict[str, object]] = [{"role": "user", "content": order}]
            cpu, wall = time.process_time(), time.perf_counter()
            first, finish = stream(client, port, messages)
            firsts.append(first)
            while finish == "tool_calls":
                messages.append({"role": "tool", "tool_call_id": "x", "content": "text"})
                finish = stream(client, port, messages)[1]
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(json.dumps({"firsts": firsts, "cpu": cpu, "wall": wall}))


if __name__ == "__main__":
    main()
