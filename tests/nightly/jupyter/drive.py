"""Drives Hermes through Jupyter AI's own ACP client, inside of Jupyter AI's environment.

The argument is a JSON object: ``personas`` (the folder of local personas), ``cwd``, ``prompts``
(each with ``text`` and the kind of option to choose) and ``load`` (a session to go on with).
Printed is one: what the client showed.
"""

import asyncio
import json
import logging
import sys
from importlib.metadata import entry_points
from types import SimpleNamespace

from jupyter_ai_acp_client.default_acp_client import JaiAcpClient
from jupyter_ai_persona_manager.persona_manager import load_from_dir


class Chat:
    """A chat that keeps its messages."""

    def __init__(self):
        self.messages = {}

    def add_message(self, message, **_):
        key = f"m{len(self.messages)}"
        self.messages[key] = SimpleNamespace(id=key, body=message.body, metadata=None)
        return key

    def get_message(self, key):
        return self.messages.get(key)

    def update_message(self, message, append=False, **_):
        kept = self.messages[message.id]
        if append:
            message.body = kept.body + message.body
        self.messages[message.id] = message


class Persona:
    """What the client needs of a persona; methods that only show something do nothing."""

    id = "hermes"

    def __init__(self, cwd):
        self.cwd, self.chat = cwd, Chat()
        self.log = logging.getLogger("persona")
        self.parent = SimpleNamespace(root_dir=cwd)
        self.acp_slash_commands = []

    def get_chat_dir(self):
        return self.cwd

    def get_mcp_settings(self):
        return None

    def __getattr__(self, name):
        if name.startswith(("set_", "clear_", "report_", "update_", "_sync_")):
            return lambda *_args, **_more: None
        raise AttributeError(name)


async def answer(client, session, kinds):
    """Press the button of the kind that is due, for every question that comes."""
    pending = client._permission_manager._pending
    while True:
        for (_, call), request in list(pending.items()):
            if not request.future.done():
                (option,) = [o.option_id for o in request.options if o.kind == kinds[0]]
                client.resolve_permission(session, call, option)
        await asyncio.sleep(0.02)


async def main(order):
    (found,) = load_from_dir(order["personas"], logging.getLogger("personas"))
    (point,) = entry_points(group="jupyter_ai.personas", name="hermes")
    command = found["persona_class"].__init__.__globals__["COMMAND"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 26
    )
    client = JaiAcpClient(agent_subprocess=process, event_loop=asyncio.get_running_loop())
    persona = Persona(order["cwd"])
    if order["load"]:
        session = order["load"]
        await client.load_session(persona, session)
    else:
        session = (await client.create_session(persona)).session_id
    kinds, stops = [""], []
    pressing = asyncio.create_task(answer(client, session, kinds))
    for prompt in order["prompts"]:
        kinds[0] = prompt["decide"]
        stops.append((await client.prompt_and_reply(session, prompt["text"])).stop_reason)
    pressing.cancel()
    commands = [command.name for command in persona.acp_slash_commands]
    process.stdin.close()
    told = {
        "persona": found["persona_class"].__name__,
        "packaged": point.load().__name__,
        "session": session,
        "stops": stops,
        "said": "".join(message.body for message in persona.chat.messages.values()),
        "commands": commands,
        "code": await process.wait(),
    }
    sys.stdout.write(json.dumps(told))


asyncio.run(main(json.loads(sys.argv[1])))
