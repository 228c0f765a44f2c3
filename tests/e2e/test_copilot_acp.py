"""A turn whose model is another agent's program: our tools act, and it is told what they found."""

import json
import shlex
from pathlib import Path

from hermes_core import AIAgent
from hermes_core.local.config import load_config
from tests.fakes.acp_agent import acp_agent, received

CALL = json.dumps({"name": "read_file", "arguments": {"path": "note.txt"}})


def test_a_round_of_tools(tmp_path: Path) -> None:
    home, project, desk = (tmp_path / name for name in ("home", "project", "desk"))
    for folder in (home, project, desk):
        folder.mkdir()
    (project / "note.txt").write_text("The answer is 42.\n")
    command = acp_agent(
        desk,
        {"think": "I should look."},
        {"say": f"Let me see. <tool_call>{CALL}</tool_call>"},
        later=[{"say": "It is 42."}],
    )
    settings = {"model": {"provider": "copilot-acp"}}
    (home / "config.yaml").write_text(json.dumps(settings))
    (home / ".env").write_text(
        f"HERMES_COPILOT_ACP_COMMAND={command[0]}\n"
        f"HERMES_COPILOT_ACP_ARGS='{shlex.join(command[1:])}'\n"
    )
    environ = {"HERMES_HOME": str(home), "HOME": str(tmp_path), "GH_TOKEN": "gho_straystraystray1"}
    agent = AIAgent(cwd=project, config=load_config(environ))
    result = agent.run_conversation("What is the answer?")
    assert result["final_response"] == "It is 42."
    assert result["completed"]
    prompts = [
        m["params"]["prompt"][0]["text"]
        for m in received(desk)
        if m.get("method") == "session/prompt"
    ]
    assert len(prompts) == 2
    assert "What is the answer?" in prompts[0]
    assert "The answer is 42." not in prompts[0]
    assert "The answer is 42." in prompts[1]
    starts = [note for note in received(desk) if "env" in note]
    assert all("gho_stray" not in json.dumps(start["env"]) for start in starts)
