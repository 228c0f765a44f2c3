"""The official Python SDK as the client: an independent reader of everything that is sent."""

import asyncio
from pathlib import Path
from typing import Any

import acp
import acp.schema
import pytest

from tests.e2e.stage import COMMAND, Stage
from tests.fakes.provider import Call, Reasoning, Reply, Text, calls, say


class Person(acp.Client):
    """Allows what concerns ``allowed``, rejects all else, and keeps what was shown."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.asked: list[str] = []

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **kwargs: Any
    ) -> acp.RequestPermissionResponse:
        self.asked.append(tool_call.title)
        kind = "allow_once" if "allowed" in tool_call.title else "reject_once"
        (option,) = [option for option in options if option.kind == kind]
        outcome = acp.schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
        return acp.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.updates.append(update)

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> acp.ReadTextFileResponse:
        try:
            return acp.ReadTextFileResponse(content=Path(path).read_text(encoding="utf-8"))
        except OSError:
            raise acp.RequestError.resource_not_found(path) from None

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_: Any
    ) -> acp.WriteTextFileResponse:
        Path(path).write_text(content, encoding="utf-8")
        return acp.WriteTextFileResponse()

    def of_kind(self, kind: str) -> list[Any]:
        return [update for update in self.updates if update.session_update == kind]

    def text(self, kind: str) -> str:
        return "".join(update.content.text for update in self.of_kind(kind))


CAPABILITIES = acp.schema.ClientCapabilities(
    fs=acp.schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
)


async def test_a_prompt_with_an_allowed_and_a_denied_tool(stage: Stage) -> None:
    stage.provider.script(
        Reply(
            [
                Reasoning("Two files."),
                Text("I write two files."),
                Call("write_file", {"path": "allowed.txt", "content": "yes\n"}, id="sdk-1"),
                Call("write_file", {"path": "denied.txt", "content": "no\n"}, id="sdk-2"),
            ]
        ),
        calls(Call("todo", {"steps": [{"content": "tell", "status": "completed"}]}, id="sdk-3")),
        say("One of them is written."),
    )
    person, cwd = Person(), stage.workspace()
    program, *arguments = COMMAND
    async with acp.spawn_agent_process(person, program, *arguments, env=stage.environ, cwd=cwd) as (
        agent,
        process,
    ):
        hello = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION, client_capabilities=CAPABILITIES
        )
        assert hello.protocol_version == 1
        session = await agent.new_session(cwd=str(cwd), mcp_servers=[])
        assert session.modes.current_mode_id == "default"
        answer = await agent.prompt(
            session_id=session.session_id, prompt=[acp.text_block("write two files")]
        )
        assert answer.stop_reason == "end_turn"
    assert process.returncode == 0
    assert person.asked == ["Create allowed.txt", "Create denied.txt"]
    assert (cwd / "allowed.txt").read_text(encoding="utf-8") == "yes\n"
    assert not (cwd / "denied.txt").exists()
    assert person.text("agent_thought_chunk") == "Two files."
    assert person.text("agent_message_chunk").endswith("One of them is written.")
    ends = {u.tool_call_id: u.status for u in person.of_kind("tool_call_update")}
    assert ends == {"sdk-1": "completed", "sdk-2": "failed", "sdk-3": "completed"}
    assert person.of_kind("plan")[-1].entries[0].content == "tell"


async def test_an_error_and_a_cancel_and_a_load(stage: Stage) -> None:
    stage.provider.script(say("Hello."))
    person, cwd = Person(), stage.workspace()
    program, *arguments = COMMAND
    async with acp.spawn_agent_process(person, program, *arguments, env=stage.environ, cwd=cwd) as (
        agent,
        _,
    ):
        await agent.initialize(protocol_version=1, client_capabilities=CAPABILITIES)
        with pytest.raises(acp.RequestError) as refused:
            await agent.new_session(cwd="relative", mcp_servers=[])
        assert refused.value.code == -32602
        session = await agent.new_session(cwd=str(cwd), mcp_servers=[])
        await agent.prompt(session_id=session.session_id, prompt=[acp.text_block("hi")])
        await agent.cancel(session_id=session.session_id)
        person.updates.clear()
        await agent.load_session(session_id=session.session_id, cwd=str(cwd), mcp_servers=[])
        listed = await agent.list_sessions(cwd=str(cwd))
        assert [info.session_id for info in listed.sessions] == [session.session_id]
    assert person.text("user_message_chunk") == "hi"
    assert person.text("agent_message_chunk") == "Hello."


class WithTerminals(Person):
    """Runs commands in terminals of its own; some of its answers are null, as the SDK has it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    async def create_terminal(
        self, session_id: str, command: str, args: list[str] | None = None, **more: Any
    ) -> acp.CreateTerminalResponse:
        self._processes["t"] = await asyncio.create_subprocess_exec(
            command, *(args or []), stdout=asyncio.subprocess.PIPE, cwd=more["cwd"]
        )
        return acp.CreateTerminalResponse(terminal_id="t")

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> acp.WaitForTerminalExitResponse:
        code = await self._processes[terminal_id].wait()
        return acp.WaitForTerminalExitResponse(exit_code=code)

    async def terminal_output(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> acp.TerminalOutputResponse:
        stream = self._processes[terminal_id].stdout
        text = (await stream.read()).decode() if stream else ""
        return acp.TerminalOutputResponse(output=text, truncated=False)

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        self.done.append(terminal_id)


async def test_a_command_in_a_terminal_of_the_clients(stage: Stage) -> None:
    stage.configure(terminal={"in_editor": True})
    command = "touch allowed; echo 'a  b'; exit 4"
    stage.provider.script(calls(Call("terminal", {"command": command}, id="sdk-9")), say("Done."))
    person, cwd = WithTerminals(), stage.workspace()
    program, *arguments = COMMAND
    async with acp.spawn_agent_process(person, program, *arguments, env=stage.environ, cwd=cwd) as (
        agent,
        _,
    ):
        capabilities = acp.schema.ClientCapabilities(terminal=True)
        await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION, client_capabilities=capabilities
        )
        session = await agent.new_session(cwd=str(cwd), mcp_servers=[])
        prompt = [acp.text_block("run it")]
        await agent.prompt(session_id=session.session_id, prompt=prompt)
    told = stage.provider.requests[-1].messages[-1]["content"]
    assert told == "a  b\n[exit code 4]"
    shown = [update.content for update in person.of_kind("tool_call_update") if update.content]
    assert shown[-1][-1].terminal_id == "t"
    assert person.done == ["t"]
