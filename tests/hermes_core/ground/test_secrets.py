import base64
import json

import pytest

from hermes_core.ground.secrets import MASK, Redactor, Secret

TOKEN = f"eyJ{'a1' * 8}.{'b2' * 8}.{'c3' * 8}"


def test_a_secret_shows_itself_only_when_asked() -> None:
    secret = Secret("correct-horse")
    assert secret.reveal() == "correct-horse"
    for text in (repr(secret), str(secret), f"{secret}", f"{[secret]}"):
        assert "correct-horse" not in text


def test_an_empty_secret_is_false() -> None:
    assert not Secret("")
    assert Secret("x")


def test_secrets_compare_by_value() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1


def test_registered_values_are_masked_the_longest_first() -> None:
    redactor = Redactor()
    redactor.register(Secret("password-1"))
    redactor.register(Secret("password-1-and-more"))
    assert redactor.redact("is password-1-and-more, was password-1") == f"is {MASK}, was {MASK}"


def test_a_registered_value_is_masked_as_others_write_it() -> None:
    redactor = Redactor()
    redactor.register(Secret('pass/"word"+é'))
    for form in (
        "pass%2F%22word%22%2B%C3%A9",
        r"pass/\"word\"+\u00e9",
        base64.b64encode('pass/"word"+é'.encode()).decode().rstrip("="),
    ):
        assert redactor.redact(f"<{form}>") == f"<{MASK}>"


def test_a_value_with_odd_characters_can_be_registered() -> None:
    redactor = Redactor()
    redactor.register(Secret("odd\ud800\x00 value"))
    assert redactor.redact("odd\ud800\x00 value") == MASK


@pytest.mark.parametrize("key", ["sk-" + "a1" * 12, "ghp_" + "a1" * 12, TOKEN])
def test_a_key_behind_the_end_of_a_line_is_masked_in_json_too(key: str) -> None:
    assert Redactor().redact(json.dumps(f"one\n{key}")) == json.dumps(f"one\n{MASK}")


def test_short_values_are_too_common_to_mask() -> None:
    redactor = Redactor()
    redactor.register(Secret("main"))
    assert redactor.redact("def main():") == "def main():"


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "a1" * 12,
        "pk-" + "a1" * 12,
        "rk-" + "a1" * 12,
        *(f"gh{kind}_" + "A1b2" * 9 for kind in "pousr"),
        *(f"xox{kind}-" + "1" * 12 for kind in "abprs"),
        "AKIA" + "ABCD" * 4,
        "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "c2lnbmF0dXJl",
    ],
)
def test_what_has_the_shape_of_a_key_is_masked_unregistered(secret: str) -> None:
    assert Redactor().redact(f"key={secret};") == f"key={MASK};"


def test_an_authorization_header_is_masked() -> None:
    assert Redactor().redact("Authorization: Bearer abc.def-123456") == (
        f"Authorization: Bearer {MASK}"
    )


def test_user_and_password_of_a_url_are_masked() -> None:
    assert Redactor().redact("git clone https://me:pa55@host/x") == (
        f"git clone https://{MASK}@host/x"
    )


@pytest.mark.parametrize("text", ["", "task-1", "skip", "def f(x): return x", "http://host:80/a@b"])
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor().redact(text) == text


@pytest.mark.parametrize(
    "piece", ["-eyJ", "eyJabcdefgh.", "sk-", "://a:", "Bearer ", "ghp_", "xoxb-"]
)
def test_no_text_takes_for_ever(piece: str) -> None:
    text = piece * 150_000
    assert Redactor().redact(f"{text} end").endswith("end")
