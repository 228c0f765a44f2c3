import base64
import json

import pytest

from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.providers.grants import Grant, claims, fingerprint, moment, read_grant, write_grant


def jwt(**body: object) -> str:
    text = base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip("=")
    return f"eyJhbGciOiJub25lIn0.{text}.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1_800_000_000, 1_800_000_000.0),
        (1_800_000_000_500, 1_800_000_000.5),
        ("1800000000", 1_800_000_000.0),
        ("2027-01-15T08:00:00Z", 1_800_000_000.0),
        ("2027-01-15T08:00:00+00:00", 1_800_000_000.0),
        ("2027-01-15T08:00:00", None),
        ("soon", None),
        (True, None),
        (None, None),
        (-5, None),
        (float("nan"), None),
        (1e300, None),
        ([], None),
    ],
)
def test_times_come_in_many_forms(value: object, seconds: float | None) -> None:
    assert moment(value) == seconds


@pytest.mark.parametrize(
    "state",
    [
        {"access_token": "a", "refresh_token": "r", "expires_at": 1_800_000_000},
        {"tokens": {"access_token": "a", "refresh_token": "r"}, "expires_at": 1_800_000_000_000},
        {"access_token": "a", "refresh_token": "r", "expires_at_ms": 1_800_000_000_000},
        {
            "access_token": " a\n",
            "refresh_token": "r",
            "obtained_at": "2027-01-15T07:00:00Z",
            "expires_in": 3600,
        },
    ],
)
def test_a_login_is_read_in_the_shapes_that_programs_write(state: dict[str, object]) -> None:
    assert read_grant(state) == Grant(Secret("a"), Secret("r"), expires=1_800_000_000.0)


def test_a_token_tells_its_own_end() -> None:
    found = read_grant({"tokens": {"access_token": jwt(exp=1_800_000_000)}})
    assert found is not None
    assert found.expires == 1_800_000_000.0


@pytest.mark.parametrize("state", [None, [], {}, {"tokens": []}, {"access_token": 7}, "text"])
def test_what_holds_no_token_is_no_login(state: object) -> None:
    assert read_grant(state) is None


def test_all_three_tokens_are_masked_from_then_on() -> None:
    names = ("access_token", "refresh_token", "id_token")
    read_grant({"tokens": {name: f"canary-{name}" for name in names}})
    for name in names:
        assert REDACTOR.redact(f"<canary-{name}>") == f"<{MASK}>"


def test_tokens_are_written_where_they_stood() -> None:
    state = {
        "tokens": {"access_token": "a", "refresh_token": "r", "id_token": "i", "expires_in": 5},
        "expires_at": 5,
        "inference_base_url": "https://old",
        "theirs": 1,
    }
    grant = Grant(Secret("b"), Secret("s"), expires=1_800_000_000.0, base_url="https://new")
    write_grant(state, grant)
    assert state == {
        "tokens": {
            "access_token": "b",
            "refresh_token": "s",
            "id_token": "i",
            "expires_at": "2027-01-15T08:00:00+00:00",
        },
        "inference_base_url": "https://new",
        "theirs": 1,
    }
    assert read_grant(state) == grant


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c", "a.!!.c", "a.W10.c", "a.%.c.d"])
def test_other_tokens_claim_nothing(token: str) -> None:
    assert claims(token) == {}


def test_a_fingerprint_is_short_stable_and_tells_nothing() -> None:
    assert fingerprint(Secret("canary")) == fingerprint(Secret("canary"))
    assert fingerprint(Secret("canary")) != fingerprint(Secret("canarz"))
    assert len(fingerprint(Secret("x"))) == 16
