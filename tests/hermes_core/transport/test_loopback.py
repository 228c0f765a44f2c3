import socket

import pytest

from hermes_core.transport.loopback import is_silent


def test_a_listener_on_this_machine_is_told_from_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        assert is_silent(url) is False
        taken, _ = listener.accept()
        with taken:
            assert taken.recv(100) == b""
    assert is_silent(url) is True


@pytest.mark.parametrize(
    "url", ["https://example.com/v1", "http://10.0.0.1:1/v1", "scripted://demo", "acp://copilot"]
)
def test_other_hosts_are_not_contacted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a host was contacted")

    monkeypatch.setattr(socket, "create_connection", refuse)
    assert is_silent(url) is None
