"""A small ACP agent for the client's tests: what it does is chosen by the prompt's first word.

Run as a program. It reads and writes one JSON object a line.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

SESSION = "session-1"
DIFF = {
    "type": "diff",
    "path": "/repo/stats.py",
    "oldText": "a = 1\nb = 2\n",
    "newText": "a = 1\nb = 3\n",
}
OPTIONS = [
    {"optionId": "allow_once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "allow_always", "name": "Always allow edits", "kind": "allow_always"},
    {"optionId": "reject_once", "name": "Reject", "kind": "reject_once"},
]
STORED = [
    {"sessionId": "aaaa-1111", "cwd": "/repo", "title": "newest"},
    {"sessionId": "aaaa-2222", "cwd": "/repo", "title": "older"},
    {"sessionId": "bbbb-3333", "cwd": "/elsewhere", "title": "far"},
]

opened = [SESSION]

Json = dict[str, Any]


def send(body: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **body}) + "\n")
    sys.stdout.flush()


def receive() -> Json:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: Json = json.loads(line)
    return message


def update(variant: str, **fields: Any) -> None:
    params = {"sessionId": opened[-1], "update": {"sessionUpdate": variant, **fields}}
    send({"method": "session/update", "params": params})


def chunk(text: str, kind: str = "agent_message_chunk") -> None:
    update(kind, content={"type": "text", "text": text})


def ask(method: str, params: Json) -> Json:
    """Send a request and return the answer; a cancel on the way in is noted."""
    send({"id": "q1", "method": method, "params": params})
    cancelled = False
    while True:
        message = receive()
        if message.get("method") == "session/cancel":
            cancelled = True
        elif message.get("id") == "q1":
            return {**message, "cancelled": cancelled}


def hello(_rest: str) -> Json:
    chunk("Some thinking.", "agent_thought_chunk")
    chunk("Hello ")
    chunk("**world**.")
    update("usage_update", used=1234, size=128000)
    return {"stopReason": "end_turn"}


def edit(_rest: str) -> Json:
    update("tool_call", toolCallId="c1", title="Edit stats.py", kind="edit", status="pending")
    call = {"toolCallId": "c1", "title": "Edit stats.py", "kind": "edit", "content": [DIFF]}
    params = {"sessionId": opened[-1], "toolCall": call, "options": OPTIONS}
    answer = ask("session/request_permission", params)
    outcome = answer["result"]["outcome"]
    allowed = str(outcome.get("optionId", "")).startswith("allow")
    status = "completed" if allowed else "failed"
    update("tool_call_update", toolCallId="c1", status=status, content=[DIFF])
    chunk(f"outcome: {outcome.get('optionId', outcome['outcome'])}")
    cancelled = outcome["outcome"] == "cancelled"
    return {"stopReason": "cancelled" if cancelled else "end_turn"}


def read(path: str) -> Json:
    answer = ask("fs/read_text_file", {"sessionId": opened[-1], "path": path})
    chunk(json.dumps(answer.get("result") or answer.get("error")))
    return {"stopReason": "end_turn"}


def repeat(rest: str) -> Json:
    chunk(f"heard: {rest}")
    return {"stopReason": "end_turn"}


def flood(size: str) -> Json:
    for _ in range(int(size)):
        chunk("x" * 1_000_000)
    return {"stopReason": "end_turn"}


def login(_rest: str) -> Json:
    chunk("In a terminal.")
    return {"stopReason": "end_turn"}


def wait(_rest: str) -> Json:
    chunk("Waiting")
    while receive().get("method") != "session/cancel":
        pass
    return {"stopReason": "cancelled"}


def ignore(_rest: str) -> Json:
    chunk("Deaf")
    while True:
        receive()


def die(_rest: str) -> Json:
    sys.stderr.write("first\nit broke\n")
    sys.exit(3)


def fail(_rest: str) -> Json:
    data = {"details": "The key was refused.\nSet OPENROUTER_API_KEY."}
    return {"error": {"code": -32000, "message": "The key was refused.", "data": data}}


def form(kind: str) -> Json:
    fields: Json = {"answer": {"type": "string", "title": "Answer"}}
    if kind == "choices":
        fields["answer"]["enum"] = ["red", "blue"]
        fields["other"] = {"type": "string"}
    if kind == "server":
        fields = {
            "size": {"type": "string", "enum": ["small", "large"]},
            "count": {"type": "integer", "title": "How many?"},
        }
    params: Json = {
        "sessionId": opened[-1],
        "mode": "form",
        "message": "Which colour?",
        "requestedSchema": {"type": "object", "properties": fields, "required": ["size"]},
    }
    if kind == "page":
        url = "https://login.example/device?code=WDJB"
        params = {"sessionId": opened[-1], "mode": "url", "message": "Log in.\nThe code is X."}
        params |= {"elicitationId": "e1", "url": url}
    answer = ask("elicitation/create", params)
    chunk(f"filled: {json.dumps(answer.get('result') or answer.get('error'), sort_keys=True)}")
    return {"stopReason": "cancelled" if answer["cancelled"] else "end_turn"}


def escape(_rest: str) -> Json:
    update(
        "tool_call",
        toolCallId="c2",
        title="printf '\x1b[2J'",
        kind="execute",
        status="completed",
        content=[{"type": "content", "content": {"type": "text", "text": "a\x1b[31mb\u202ec"}}],
    )
    chunk("text \x1b]0;title\x07 end")
    return {"stopReason": "end_turn"}


PROMPTS: dict[str, Callable[[str], Json]] = {
    f.__name__: f
    for f in (hello, edit, form, read, repeat, flood, wait, ignore, die, fail, escape, login)
}


def answer_to(method: str, params: Json) -> Json:
    if method == "initialize":
        return {"protocolVersion": 1, "agentInfo": {"name": "fake", "version": "1"}}
    if method == "session/new":
        return {
            "sessionId": opened[-1],
            "modes": {"currentModeId": "default", "availableModes": []},
        }
    if method == "session/list":
        here = [s for s in STORED if params.get("cwd") in (None, s["cwd"])]
        first = int(params.get("cursor", "0"))
        more = {"nextCursor": str(first + 1)} if first + 1 < len(here) else {}
        return {"sessions": here[first : first + 1], **more}
    if method == "session/load":
        opened.append(params["sessionId"])
        for kind, text in (("user_message_chunk", "again?"), ("agent_message_chunk", "Yes.")):
            chunk(text, kind)
        return {}
    if method == "session/prompt":
        word, _, rest = params["prompt"][0]["text"].partition(" ")
        return PROMPTS[word.removeprefix("/")](rest)
    return {}


def main() -> None:
    while True:
        message = receive()
        if "id" in message and "method" in message:
            result = answer_to(message["method"], message.get("params", {}))
            body = result if "error" in result else {"result": result}
            send({"id": message["id"], **body})


if __name__ == "__main__":
    main()
