"""YAML with the lines of its keys: the same by both loaders of the library, and bounded."""

from pathlib import Path

import pytest
import yaml

from hermes_core.ground.errors import ConfigError
from hermes_core.local.yaml_file import MAX_SIZE, read_yaml

needs_c = pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="PyYAML has no C loader here")


@pytest.fixture(params=["with", "without"])
def _loaders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


@pytest.mark.usefixtures("_loaders")
def test_keys_have_their_lines(path: Path) -> None:
    path.write_text("é: é\nmodel:\n  default: x\n  default: y\n")
    file = read_yaml(path)
    assert file.data == {"é": "é", "model": {"default": "y"}}
    assert (file.line(("model",)), file.line(("model", "default"))) == (2, 4)
    assert file.repeated == (("model", "default"),)


@pytest.mark.usefixtures("_loaders")
def test_a_character_that_is_not_allowed_is_named_with_its_line(path: Path) -> None:
    path.write_text("é: ééééé\nb: \x01\nc: 1\nd: 2\n")
    with pytest.raises(ConfigError, match=r":2: not valid YAML \(the character '\\x01' is not"):
        read_yaml(path)


@pytest.mark.usefixtures("_loaders")
@pytest.mark.parametrize("text", ["a: " + "[" * 20_000, "a: " + "{b: " * 20_000, "- " * 20_000])
def test_nesting_without_end_is_an_error(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(ConfigError, match="not valid YAML"):
        read_yaml(path)


@needs_c
def test_the_fast_loader_is_used_where_there_is_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml, "SafeLoader", None)
    path.write_text("a: 1\n")
    assert read_yaml(path).data == {"a": 1}


def test_a_file_without_measure_is_refused(path: Path) -> None:
    path.write_text("#" * (MAX_SIZE - 1) + "\n")
    assert read_yaml(path).data is None
    path.write_text("#" * MAX_SIZE + "\n")
    with pytest.raises(ConfigError, match=r"config\.yaml is larger than 1,000,000 bytes"):
        read_yaml(path)
