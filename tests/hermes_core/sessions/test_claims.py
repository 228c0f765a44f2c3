from pathlib import Path

from hermes_core.sessions.claims import Claims


def test_a_claim_is_ours_until_we_close(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "lock")
    assert claims.take(1)
    assert claims.take(1)
    assert claims.take(2)
    claims.release(1)
    claims.release(3)
    claims.close()
    claims.close()
    claims.release(2)


def test_where_nothing_can_be_locked_claims_are_granted(tmp_path: Path) -> None:
    assert Claims(tmp_path / "no" / "folder").take(1)
