"""The MCP servers of config.yaml."""

from pathlib import Path

from hermes_core.ground.secrets import MASK, REDACTOR
from hermes_core.local.config import Config, load_config
from hermes_core.local.mcp_settings import CALL_SECONDS, McpServer


def read(tmp_path: Path, text: str, **env: str) -> Config:
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    return load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path), **env})


def test_programs_and_addresses_are_read(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
mcp_servers:
  one:
    command: npx
    args: [-y, package, 8080]
    env: {A: b, N: 1, F: true}
    timeout: 20
    unknown_key: of another program
  two:
    url: https://mcp.example/mcp
    headers: {Authorization: "Bearer abc def"}
    enabled: false
  three: {url: "https://mcp.example/sse", transport: sse}
""",
    )
    one, two, three = config.mcp_servers
    assert (one.carrier, one.command, one.args) == ("stdio", "npx", ("-y", "package", "8080"))
    assert one.env == (("A", "b"), ("N", "1"), ("F", "true"))
    assert (one.timeout, two.timeout) == (20.0, CALL_SECONDS)
    assert (two.carrier, two.enabled, two.saved) == ("http", False, True)
    assert two.headers == (("Authorization", "Bearer abc def"),)
    assert three.carrier == "sse"
    assert config.warnings == ()


def test_what_is_odd_is_named_and_left_out(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
mcp_servers:
  empty: {}
  text: npx
  odd: {command: x, args: one, timeout: soon, env: [a]}
""",
    )
    (odd,) = config.mcp_servers
    assert (odd.name, odd.args, odd.timeout, odd.env) == ("odd", (), CALL_SECONDS, ())
    told = "\n".join(config.warnings)
    assert "config.yaml:3: the MCP server 'empty' has no command and no url" in told
    assert "config.yaml:4: the MCP server 'text' must hold keys" in told
    assert told.count("config.yaml:5: ") == 3
    assert "must hold names" in read(tmp_path, "mcp_servers: [x]").warnings[0]
    assert read(tmp_path, "mcp_servers:").mcp_servers == ()


def test_a_misspelt_section_is_told(tmp_path: Path) -> None:
    (warning,) = read(tmp_path, "mcp_server: {}").warnings
    assert "did you mean 'mcp_servers'?" in warning


def test_variables_are_filled_in_for_the_users_own_alone(tmp_path: Path) -> None:
    pairs = (("TOKEN", "x ${NAME} ${MISSING}"),)
    variables = {"NAME": "value"}
    saved = McpServer("s", "stdio", env=pairs, headers=pairs, saved=True).filled(variables.get)
    assert saved.env == saved.headers == (("TOKEN", "x value "),)
    assert McpServer("s", "stdio", env=pairs).filled(variables.get).env == pairs


def test_keys_of_servers_are_masked(tmp_path: Path) -> None:
    read(
        tmp_path,
        """
mcp_servers:
  one: {command: x, env: {API_KEY: canary-of-env-1, MODE: production-like}}
  two: {url: "https://mcp.example/", headers: {Authorization: Bearer canary-of-header-2}}
""",
    )
    shown = REDACTOR.redact_known("canary-of-env-1 canary-of-header-2 production-like")
    assert shown == f"{MASK} {MASK} production-like"
