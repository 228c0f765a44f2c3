"""How sessions are listed."""

import pytest

from acp_server.methods.sessions import _cursor, _position, _session_info
from acp_server.rpc.errors import INVALID_PARAMS, RpcError
from hermes_core.sessions.store import SessionRow


def test_a_session_is_told_with_what_it_has() -> None:
    row = SessionRow("s1", "/w", ("/v",), "A title", updated=1_700_000_000.5)
    assert _session_info(row) == {
        "sessionId": "s1",
        "cwd": "/w",
        "title": "A title",
        "updatedAt": "2023-11-14T22:13:20.500Z",
        "additionalDirectories": ["/v"],
    }
    assert set(_session_info(SessionRow("s1", "/w"))) == {"sessionId", "cwd", "updatedAt"}


@pytest.mark.parametrize("updated", [0.0, 1_700_000_000.123456, 2**40 + 0.1])
def test_a_cursor_is_the_position_of_a_row(updated: float) -> None:
    row = SessionRow("é-\ud800", "/w", updated=updated)
    assert _position(_cursor(row)) == (updated, row.id)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bnVsbA==", "WzFd", "WyJhIiwiYiJd", "é"])
def test_a_cursor_of_others_is_refused(cursor: str) -> None:
    with pytest.raises(RpcError) as refused:
        _position(cursor)
    assert refused.value.code == INVALID_PARAMS
