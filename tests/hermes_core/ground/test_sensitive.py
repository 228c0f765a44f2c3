"""What counts as asking for a secret."""

import pytest

from hermes_core.ground.sensitive import asks_for_a_secret, names_a_secret


@pytest.mark.parametrize(
    "name",
    [
        *("password", "Password", "userPassword", "PASSWORD_2", "passphrase", "APIKey", "api_key"),
        *("api-key", "githubToken", "token", "accessToken", "clientSecret", "private key", "PIN"),
        *("cvv", "cardNumber", "Kennwort", "contraseña", "пароль", "请输入密码", "recovery_code"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize(
    "name",
    ["name", "email", "keyboard", "tokenCount", "secretary", "opinion", "key", "card", "username"],
)
def test_other_names(name: str) -> None:
    assert not names_a_secret(name)


@pytest.mark.parametrize(
    "text",
    [
        "Please provide your API key to continue.",
        "Type your full card number",
        "Enter the new password",
        "We need it. Paste your access token here:",
        "GIVE ME YOUR PASSWORD",
    ],
)
def test_sentences_that_ask_for_one(text: str) -> None:
    assert asks_for_a_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "What is your name?", "Enter a label for your API key"),
        *("Do not enter your password here", "Your password has expired. Go on?"),
        *("Enter your GitHub username", "Don't share your password"),
    ],
)
def test_sentences_that_do_not(text: str) -> None:
    assert not asks_for_a_secret(text)
