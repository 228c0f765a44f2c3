"""Adding to settings files: what stands there stays, or nothing is written."""

import stat
from pathlib import Path

import pytest

from acp_server.cli.console import Failure
from acp_server.cli.settings import add_model, add_variable
from hermes_core.local.config import load_config

MODEL = {"provider": "custom", "base_url": "http://localhost:1/v1", "default": 'o"dd: #x'}


def test_a_new_home_gets_both_files(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_variable(home, "OPENROUTER_API_KEY", "sk-or-1$%=x")
    add_model(home, MODEL)
    assert stat.S_IMODE((home / ".env").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    config = load_config({"HERMES_HOME": str(home), "HOME": str(tmp_path)})
    assert config.user_env == {"OPENROUTER_API_KEY": "sk-or-1$%=x"}
    assert (config.provider, config.base_url, config.model) == tuple(MODEL.values())


def test_what_stands_there_stays(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"# mine\r\nother: {a: 1}   # kept\r\nlast: x")
    (tmp_path / ".env").write_bytes(b"# mine\nOLD=1\n")
    add_model(tmp_path, {"provider": "custom"})
    add_variable(tmp_path, "NEW", "2")
    assert (tmp_path / "config.yaml").read_bytes() == (
        b'# mine\r\nother: {a: 1}   # kept\r\nlast: x\nmodel:\n  provider: "custom"\n'
    )
    assert (tmp_path / ".env").read_bytes() == b"# mine\nOLD=1\nNEW='2'\n"


@pytest.mark.parametrize(
    "text",
    ["model: x\n", "model:\n  default: x\n", "{other: 1}\n", "- a\n", "other: |\n  text\n...\n"],
)
def test_settings_that_cannot_be_added_to(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(Failure) as caught:
        add_model(tmp_path, {"provider": "custom"})
    assert str(path) in caught.value.what
    assert path.read_text() == text
    assert [p.name for p in tmp_path.iterdir()] == ["config.yaml"]


def test_a_variable_that_is_set_already_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("export KEY=old\n")
    with pytest.raises(Failure, match="has a line for KEY already"):
        add_variable(tmp_path, "KEY", "new")
    assert (tmp_path / ".env").read_text() == "export KEY=old\n"


def test_an_open_quote_swallows_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A='open\n")
    with pytest.raises(Failure):
        add_variable(tmp_path, "KEY", "new")
    assert (tmp_path / ".env").read_text() == "A='open\n"


@pytest.mark.parametrize(
    "value", ["", "two words", "quo'te", 'quo"te', "back\\slash", "line\n", "é"]
)
def test_a_key_with_odd_characters_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(Failure, match="characters"):
        add_variable(tmp_path, "KEY", value)
    assert not (tmp_path / ".env").exists()


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(Failure, match="cannot be written"):
        add_model(tmp_path / "home", {"provider": "custom"})
