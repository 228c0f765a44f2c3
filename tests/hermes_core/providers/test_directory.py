import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.providers.directory import directory_of, index_of, lives_at
from hermes_core.providers.profile import ProviderProfile

ONE = ProviderProfile(
    "one",
    "One",
    base_url="https://api.one.example/v1",
    hosts=("*.one.example:443",),
    aliases=("first",),
    key_envs=("ONE_KEY",),
)
NEAR = ProviderProfile("near", "Near", base_url="https://api.one.example/v1/near", auto=2)
LOCAL = ProviderProfile("local", "Local", base_url="http://127.0.0.1:9/v1", key_optional=True)
KNOWN = directory_of([ONE, NEAR, LOCAL])


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.one.example/v1", "one"),
        ("https://API.One.Example/v1/other", "one"),
        ("https://api.one.example/v1/near/x", "near"),
        ("https://eu.one.example/", "one"),
        ("https://a.b.one.example/", None),
        ("https://api.one.example:8443/v1", None),
        ("http://api.one.example/v1", None),
        ("https://one.example/v1", None),
        ("https://api.one.example.evil.example/v1", None),
        ("https://evil.example/api.one.example/v1", None),
        ("http://127.0.0.1:9/v1", None),
    ],
)
def test_who_lives_at_an_address(url: str, name: str | None) -> None:
    owner = KNOWN.owner_of(url)
    assert (owner.name if owner else None) == name


def test_several_may_live_at_one_host() -> None:
    assert lives_at(ONE, "https://api.one.example/v1/near")
    assert lives_at(NEAR, "https://api.one.example/v1")
    assert not lives_at(LOCAL, "http://127.0.0.1:9/v1")


def test_names_and_aliases() -> None:
    assert KNOWN.get(" FIRST ") is ONE
    assert KNOWN.canonical("first") == "one"
    assert (KNOWN.is_name("ONE"), KNOWN.is_name("first")) == (True, False)
    assert KNOWN.get("nobody") is None


def test_what_auto_tries_is_in_order_and_has_no_optional_keys() -> None:
    assert KNOWN.index.auto == (("near", ()), ("one", ("ONE_KEY",)))


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("http://api.one.example/v1", True),
        ("https://api.one.example.:8443/v1", True),
        ("https://api.one.example.evil.example/", False),
        ("http://127.0.0.1:9/v1", False),
    ],
)
def test_a_host_is_known_on_every_port(url: str, known: bool) -> None:
    assert KNOWN.knows_host(url) == known


@pytest.mark.parametrize("word", ["auto", "main", "custom:mine"])
def test_a_word_with_a_meaning_of_its_own_names_no_provider(word: str) -> None:
    with pytest.raises(ConfigError, match="meaning of its own"):
        index_of([ProviderProfile(word, "Odd")])


def test_the_region_is_one_label_of_the_address() -> None:
    aws = ProviderProfile("aws", "AWS", base_url="https://bedrock-runtime.{region}.example.com")
    assert lives_at(aws, "https://bedrock-runtime.eu-west-1.example.com")
    assert not lives_at(aws, "https://bedrock-runtime.bucket.s3.example.com")


@pytest.mark.parametrize("word", ["one", "first", "near", "FIRST"])
def test_a_word_stands_for_one_provider(word: str) -> None:
    other = ProviderProfile("other", "Other", aliases=(word,))
    with pytest.raises(ConfigError, match=f"{word.lower()} stands for"):
        index_of([ONE, NEAR, other])
