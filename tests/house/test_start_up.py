"""What a server process loads before it has answered ``initialize``."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = (
    "httpx",
    "httpx2",
    "httpcore",
    "boto3",
    "botocore",
    "genai_prices",
    "anthropic",
    "openai",
    "pydantic",
    "yaml",
    "sqlite3",
    "psutil",
    "rich",
    "prompt_toolkit",
    "dotenv",
    "jsonschema",
    "json_repair",
    "pathspec",
    "filelock",
    "mcp",
    "mcp_types",
    "anyio",
)
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": 1, "clientCapabilities": {}},
}
SERVE = """
import atexit, json, sys
from acp_server.cli.main import main
atexit.register(lambda: open(sys.argv[1], "w").write(json.dumps(sorted(sys.modules))))
sys.exit(main(["acp"]))
"""


def test_initialize_is_answered_without_a_heavy_import(tmp_path: Path) -> None:
    listing = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", SERVE, str(listing)],
        cwd=ROOT,
        input=json.dumps(INITIALIZE) + "\n",
        env={**os.environ, "HERMES_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answer = json.loads(done.stdout)
    assert answer["id"] == 0
    assert answer["result"]["protocolVersion"] == 1
    loaded = set(json.loads(listing.read_text()))
    assert loaded.isdisjoint(HEAVY), sorted(loaded & set(HEAVY))
