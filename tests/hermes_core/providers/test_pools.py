"""Several credentials of one provider: whose turn it is, and which of them rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import (
    find,
    load_credentials,
    report,
    rotate,
)
from tests.hermes_core.providers.test_credentials import NOW, home, ids, key, now

THREE = {
    "credential_pool": {"zai": [key(n, f"canary-{n}", priority=i) for i, n in enumerate("abc")]}
}


def test_fill_first_stays_with_the_first(tmp_path: Path) -> None:
    config = home(tmp_path, THREE)
    assert [ids(config, "zai")[0] for _ in range(3)] == ["zai#a"] * 3


def taken(config: Config) -> list[str]:
    return [c.id for c in load_credentials(config, take=True, clock=now)["zai"]]


def test_round_robin_takes_the_next_each_time(tmp_path: Path) -> None:
    config = home(tmp_path, THREE, "credential_pool_strategies: {zai: round_robin}")
    firsts = [taken(config)[0] for _ in range(4)]
    assert firsts == ["zai#a", "zai#b", "zai#c", "zai#a"]
    assert sorted(taken(config)) == ["zai#a", "zai#b", "zai#c"]


def test_to_look_takes_no_turn(tmp_path: Path) -> None:
    config = home(tmp_path, THREE, "credential_pool_strategies: {zai: round_robin}")
    assert [ids(config, "zai")[0] for _ in range(3)] == ["zai#a"] * 3
    assert taken(config)[0] == "zai#a"
    assert ids(config, "zai")[0] == "zai#b"


def test_round_robin_passes_over_those_that_rest(tmp_path: Path) -> None:
    config = home(tmp_path, THREE, "credential_pool_strategies: {zai: round_robin}")
    report(config, "zai#b", "rate_limited", clock=now)
    orders = [taken(config) for _ in range(3)]
    assert {order[0] for order in orders} == {"zai#a", "zai#c"}
    assert all(order[-1] == "zai#b" for order in orders)


@pytest.mark.parametrize(
    ("outcome", "until", "rests"),
    [
        ("unauthorized", None, 300),
        ("rate_limited", None, 3600),
        ("quota", None, 3600),
        ("rate_limited", NOW + 7 * 86_400, 7 * 86_400),
        ("unauthorized", NOW + 20, 20),
    ],
)
def test_a_refused_key_rests_in_every_process(
    tmp_path: Path, outcome: Any, until: float | None, rests: float
) -> None:
    config = home(tmp_path, THREE)
    report(config, "zai#a", outcome, until, clock=now)
    assert ids(config, "zai") == ["zai#b", "zai#c", "zai#a"]
    again = load_credentials(config, clock=lambda: NOW + rests - 1)["zai"]
    assert again[0].id == "zai#b"
    over = load_credentials(config, clock=lambda: NOW + rests)["zai"]
    assert over[0].id == "zai#a"


def test_a_rest_that_another_program_wrote_counts(tmp_path: Path) -> None:
    entries = [
        key("a", "canary-1", last_status="exhausted", last_status_at=NOW, last_error_code=401),
        key("b", "canary-2", last_status="exhausted", last_error_reset_at="2027-01-15T09:00:00Z"),
        key("c", "canary-3", last_status="ok"),
        key("d", "canary-4", last_status="dead"),
    ]
    config = home(tmp_path, {"credential_pool": {"zai": entries}})
    assert ids(config, "zai") == ["zai#c", "zai#a", "zai#b"]


def test_when_all_rest_the_one_that_is_over_first_is_used(tmp_path: Path) -> None:
    config = home(tmp_path, THREE)
    for name, until in (("a", 900), ("b", 300), ("c", 600)):
        report(config, f"zai#{name}", "rate_limited", NOW + until, clock=now)
    assert ids(config, "zai") == ["zai#b", "zai#c", "zai#a"]
    assert rotate(config, "zai#b", clock=now) is None


def test_a_good_answer_ends_a_rest_and_writes_nothing_otherwise(tmp_path: Path) -> None:
    config = home(tmp_path, THREE)
    before = AuthStore(config.home).path.stat().st_mtime_ns
    report(config, "zai#a", "good", clock=now)
    assert AuthStore(config.home).path.stat().st_mtime_ns == before
    report(config, "zai#a", "rate_limited", clock=now)
    report(config, "zai#a", "good", clock=now)
    assert ids(config, "zai")[0] == "zai#a"


def test_a_dead_key_is_never_used_again(tmp_path: Path) -> None:
    config = home(tmp_path, THREE)
    report(config, "zai#a", "dead", clock=now)
    later = load_credentials(config, clock=lambda: NOW + 1e7)["zai"]
    assert [c.id for c in later] == ["zai#b", "zai#c"]


def test_rotation_goes_round_and_stays_with_the_provider(tmp_path: Path) -> None:
    both = {"credential_pool": {**THREE["credential_pool"], "xai": [key("x", "canary-x")]}}
    config = home(tmp_path, both)

    def after(name: str) -> str | None:
        found = rotate(config, name, clock=now)
        return found.id if found else None

    assert [after(f"zai#{name}") for name in "abc"] == ["zai#b", "zai#c", "zai#a"]
    assert after("xai#x") is None
    report(config, "zai#b", "quota", clock=now)
    assert after("zai#a") == "zai#c"
    assert after("zai#gone") == "zai#a"


def test_a_variables_key_rests_without_being_written(tmp_path: Path) -> None:
    config = home(tmp_path, ZAI_API_KEY="canary-variable-key")
    report(config, "zai:env:ZAI_API_KEY", "rate_limited", clock=now)
    text = AuthStore(config.home).path.read_text()
    assert "canary-variable-key" not in text
    assert "zai:env" not in repr(load_credentials(config))
    (note,) = json.loads(text)["credential_pool"]["zai"]
    assert note["id"] == "env:ZAI_API_KEY"
    assert len(note["fingerprint"]) == 16


def test_reports_about_what_is_not_stored_change_nothing(tmp_path: Path) -> None:
    config = home(tmp_path)
    for name in ("", "zai", "zai#gone", "zai:env:UNSET", "zai:oauth"):
        report(config, name, "rate_limited")
    assert not AuthStore(config.home).path.exists()


def test_one_credential_is_found_again_by_its_id(tmp_path: Path) -> None:
    config = home(tmp_path, THREE)
    found = find(config, "zai#b")
    assert found is not None
    assert found.token == Secret("canary-b")
    assert find(config, "zai#gone") is None
    assert find(config, "xai#b") is None
