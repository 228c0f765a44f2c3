"""A client's MCP servers in the core's terms."""

from acp_server.methods.mcp_servers import servers_of


def test_each_kind_is_read() -> None:
    program = {
        "name": "p",
        "command": "/bin/x",
        "args": ["a b"],
        "env": [{"name": "A", "value": "1"}],
    }
    web = {"name": "w", "type": "http", "url": "https://x.example", "headers": []}
    old = {**web, "name": "o", "type": "sse", "headers": [{"name": "H", "value": "v"}]}
    own = {"name": "a", "type": "acp", "serverId": "s-1"}
    one, two, three, four = servers_of({"mcpServers": [program, web, old, own]})
    assert (one.carrier, one.command, one.args) == ("stdio", "/bin/x", ("a b",))
    assert one.env == (("A", "1"),)
    assert (two.carrier, two.url, two.headers) == ("http", "https://x.example", ())
    assert (three.carrier, three.headers) == ("sse", (("H", "v"),))
    assert (four.carrier, four.server_id, four.line) == ("acp", "s-1", None)
    assert not one.saved


def test_names_are_made_unique_and_none_is_needed() -> None:
    server = {"name": "x", "command": "y", "args": [], "env": []}
    names = [
        one.name for one in servers_of({"mcpServers": [server, server, {**server, "name": " "}]})
    ]
    assert names == ["x", "x-2", "server"]
    assert servers_of({}) == servers_of({"mcpServers": None}) == ()
