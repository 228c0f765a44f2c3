"""acpx as the client: a prompt with an allowed tool, one with a denied tool, and an error."""

import json

from tests.e2e.acpx import exec_prompt
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, Reasoning, Reply, Text, calls, fail, say


async def test_a_prompt_with_an_allowed_tool(stage: Stage) -> None:
    stage.provider.script(
        Reply(
            [
                Reasoning("Simple."),
                Text("I run it."),
                Call("terminal", {"command": "echo made > made"}, id="acpx-1"),
            ]
        ),
        say("It is made."),
    )
    cwd = stage.workspace()
    run = await exec_prompt(stage, cwd, "--approve-all", "--format", "json", prompt="make it")
    assert run.code == 0, run
    assert (cwd / "made").read_text(encoding="utf-8") == "made\n"
    lines = [json.loads(line) for line in run.output.splitlines()]
    assert "It is made." in "".join(
        line["params"]["update"]["content"]["text"]
        for line in lines
        if line.get("params", {}).get("update", {}).get("sessionUpdate") == "agent_message_chunk"
    )


async def test_an_allowed_command_in_a_terminal_of_its_own(stage: Stage) -> None:
    stage.configure(terminal={"in_editor": True})
    stage.provider.script(
        calls(Call("terminal", {"command": "echo 'a  b' >made; cat made; exit 3"}, id="acpx-3")),
        say("It is made."),
    )
    cwd = stage.workspace()
    run = await exec_prompt(stage, cwd, "--approve-all", "--format", "json", prompt="make it")
    assert run.code == 0, run
    assert '"method":"terminal/release"' in run.output
    told = stage.provider.requests[-1].messages[-1]["content"]
    assert told == "a  b\n[exit code 3]"


async def test_a_prompt_with_a_denied_tool(stage: Stage) -> None:
    stage.provider.script(
        calls(Call("terminal", {"command": "echo made > made"}, id="acpx-2")),
        say("As you wish."),
    )
    cwd = stage.workspace()
    run = await exec_prompt(stage, cwd, "--deny-all", prompt="make it")
    assert run.code == 5, run
    assert not (cwd / "made").exists()
    assert "As you wish." in run.output


async def test_a_failure_of_the_provider_is_a_failure_of_the_run(stage: Stage) -> None:
    stage.provider.script(fail(400, "the model is on fire"))
    run = await exec_prompt(stage, stage.workspace(), "--approve-all", prompt="hi")
    assert run.code == 1, run
    assert "the model is on fire" in run.output + run.errors
